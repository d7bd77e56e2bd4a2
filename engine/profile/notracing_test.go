//go:build !race

package profile_test

// racing is whether this binary was built with -race.
const racing = false

// rounds is how many of n rounds a test without goroutines does.
func rounds(n int) int { return n }
