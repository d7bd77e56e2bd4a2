package recipe

import (
	"fmt"
	"slices"
	"strings"
)

// contextLines is how many unchanged lines a difference shows around a change.
const contextLines = 3

// change is one line of the new text.
type change struct {
	text  string
	added bool
	// old is how many lines of the old text precede.
	old int
}

// changes lists the new text line by line.
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
				out = append(out, change{strings.TrimSuffix(line, "\n") + end, true, i})
			}
			added = added[1:]
		}
		if i < len(m.old) {
			out = append(out, change{m.old[i], false, i})
		}
	}
	return out
}

func (m *merger) apply() []byte {
	var b strings.Builder
	for _, c := range m.changes() {
		b.WriteString(c.text)
	}
	return []byte(b.String())
}

// diff returns the additions in unified form.
func (m *merger) diff() string {
	all := m.changes()
	var b strings.Builder
	for i := 0; i < len(all); {
		first := slices.IndexFunc(all[i:], func(c change) bool { return c.added })
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

// hunkEnd finds where a hunk with a change at i ends: at the last added line
// before a longer unchanged stretch, and its context.
func hunkEnd(all []change, i int) int {
	last := i
	for j := i; j < len(all) && j <= last+2*contextLines; j++ {
		if all[j].added {
			last = j
		}
	}
	return min(len(all), last+contextLines+1)
}

func writeHunk(b *strings.Builder, all []change, from, to int) {
	var body strings.Builder
	kept := 0
	for _, c := range all[from:to] {
		mark := "+"
		if !c.added {
			mark = " "
			kept++
		}
		body.WriteString(mark + strings.TrimRight(c.text, "\r\n") + "\n")
	}
	oldStart := all[from].old
	if kept > 0 {
		oldStart++
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n%s", oldStart, kept, from+1, to-from, body.String())
}
