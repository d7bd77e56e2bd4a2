// Package claudecode is the hook Claude Code runs before and after each tool call: it reads the
// client's payload, has the daemon judge the call, and answers in the client's contract.
//
// Claude Code runs a call when its hook fails in almost any way (Verdict lists them), so everything
// here ends in the one denial valid everywhere: exit code 2, a reason on stderr, and on stdout
// nothing or the same denial in the client's own form. The zero Answer is this denial.
//
// Measured of the client: version 2.1.329, each row of Verdict; version 2.1.330, the list in
// docs/claude-code.md.
//
// RATIONALE.md, "Why is Claude Code's hook a command?".
package claudecode
