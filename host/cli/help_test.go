package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelp walks every command: a short text, an example, and examples with existing commands
// and flags.
func TestHelp(t *testing.T) {
	t.Parallel()
	root := newRoot()
	seen := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.HasParent() && cmd.Parent().Name() == "completion" || cmd.Name() == "help" {
			return // cobra's own
		}
		seen++
		if cmd.Short == "" || cmd.Example == "" {
			t.Errorf("%s: got short text %q, example %q, want both", cmd.CommandPath(), cmd.Short, cmd.Example)
		}
		if slices.Contains([]string{"list", "show", "status", "inspect", "verify"}, cmd.Name()) && !strings.Contains(cmd.Example, "--json") {
			t.Errorf("%s: no example with --json: what it shows programs read as well", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			_, line, found := strings.Cut("; "+line, "callgate ")
			if !found {
				t.Errorf("%s: example without callgate: %q", cmd.CommandPath(), line)
				continue
			}
			checkExample(t, root, line)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if seen < 40 {
		t.Errorf("walked %d commands, want all", seen)
	}
}

func checkExample(t *testing.T, root *cobra.Command, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	cmd, _, err := root.Find(words)
	if err != nil || cmd == root {
		t.Errorf("example %q: got command %v, %v", line, cmd, err)
		return
	}
	for _, word := range words {
		name, isFlag := strings.CutPrefix(word, "--")
		if isFlag && name == "" {
			break // another program's words follow
		}
		if isFlag && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
			t.Errorf("example %q: %s has no flag --%s", line, cmd.CommandPath(), name)
		}
	}
}
