// Package machine is the room of this computer: the boundary between two accounts (boundary), the
// daemon as a service (service), problems of an installation (doctor) and of a running daemon
// (checkup), and files, locks, sockets and logs for every system (atomicfile, filelock, securedir,
// socket, ratelog). The leaves import nothing of ours; service, doctor and checkup import the
// packages they examine. The CLI calls boundary, service and doctor, the console checkup, everybody
// the leaves.
package machine
