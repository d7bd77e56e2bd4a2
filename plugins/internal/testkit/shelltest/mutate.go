package shelltest

import (
	"math/rand/v2"
	"strings"
)

// inserts are Mutate's insertions.
var inserts = []string{
	"'", `"`, `\`, "\\\n", "`", "$", "$(", ")", "(", "{", "}", ";", "&", "|", "\n", " ", "\t", "#", "!", "<", ">", "<<E\n", "\nE\n", "*", "?", "[", "]", "~", "=", "-", "2", "$'", `$"`, "((", "))",
	"[[ ", " ]]", "&&", "||", ";;", " alfa ", "time ", "! ", "{ ", "; }", "do ", "then ", "in ", "esac", "${", "$((", ">&", "&>", "<(", ",", "..", "^", "%", "+", "@(", "|&", "&!", "<<-", "<<<", "E",
}

// Mutate changes text in a few places, decided by the two numbers.
func Mutate(text string, seed, n uint64) string {
	r := rand.New(rand.NewPCG(seed, ^n))
	for range 1 + r.IntN(3) {
		runes := []rune(text)
		at := r.IntN(len(runes) + 1)
		switch r.IntN(5) {
		case 0: // lose some
			end := min(len(runes), at+1+r.IntN(3))
			text = string(runes[:at]) + string(runes[end:])
		case 1: // say some twice
			end := min(len(runes), at+1+r.IntN(6))
			text = string(runes[:end]) + string(runes[at:])
		default:
			text = string(runes[:at]) + inserts[r.IntN(len(inserts))] + string(runes[at:])
		}
	}
	return text
}

// Safe reports whether line may be run: nothing in it can be a path out of a Lab, in any reading of
// its quotes, and nothing signals other processes, finds programs outside PATH, or goes on for
// ever.
func Safe(line string) bool {
	bare := strings.NewReplacer("/dev/null", "", "CDPATH", "", "\\\n", "", "'", "", `"`, "", `\`, "").Replace(line)
	if strings.Count(bare, "..") > 6 {
		return false
	}
	for i := range len(bare) {
		if bare[i] == '/' && (i == 0 || !pathByte(bare[i-1])) {
			return false
		}
	}
	for _, word := range []string{"kill", "command -p", "ulimit", "limit", "~r", "~d", "~b", "PATH", "while :", "while true", "until false", "disown", "suspend", "zmodload", "exec -c"} {
		if strings.Contains(bare, word) {
			return false
		}
	}
	return true
}

// pathByte reports whether b before a slash makes the slash no beginning of a
// path.
func pathByte(b byte) bool {
	return b == '.' || b == '~' || b == '-' || b == '+' || b == '*' || b == '}' || b == '/' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// maxTries bounds the effort of Minimise.
const maxTries = 1000

// Minimise returns a shorter line with fails still true, by leaving out ever smaller stretches.
func Minimise(line string, fails func(string) bool) string {
	tries := 0
	for size := len(line) / 2; size > 0; {
		shorter := false
		for at := 0; at+size <= len(line); {
			candidate := line[:at] + line[at+size:]
			if tries++; tries > maxTries {
				return line
			}
			if Safe(candidate) && fails(candidate) {
				line, shorter = candidate, true
				continue
			}
			at++
		}
		if !shorter || size > len(line) {
			size = min(size/2, len(line))
		}
	}
	return line
}
