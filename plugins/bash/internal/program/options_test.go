package program

import (
	"testing"

	"pgregory.net/rapid"
)

// TestOptionsAreAMap holds options against a map, also when there are more than
// there is room for.
func TestOptionsAreAMap(t *testing.T) {
	t.Parallel()
	names := rapid.StringMatching(`-[a-d]|--[a-c]{1,3}|-é|[-x]`)
	rapid.Check(t, func(t *rapid.T) {
		o, want := newOptions(""), map[string]*spec{}
		for _, name := range rapid.SliceOfNDistinct(names, 0, 48, func(s string) string { return s }).Draw(t, "names") {
			s := o.spec(name, effect(len(want)))
			o.add(name, s)
			want[name] = s
		}
		for _, name := range append(rapid.SliceOf(names).Draw(t, "others"), "") {
			if got := o.find(name); got != want[name] {
				t.Fatalf("%q: got %v, want %v", name, got, want[name])
			}
		}
		for name, s := range want {
			if o.find(name) != s || s.name != name {
				t.Fatalf("%q: got %v", name, o.find(name))
			}
		}
	})
}

func TestDashed(t *testing.T) {
	t.Parallel()
	for _, letter := range []rune{0, 'a', '-', 0x7f, 0x80, 'é', 0xfffd} {
		if got := dashed(letter); got != "-"+string(letter) {
			t.Errorf("%q: got %q", letter, got)
		}
	}
}
