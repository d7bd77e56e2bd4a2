package convert

import (
	"strings"

	"github.com/callgate/callgate/engine"
)

// shadowed adds a note to every rule with a lower-ranked opposite in its own format. Here the
// opposite stays in force: deny beats ask beats allow.
func (b *builder) shadowed() {
	for _, block := range b.report.Blocks {
		for _, winner := range block.Rules {
			for _, loser := range block.Rules {
				if winner.wins <= loser.wins || strictness(winner.Behavior) >= strictness(loser.Behavior) {
					continue
				}
				meets, within := overlap(winner.Text, loser.Text)
				if !meets {
					continue
				}
				e := &entry{b: b, at: winner.entry}
				line := b.report.Entries[loser.entry].Line
				if within {
					e.is(Tighter, "there it wins over %s %s of line %d; here %s beats %s: %s never counts", loser.Behavior, loser.Text, line, loser.Behavior, winner.Behavior, winner.Text)
					continue
				}
				e.is(Tighter, "there it wins over %s %s of line %d; here %s beats %s: what both match is %s", loser.Behavior, loser.Text, line, loser.Behavior, winner.Behavior, outcome(loser.Behavior))
			}
		}
	}
}

func strictness(b engine.Behavior) int {
	switch b {
	case engine.Deny:
		return 2
	case engine.Ask:
		return 1
	}
	return 0
}

func outcome(b engine.Behavior) string {
	if b == engine.Ask {
		return "asked about"
	}
	return "denied"
}

// overlap reports whether two rules may match the same call, and whether b matches everything a
// matches. It compares the texts up to their first star; in doubt they overlap.
func overlap(a, b string) (meets, within bool) {
	x, errA := engine.ParseRule(a)
	y, errB := engine.ParseRule(b)
	if errA != nil || errB != nil {
		return true, false
	}
	same := engine.MatchName(y.Tool, x.Tool)
	if !same && !engine.MatchName(x.Tool, y.Tool) {
		return false, false
	}
	if y.WholeTool() {
		return true, same
	}
	if x.WholeTool() {
		return true, false
	}
	p, _ := stem(*x.Content)
	q, open := stem(*y.Content)
	switch {
	case strings.HasPrefix(p, q):
		return true, open && same
	case strings.HasPrefix(q, p):
		return true, *x.Content == *y.Content
	}
	return false, false
}

// stem is a content up to its first star; open reports whether only the star follows.
func stem(content string) (head string, open bool) {
	content = strings.TrimPrefix(content, "./")
	if p, ok := strings.CutSuffix(content, ":*"); ok {
		return p, true
	}
	head, rest, star := strings.Cut(content, "*")
	return strings.TrimRight(head, " "), star && strings.Trim(rest, "*") == ""
}
