//go:build !race

// Package racing tells tests whether they run under the race detector, which
// makes some of them too slow, and allocates and takes addresses of its own.
package racing

// Enabled is whether this binary was built with -race.
const Enabled = false
