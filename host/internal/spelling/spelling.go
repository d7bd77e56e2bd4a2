// Package spelling finds the name that was probably meant.
package spelling

import (
	"slices"
	"strings"
)

// maxWord bounds what is compared, in bytes: longer words are near nothing.
const maxWord = 40

// Nearest returns the one of names that differs from word in at most one
// character and one more for every four of the name; letter case does not count.
// Of several the closest, then the first in the alphabet. It is empty when none
// is near.
func Nearest(word string, names []string) string {
	sorted := slices.Sorted(slices.Values(names))
	best, least := "", -1
	for _, name := range sorted {
		if len(word) > maxWord || len(name) > maxWord {
			continue
		}
		d := distance(strings.ToLower(word), strings.ToLower(name))
		if d <= 1+len(name)/4 && (least < 0 || d < least) {
			best, least = name, d
		}
	}
	return best
}

// Hint ends a sentence about an unknown word: ": did you mean X?" when one of
// names is near, else ": want one of A, B"; empty when there are no names.
func Hint(word string, names []string) string {
	if name := Nearest(word, names); name != "" {
		return ": did you mean " + name + "?"
	}
	if len(names) == 0 {
		return ""
	}
	return ": want one of " + strings.Join(slices.Sorted(slices.Values(names)), ", ")
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
