package target

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPrefix: the piece of a name is the path that would be put together.
func TestPrefix(t *testing.T) {
	t.Parallel()
	pieces := 0
	rapid.Check(t, func(t *rapid.T) {
		name := "/" + rapid.StringMatching(`[ab./]{0,12}`).Draw(t, "name")
		dir := "/" + strings.Trim(rapid.StringMatching(`([ab]{1,2}/){0,3}`).Draw(t, "dir"), "/")
		part := rapid.StringMatching(`[ab.]{1,3}`).Draw(t, "part")
		if rapid.Bool().Draw(t, "of the name") { // mostly where the walk stands
			name = below(dir, part) + rapid.StringMatching(`[/ab]{0,4}`).Draw(t, "rest")
		}
		got := prefix(name, dir, part)
		if want := below(dir, part); got != want {
			t.Fatalf("prefix(%q, %q, %q) = %q, want %q", name, dir, part, got, want)
		}
		if strings.HasPrefix(name, got) {
			pieces++
		}
	})
	if pieces == 0 {
		t.Error("no name began with its path")
	}
}

// TestPrefix_allocates nothing where a name begins with the path.
func TestPrefix_allocates(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { _ = prefix("/home/ann/project", "/home", "ann") }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
