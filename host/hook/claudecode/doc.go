// Package claudecode is the hook that Claude Code runs before and after each
// tool call: it reads the client's payload, has the daemon judge the call, and
// answers in the client's contract.
//
// Claude Code runs a call when its hook fails in almost any way (Verdict tells
// which), so everything here ends in the one denial that works everywhere: exit
// code 2, a reason on stderr, and on stdout nothing or the same denial in the client's
// own form. The zero Answer is that denial.
//
// What was measured of the client: version 2.1.329, each row of Verdict; version
// 2.1.330, what docs/claude-code.md lists.
package claudecode
