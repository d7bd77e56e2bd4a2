//go:build race

package racing

// Enabled is whether this binary was built with -race.
const Enabled = true
