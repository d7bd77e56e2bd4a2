//go:build !race

package wasmbin_test

const raceEnabled = false
