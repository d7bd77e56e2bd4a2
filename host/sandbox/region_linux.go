package sandbox

import "golang.org/x/sys/unix"

// noReserve keeps what is mapped and not touched out of the system's accounts.
const noReserve = unix.MAP_NORESERVE
