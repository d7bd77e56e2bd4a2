package frontmatter

import (
	"fmt"
	"strings"
)

// span is where one item of a flow list stands in its line.
type span struct{ from, to int }

// flow edits a list in the form [in, one, line].
func (f file) flow(key string, at int, edit func(l string, open int, items []span) string) (string, error) {
	l := f.lines[at]
	open := strings.Index(l, "[")
	items, closed := flowItems(l, open)
	if open < 0 || !closed {
		return "", fmt.Errorf("line %d: %s: a list in brackets over several lines: %w", at+1, key, ErrByHand)
	}
	f.lines[at] = edit(l, open, items)
	return f.text(), nil
}

// flowItems are the items between the bracket at open and its closing one.
func flowItems(l string, open int) (items []span, closed bool) {
	if open < 0 {
		return nil, false
	}
	from, to := -1, -1
	quote := byte(0)
	flush := func() {
		if from >= 0 {
			items = append(items, span{from, to})
		}
		from = -1
	}
	for i := open + 1; i < len(l); i++ {
		c := l[i]
		switch {
		case quote == '"' && c == '\\':
			i++
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			}
			to = i + 1
			continue
		case c == ']':
			flush()
			return items, true
		case c == ',':
			flush()
			continue
		case c == ' ' || c == '\t':
			continue
		case from < 0 && (c == '"' || c == '\''):
			quote = c
		case c == '\n' || c == '\r':
			return nil, false
		}
		if from < 0 {
			from = i
		}
		to = i + 1
	}
	return nil, false
}
