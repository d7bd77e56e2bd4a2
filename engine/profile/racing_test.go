//go:build race

package profile_test

// racing is whether this binary was built with -race, which makes searches a
// hundred times slower.
const racing = true

// rounds is how many of n rounds a test without goroutines does: the race detector
// finds nothing in such a test that the first ones do not show.
func rounds(n int) int { return n / 10 }
