//go:build race

package profile_test

// racing is whether this binary was built with -race, which makes searches a
// hundred times slower.
const racing = true
