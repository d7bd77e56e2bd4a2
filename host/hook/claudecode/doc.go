// Package claudecode is the hook that Claude Code runs before and after each
// tool call: it reads the client's payload, has the daemon judge the call, and
// answers in the client's contract.
//
// Claude Code runs a call when its hook fails in almost any way (Verdict tells
// which), so everything here ends in the one denial that works everywhere: exit
// code 2, a reason on stderr, nothing on stdout. The zero Answer is that denial.
//
// What was measured of the client: version 2.1.329, each row of Verdict.
package claudecode
