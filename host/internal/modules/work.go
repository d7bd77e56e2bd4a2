package modules

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"github.com/callgate/callgate/engine"
)

// maxWork bounds the work for the host in a description, in units of about a microsecond on a
// processor of 2024. Fuel and time-outs do not count it, because the host does it. It is fifty
// times the dearest call of the test corpus, and about the work for three hundred files.
const maxWork = 50_000

// checkWork refuses a description with too much work for the host in its targets, marks and
// actions. It looks at the texts alone, so the same description is refused on every machine.
func (d *Description) checkWork() error {
	work := 0
	for _, a := range append(d.Actions, d.Action) {
		work += 2 + len(a)/20 // profiles match each
	}
	for _, e := range d.Effects {
		work += 5 + len(e.Value)/8
		if e.IsPath() {
			work += workOfPath(e.Value)
		}
	}
	for _, list := range [][]engine.Target{d.Targets, d.Marks} {
		for _, t := range list {
			work += workOf(t)
		}
	}
	if slices.ContainsFunc(d.Targets, listsNames) {
		work += workOfNames
	}
	if work > maxWork {
		return fmt.Errorf("targets, marks, effects and actions cost %d units of work, but the limit is %d; return fewer or shorter ones, or targets_unknown", work, maxWork)
	}
	return nil
}

// workOf is how many units looking at one target or mark takes at most, measured in
// steps of its length. A new kind costs as much as the dearest.
func workOf(t engine.Target) int {
	switch t.Kind {
	case "host", "mcp", "service", "terminal", "endpoint":
		return 5 + len(t.Value)/8
	case "process":
		return workOfProcess(t.Value)
	case "program":
		if t.Access == "read" {
			return workOfText(t.Value)
		}
		name, _, _ := strings.Cut(t.Value, " ")
		return 60 + len(t.Value)/40 + workOfPath(name)
	}
	return workOfPath(t.Value)
}

// workOfNames is the work for all patterns of a call together: of the directories they name the host
// looks at 4,096 names at most (target.Resolver).
const workOfNames = 10_000

func listsNames(t engine.Target) bool { return t.Kind == "path" && strings.ContainsAny(t.Value, "*?[") }

// workOfPath is the work for a path. Each of its directories is looked at by its whole name.
func workOfPath(value string) int {
	work := 20 + len(value)/4
	if strings.HasPrefix(value, "~") {
		work += 100 // the account is looked up
	}
	return work + strings.Count(value, "/")*(2+len(value)/60)
}

// workOfText is the work for searching a text word by word; possible paths are looked at.
func workOfText(text string) int {
	work := 20 + len(text)/2
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, parts) {
		work += 3
		if !seen[word] && strings.ContainsAny(word, "/~.") {
			work += 40 + workOfPath(word)
		}
		seen[word] = true
	}
	return work
}

// parts are the separators between words in every kind of search.
func parts(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/.~$_-:*@", r)
}

// maxPattern is the longest pattern for finding a process, in bytes.
const maxPattern = 512

// workOfProcess is the work for a process: a pattern costs by its compiled size.
func workOfProcess(value string) int {
	form, pattern, _ := strings.Cut(value, ":")
	if form != "name" && form != "pattern" {
		return 30
	}
	return 20 + len(pattern) + 2*patternSize(pattern)
}

// wideClass finds constructs for many letters at once.
var wideClass = regexp.MustCompile(`\\[pPx]|[^\x00-\x7f]`)

// patternSize estimates the number of a pattern's compiled instructions. An unreadable one costs
// nothing more; classes of Unicode are as large as tables.
func patternSize(pattern string) int {
	if len(pattern) > maxPattern || wideClass.MatchString(pattern) {
		return maxWork
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	return sizeOf(re)
}

func sizeOf(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		size += sizeOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, maxWork)
}
