package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

func (i *inspected) write(w io.Writer) {
	rows := [][]string{
		{"file", card.Line(i.File)},
		{"size", fmt.Sprintf("%d bytes", i.Size)},
		{"sha256", i.Digest},
	}
	if o := i.Outline; o != nil {
		rows = append(rows, []string{"binary", fmt.Sprintf("%d functions, %d globals, %s", o.Functions, o.Globals, memoryText(o))})
	}
	if i.Described != nil || i.Step != workbench.StepLoad {
		rows = append(rows, []string{"compiled in", fmt.Sprintf("%.1f ms (or less, if cached)", i.CompileMilliseconds)})
	}
	if i.Footprint != nil {
		rows = append(rows, []string{"memory when ready", fmt.Sprintf("%d KiB, shared by its instances until they write to it", i.Footprint.Snapshot>>10)})
	}
	fmt.Fprint(w, table(rows))
	if i.Outline != nil {
		printSymbols(w, "imports", i.Outline.Imports)
		printSymbols(w, "exports", i.Outline.Exports)
	}
	if i.Described != nil {
		i.writeDescribed(w)
		i.writeExamples(w)
		i.writeGrants(w)
	}
	switch {
	case i.Step != "":
		fmt.Fprintf(w, "\nfails at: %s\n  %s\n", i.Step, card.Line(i.Problem))
	case !i.Usable():
		fmt.Fprintf(w, "\nfails at: its own rule examples\n  the daemon rejects a module that fails one\n")
	}
}

func memoryText(o *sandbox.Outline) string {
	switch {
	case o.MemoryBytes == 0 && o.MemoryMost == 0:
		return "no memory of its own"
	case o.MemoryMost == 0:
		return fmt.Sprintf("memory of %d KiB at first, no maximum of its own", o.MemoryBytes>>10)
	}
	return fmt.Sprintf("memory of %d KiB at first and %d KiB at most", o.MemoryBytes>>10, o.MemoryMost>>10)
}

// shownSymbols is how many imports or exports are shown to a person.
const shownSymbols = 64

func printSymbols(w io.Writer, what string, all []sandbox.Symbol) {
	names := make([]string, 0, len(all))
	for _, s := range all[:min(len(all), shownSymbols)] {
		name := card.Line(s.Name)
		if s.Kind != "function" {
			name += " (" + s.Kind + ")"
		}
		names = append(names, name)
	}
	if more := len(all) - shownSymbols; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	fmt.Fprintf(w, "%s: %s\n", what, strings.Join(names, ", "))
}

func (i *inspected) writeDescribed(w io.Writer) {
	d := i.Described
	fmt.Fprintf(w, "\nIt declares: %s %s\n", card.Line(d.Name), card.Line(d.Version))
	if d.Summary != "" {
		fmt.Fprintf(w, "  %s\n", card.Line(d.Summary))
	}
	for _, t := range d.Tools {
		rows := [][]string{{"  tool", card.Line(t.Name)}}
		add := func(name, value string) {
			if value != "" {
				rows = append(rows, []string{"    " + name, card.Line(value)})
			}
		}
		add("aliases", strings.Join(t.Aliases, " "))
		add("calls", strings.Join(claims(t), ", "))
		add("rules", t.RuleHelp)
		add("input", string(t.InputSchema))
		fmt.Fprint(w, table(rows))
	}
	fmt.Fprintf(w, "  sha256 of the description (without the version): %s\n", i.DescriptionDigest)
}

// claims are the statements of a tool's description about its calls.
func claims(t modules.ToolDescription) []string {
	all := []string{"may change something"}
	if t.ReadOnly {
		all[0] = "change nothing"
	}
	if t.EditsFiles {
		all = append(all, "edit files")
	}
	if t.AlwaysChanges {
		all = append(all, "are never read-only")
	}
	return all
}

func (i *inspected) writeExamples(w io.Writer) {
	if len(i.Examples) == 0 {
		fmt.Fprintln(w, "\nrule examples: none, so its rules are untested")
		return
	}
	fmt.Fprintln(w, "\nrule examples:")
	for _, e := range i.Examples {
		verb := "does not match"
		if e.Match {
			verb = "matches"
		}
		state := "ok  "
		if !e.OK {
			state = "FAIL"
		}
		fmt.Fprintf(w, "  %s %s %s(%s) %s %s\n", state, e.Behavior, card.Line(e.Tool), card.Line(e.Content), verb, card.Line(string(e.Input)))
		if e.Problem != "" {
			fmt.Fprintf(w, "       but: %s\n", card.Line(e.Problem))
		}
		var costs []string
		for _, call := range e.Calls {
			cost := fmt.Sprintf("%s %d", call.Verb, call.Fuel)
			if call.Error != "" {
				cost += " (no answer: " + card.Line(call.Error) + ")"
			}
			costs = append(costs, cost)
		}
		fmt.Fprintf(w, "       fuel: %s\n", strings.Join(costs, ", "))
	}
}

func (i *inspected) writeGrants(w io.Writer) {
	fmt.Fprintln(w)
	if len(i.Names) > 0 {
		fmt.Fprintf(w, "To add it, grant its names: --names %s\n", card.Line(strings.Join(i.Names, ",")))
	}
	for _, name := range slices.Sorted(maps.Keys(i.Refused)) {
		fmt.Fprintf(w, "Rejected: the name %s %s\n", card.Line(name), i.Refused[name])
	}
	fmt.Fprintln(w, "Its own allow and read_only answers are ignored unless granted (--may-allow, --may-read-only).")
}
