//go:build race

package apart_test

const raceEnabled = true
