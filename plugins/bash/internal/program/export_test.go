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
