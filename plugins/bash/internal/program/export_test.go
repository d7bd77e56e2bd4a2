package program

import "slices"

// Keys are the names of all rows, their alternatives apart: "git branch", "pip3 list".
func Keys() []string {
	out := make([]string, 0, len(places))
	for key := range places {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// PathOptions are the spellings of a row's options whose value is a path to read.
func PathOptions(key string) (out []string) {
	for _, s := range find(key).options.list {
		if s.spec.is(readsPath) {
			out = append(out, s.name)
		}
	}
	return out
}

// RowOf is the row of a key.
func RowOf(key string) Row { return find(key).Row }
