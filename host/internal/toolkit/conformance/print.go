package conformance

import (
	"fmt"
	"io"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
)

// Print writes the report for a person: the findings in full, the rest as numbers;
// with all, each rule in one line as well.
func (r Report) Print(w io.Writer, all bool) {
	if all {
		for _, x := range r.Results {
			fmt.Fprintf(w, "%-7s  %-26s %s%s\n", x.Outcome, x.ID, x.Title, x.remark())
		}
	}
	for _, f := range r.Findings {
		if all {
			fmt.Fprintln(w)
		}
		f.Print(w)
		if !all {
			fmt.Fprintln(w)
		}
	}
	for _, x := range r.Results {
		if x.Found > kept {
			fmt.Fprintf(w, "%s: %d more like these\n", x.ID, x.Found-kept)
		}
	}
	word := "conforms"
	if !r.Conforms() {
		word = "does not conform"
	}
	name := strings.TrimSpace(r.Module + " " + r.Version)
	if name == "" {
		name = "the module"
	}
	fmt.Fprintf(w, "%s %s: %d rules passed, %d failed, %d with advice, %d without anything to try (seed %d, %d calls)\n",
		card.Line(name), word, r.Count(Passed), r.Count(Broken), r.Count(Advised), r.Count(Skipped), r.Seed, r.Calls)
}

func (x Result) remark() string {
	switch {
	case x.Why != "":
		return " (" + x.Why + ")"
	case x.Tried > 0:
		return fmt.Sprintf(" (%d tries)", x.Tried)
	}
	return ""
}

// longest is how much of a line is shown.
const longest = 600

// Print writes the finding for a person.
func (f Finding) Print(w io.Writer) {
	where := f.Verb
	if f.Tool != "" {
		where = f.Tool + " " + f.Verb
	}
	fmt.Fprintf(w, "%s %s: %s\n", strings.ToUpper(string(f.Level)), f.ID, f.Title)
	for _, row := range [][2]string{{"where", where}, {"tried", f.Tried}, {"came", f.Came}, {"input", string(f.Input)}, {"mend", f.Mend}, {"see", "docs/abi.md, " + f.Section}} {
		if row[1] != "" {
			fmt.Fprintf(w, "  %-6s %s\n", row[0]+":", clipped(card.Line(row[1])))
		}
	}
}

func clipped(line string) string {
	if len(line) <= longest {
		return line
	}
	return strings.ToValidUTF8(line[:longest], "") + fmt.Sprintf("... (%d bytes; --json has it all)", len(line))
}
