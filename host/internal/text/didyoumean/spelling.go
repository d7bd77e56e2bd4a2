// Package didyoumean finds the name that was probably meant.
package didyoumean

import (
	"slices"
	"strings"
)

// maxWord bounds what is compared, in bytes: longer words are near nothing.
const maxWord = 40

// Nearest returns the one of names that differs from word in at most one
// change and one more for every four characters of the name; letter case does not count.
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

// distance is how many bytes have to be added, removed, replaced or swapped with
// their neighbour to make one word of the other.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			least := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				least = min(least, rows[i-2][j-2]+1)
			}
			rows[i][j] = least
		}
	}
	return rows[len(a)][len(b)]
}
