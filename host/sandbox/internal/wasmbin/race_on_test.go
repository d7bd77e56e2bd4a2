//go:build race

package wasmbin_test

const raceEnabled = true
