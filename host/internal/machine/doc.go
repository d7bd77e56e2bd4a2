// Package machine is the room of this computer: the boundary between two accounts (boundary), the
// daemon as a service (service), problems of an installation (doctor), and files, locks, sockets
// and logs for every system (atomicfile, filelock, securedir, socket, ratelog). The leaves import
// nothing of ours; service and doctor import the packages they examine. The CLI calls boundary,
// service and doctor, everybody the leaves.
package machine
