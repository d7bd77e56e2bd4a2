//go:build race

package profile_test

// racing is whether this binary was built with -race: it makes searches a hundred times slower.
const racing = true

// rounds is how many of n rounds a test without goroutines does: beyond the first ones the race
// detector finds nothing new in it.
func rounds(n int) int { return n / 10 }
