// Package boundary tells what stands between an agent's account and the
// daemon's: level B, when nothing that the agent's account can do reaches what
// the daemon relies on; level A, when a program of the agent's account can, so
// that only tool calls are held; or none, when not even that can be said.
// Source: design section 8.
//
// [Gather] asks the system, [Assess] judges what it said and nothing else. What
// could not be told counts against level B.
//
// Not looked at, and so never promised: holes in programs with setuid, setgid or
// file capabilities, and in the kernel; jobs that root or another account runs on
// the agent's files (cron, build servers, backups); passwords and keys the agent
// can read or is told (su, ssh); containers and virtual machines reached over TCP.
package boundary
