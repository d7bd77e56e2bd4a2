//go:build !race

package profile_test

// racing is whether this binary was built with -race.
const racing = false
