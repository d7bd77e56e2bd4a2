// Package doctor looks at a set-up and says what is wrong with it and what cures
// it: whether the hook is installed and really blocks, what would switch it off,
// which boundary holds, and how daemon, store, modules, disk and clock stand.
//
// What it says about a client's behavior is not asserted but tried: canary calls
// go through the installed command as the client would start it, and the outcome
// is read by the client's own rule (claudecode.Verdict).
package doctor
