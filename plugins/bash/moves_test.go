package bash_test

import (
	"testing"

	"github.com/callgate/callgate/plugins/bash"
)

// A line that only reads moves nothing; a cd, and what is not known, does.
func TestT11_moves(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"cat a.txt":             false,
		"grep -rn x src | head": false,
		"ls -la && git status":  false,
		"cd /":                  true,
		"cd src && ls":          true,
		"pushd /tmp":            true,
		"popd":                  true,
		"ln -s /etc build":      true,
		"mv a b":                true,
		"rm -rf build":          true,
		"npm test":              true,
		"cat a > b":             true,
		"eval ls":               true,
		"if":                    true,
		"":                      true,
	} {
		if got := bash.Spec.Describe(callOf(command)).Moves; got != want {
			t.Errorf("%q: got %t, want %t", command, got, want)
		}
	}
}
