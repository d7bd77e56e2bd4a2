//go:build !race

// Package raceflag tells tests whether they run under the race detector: it makes some of them
// too slow, and allocates and takes addresses of its own.
package raceflag

// Enabled is whether this binary was built with -race.
const Enabled = false
