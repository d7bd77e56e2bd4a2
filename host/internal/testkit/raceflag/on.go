//go:build race

package raceflag

// Enabled is whether this binary was built with -race.
const Enabled = true
