package program

import "testing"

// TestRowsAreSound compiles every row, which panics on a mistake in one, and
// finds each by each of its names, and no two by the same.
func TestRowsAreSound(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i, r := range table {
		if mistake := compiles(r); mistake != nil {
			t.Error(mistake)
			continue
		}
		for _, key := range keys(r.Name) {
			if seen[key] {
				t.Errorf("two rows for %q", key)
			}
			seen[key] = true
			if g := find(key); g == nil || g.Name != table[i].Name || g.key != key {
				t.Errorf("%q is not found by its name", key)
			}
		}
	}
	for _, key := range []string{"", " ", "git ", " git", "git|x", "docker|podman|nerdctl", "git status x", "git remote|"} {
		if find(key) != nil {
			t.Errorf("%q is found", key)
		}
	}
}

// compiles returns what compile panics with.
func compiles(r Row) (mistake any) {
	defer func() { mistake = recover() }()
	compile(r, r.Name)
	return nil
}

func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		tables()
	}
}
