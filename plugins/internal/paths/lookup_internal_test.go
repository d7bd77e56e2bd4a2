package paths

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestExpansionIsTheShells holds what is told from the ends of a glob against
// comparing all of it.
func TestExpansionIsTheShells(t *testing.T) {
	t.Parallel()
	var known []string
	for _, table := range []*table{protectedTable, secretTable} {
		for _, k := range table.known {
			known = append(known, k.name)
		}
	}
	text := rapid.StringMatching(`[.a-z_é*?\[\]\\^-]{0,6}`)
	hits := 0
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(known).Draw(rt, "known")
		from := rapid.IntRange(0, len(name)).Draw(rt, "from")
		to := rapid.IntRange(from, len(name)).Draw(rt, "to")
		glob := name[:from] + text.Draw(rt, "text") + rapid.SampledFrom([]string{"*", "?", "[a-z]", "[", "**"}).Draw(rt, "sign") + name[to:]
		ok, err := path.Match(glob, name)
		want := (ok || err != nil) && (strings.HasPrefix(glob, ".") || !strings.HasPrefix(name, ".") && strings.Trim(glob, "*?.") != "")
		e := expansionOf(glob)
		if got := e.gives(name); got != want {
			rt.Fatalf("%q for %q: got %v, want %v", glob, name, got, want)
		}
		if want {
			hits++
		}
	})
	if hits == 0 {
		t.Error("no glob gave a name: the test says nothing")
	}
}
