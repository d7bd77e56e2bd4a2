// Package boundary finds the boundary between an agent's account and the daemon's. Level B: nothing
// the agent's account can do reaches files or processes of the daemon. Level A: a program of the
// agent's account can reach them, so only tool calls are held. None: not even level A is certain.
// docs/security.md, "The two levels".
//
// [Gather] asks the system, [Assess] judges its answers and nothing else. Unknown facts count
// against level B.
//
// Not looked at, and so never promised: holes in programs with setuid, setgid or file capabilities,
// and in the kernel; jobs of root or another account on the agent's files (cron, build servers,
// backups); passwords and keys known to the agent (su, ssh); containers and virtual machines
// reached over TCP.
package boundary
