package securedir_test

import (
	"errors"
	"os"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// TestGuarded: a file that everybody can write or replace is refused, also behind a link.
func TestGuarded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := func(name string, mode os.FileMode) string {
		p.must(os.WriteFile(p.at(name), nil, 0o600))
		p.must(os.Chmod(p.at(name), mode))
		return p.at(name)
	}
	link := func(name, to string) string {
		p.must(os.Symlink(to, p.at(name)))
		return p.at(name)
	}
	p.dir("own", 0o755)
	p.dir("open", 0o777)
	for _, test := range []struct {
		name, path string
		safe       bool
	}{
		{"own file", file("own/file", 0o644), true},
		{"for the group", file("own/group", 0o664), true},
		{"for everybody", file("own/all", 0o666), false},
		{"for everybody, sticky", file("own/sticky", os.ModeSticky|0o666), false},
		{"in an open directory", file("open/file", 0o600), false},
		{"link", link("own/link", p.at("own/file")), true},
		{"link to a file for everybody", link("own/link-all", p.at("own/all")), false},
		{"link into an open directory", link("own/link-open", p.at("open/file")), false},
		{"link in an open directory", link("open/link", p.at("own/file")), false},
	} {
		if err := securedir.Guarded(test.path); (err == nil) != test.safe || err != nil && !errors.Is(err, securedir.ErrUnsafe) {
			t.Errorf("%s: got %v, want safe %t", test.name, err, test.safe)
		}
	}
}
