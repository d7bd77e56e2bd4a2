//go:build unix && !linux

package sandbox

// noReserve is Linux's.
const noReserve = 0
