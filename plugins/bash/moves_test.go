package bash_test

import (
	"testing"

	"github.com/callgate/callgate/plugins/bash"
)

// A reading line moves nothing, nor does a program beside the shell; a cd, a change of the
// shell, a new link, and an unreadable line do.
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
		"npm test":              false,
		"make -j8 test":         false,
		"cat a > b":             false,
		"sudo ln -s /etc x":     true,
		"ls | xargs rm":         true,
		"git checkout main":     true,
		"export A=b && npm i":   true,
		"source ./env":          true,
		"(cd src && make)":      true,
		"sh -c 'ln -s /etc x'":  true,
		"eval ls":               true,
		"if":                    true,
		"":                      true,
	} {
		if got := bash.Spec.Describe(callOf(command)).Moves; got != want {
			t.Errorf("%q: got %t, want %t", command, got, want)
		}
	}
}
