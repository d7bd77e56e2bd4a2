package recipe

import (
	"fmt"
	"slices"
	"strings"
)

// contextLines is how many unchanged lines a difference shows around a change.
const contextLines = 3

// change is one line of the new text, or a removed line of the old text.
type change struct {
	text           string
	added, removed bool
	// old is how many lines of the old text precede.
	old int
}

// changes lists the new text line by line, with the replaced lines of the old one.
func (m *merger) changes() []change {
	var out []change
	end := "\n"
	if len(m.old) > 0 && strings.HasSuffix(m.old[0], "\r\n") {
		end = "\r\n"
	}
	added := slices.Clone(m.added)
	slices.SortStableFunc(added, func(a, b addition) int { return a.after - b.after })
	for i := 0; i <= len(m.old); i++ {
		for len(added) > 0 && added[0].after == i {
			if i > 0 && i == len(m.old) && !strings.HasSuffix(m.old[i-1], "\n") {
				out[len(out)-1].text += end
				m.old[i-1] += end
			}
			for _, line := range added[0].lines {
				out = append(out, change{text: strings.TrimSuffix(line, "\n") + end, added: true, old: i})
			}
			added = added[1:]
		}
		if i == len(m.old) {
			break
		}
		text := m.into(i)
		if text == m.old[i] {
			out = append(out, change{text: text, old: i})
			continue
		}
		out = append(out, change{text: m.old[i], removed: true, old: i})
		for line := range strings.Lines(text) {
			out = append(out, change{text: line, added: true, old: i + 1})
		}
	}
	return out
}

func (m *merger) apply() []byte {
	var b strings.Builder
	for _, c := range m.changes() {
		if !c.removed {
			b.WriteString(c.text)
		}
	}
	return []byte(b.String())
}

// diff returns the changes in unified form.
func (m *merger) diff() string {
	all := m.changes()
	var b strings.Builder
	for i := 0; i < len(all); {
		first := slices.IndexFunc(all[i:], func(c change) bool { return c.added || c.removed })
		if first < 0 {
			break
		}
		from := max(i, i+first-contextLines)
		to := hunkEnd(all, i+first)
		writeHunk(&b, all, from, to)
		i = to
	}
	if b.Len() == 0 {
		return ""
	}
	return "--- " + m.file + "\n+++ " + m.file + "\n" + b.String()
}

// hunkEnd finds where a hunk with a change at i ends: at the last changed line
// before a longer unchanged stretch, and its context.
func hunkEnd(all []change, i int) int {
	last := i
	for j := i; j < len(all) && j <= last+2*contextLines; j++ {
		if all[j].added || all[j].removed {
			last = j
		}
	}
	return min(len(all), last+contextLines+1)
}

func writeHunk(b *strings.Builder, all []change, from, to int) {
	var body strings.Builder
	was, is := 0, 0
	for _, c := range all[from:to] {
		mark := " "
		switch {
		case c.added:
			mark = "+"
			is++
		case c.removed:
			mark = "-"
			was++
		default:
			was++
			is++
		}
		body.WriteString(mark + strings.TrimRight(c.text, "\r\n") + "\n")
	}
	oldStart := all[from].old
	if was > 0 {
		oldStart++
	}
	gone := 0
	for _, c := range all[:from] {
		if c.removed {
			gone++
		}
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n%s", oldStart, was, from-gone+1, is, body.String())
}
