package corpus

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Report is the result of a corpus.
type Report struct {
	Classes []Class `json:"classes"`
	// Cases and WrongCases count lines, however many answers of one are wrong.
	Cases      int     `json:"cases"`
	WrongCases int     `json:"wrong_cases"`
	Seconds    float64 `json:"seconds"`
	Wrong      []Wrong `json:"wrong"`
}

// Class is one file's share.
type Class struct {
	Kind  string `json:"kind"`
	Class string `json:"class"`
	Cases int    `json:"cases"`
	Wrong int    `json:"wrong"`
}

// Wrong is one answer different from its line's demand.
type Wrong struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Case is the command, or the tool with its input, or the case's name.
	Case string `json:"case"`
	// About names the line's request.
	About string `json:"about"`
	Want  string `json:"want"`
	Got   string `json:"got"`
	// Reason is the decision's own.
	Reason string `json:"reason"`
	Why    string `json:"why"`
}

// OK reports that nothing is wrong.
func (r *Report) OK() bool { return r.WrongCases == 0 }

func (c *Corpus) report(wrong map[[2]int][]Wrong, took time.Duration) *Report {
	r := &Report{Seconds: took.Seconds(), Wrong: []Wrong{}}
	for f, file := range c.Files {
		class := Class{Kind: file.Kind, Class: file.Class, Cases: len(file.Cases)}
		for l := range file.Cases {
			if all := wrong[[2]int{f, l}]; len(all) > 0 {
				class.Wrong++
				r.Wrong = append(r.Wrong, all...)
			}
		}
		r.Classes = append(r.Classes, class)
		r.Cases += class.Cases
		r.WrongCases += class.Wrong
	}
	return r
}

// longestCase bounds how much of a case the text shows, in bytes.
const longestCase = 300

// Print writes the table, then every wrong answer.
func (r *Report) Print(w io.Writer) error {
	var b strings.Builder
	width := len("class")
	for _, c := range r.Classes {
		width = max(width, len(c.Kind), len(c.Class)+2)
	}
	row := func(name string, cases, wrong int) { fmt.Fprintf(&b, "%-*s  %6d  %6d\n", width, name, cases, wrong) }
	fmt.Fprintf(&b, "%-*s  %6s  %6s\n", width, "class", "cases", "wrong")
	for i, c := range r.Classes {
		if i == 0 || c.Kind != r.Classes[i-1].Kind {
			cases, wrong := r.kind(c.Kind)
			row(c.Kind, cases, wrong)
		}
		row("  "+c.Class, c.Cases, c.Wrong)
	}
	fmt.Fprintf(&b, "%-*s  %6d  %6d  %.1f s\n", width, "all", r.Cases, r.WrongCases, r.Seconds)
	for _, wrong := range r.Wrong {
		wrong.print(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) kind(name string) (cases, wrong int) {
	for _, c := range r.Classes {
		if c.Kind == name {
			cases, wrong = cases+c.Cases, wrong+c.Wrong
		}
	}
	return cases, wrong
}

func (w Wrong) print(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s:%d: %s\n", w.File, w.Line, shown(w.Case))
	fmt.Fprintf(b, "    want %s, got %s", w.Want, w.Got)
	if w.Reason != "" {
		fmt.Fprintf(b, ": %s", shown(w.Reason))
	}
	if w.About != "" {
		fmt.Fprintf(b, " (%s)", shown(w.About))
	}
	b.WriteByte('\n')
	if w.Why != "" {
		fmt.Fprintf(b, "    why: %s\n", shown(w.Why))
	}
}

// shown keeps a text on one line and free of terminal controls.
func shown(text string) string {
	if len(text) > longestCase {
		text = text[:longestCase] + "..."
	}
	quoted := fmt.Sprintf("%q", text)
	return strings.ReplaceAll(strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`), `\\`, `\`)
}
