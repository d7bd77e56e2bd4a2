package bash_test

import (
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

const (
	project = "/my/project"
	home    = "/home/dev"
)

// callOf is a call of the Bash tool as the host puts it to the module: described
// first, then with every target resolved by its text.
func callOf(command string) *tool.Call[bash.Input] {
	c := &tool.Call[bash.Input]{
		Tool: "Bash", Input: bash.Input{Command: bash.CommandLine(command)},
		Context: tool.Context{CWD: project, WorkingDirectories: []string{project}, Home: home, Mode: tool.ModeDefault},
	}
	return resolved(c)
}

func withMode(c *tool.Call[bash.Input], m tool.Mode) *tool.Call[bash.Input] {
	c.Context.Mode = m
	return c
}

func resolved(c *tool.Call[bash.Input]) *tool.Call[bash.Input] {
	c.Context.Targets = nil
	d := bash.Spec.Describe(c)
	for _, t := range d.Targets {
		if t.Kind == tool.Path {
			p := t.Value
			switch {
			case p == "~" || strings.HasPrefix(p, "~/"):
				p = home + p[1:]
			case !strings.HasPrefix(p, "/"):
				p = c.Context.CWD + "/" + p
			}
			t.Lexical = path.Clean(p)
			t.Resolved = t.Lexical
			if t.Lexical == project || strings.HasPrefix(t.Lexical, project+"/") {
				t.Inside = project
			}
		}
		c.Context.Targets = append(c.Context.Targets, t)
	}
	c.Context.TargetsUnknown = d.TargetsUnknown
	return c
}

func rulesOf(contents ...string) []tool.Rule {
	out := make([]tool.Rule, len(contents))
	for i, c := range contents {
		out[i] = tool.Rule{Content: c}
	}
	return out
}

func matches(command string, behavior tool.Behavior, contents ...string) bool {
	return len(bash.Spec.Match(callOf(command), behavior, rulesOf(contents...))) > 0
}

// testCase is one line of a table under testdata.
type testCase struct {
	line    int
	kind    string
	want    bool
	rules   []string
	command string
}

// readCases reads a table: a kind (may be empty), + or -, an optional q for a
// quoted command, a blank, rules before " @@ " where the table has them.
func readCases(t *testing.T, file string) []testCase {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []testCase
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.IndexAny(line, "+-")
		head, command, ok := strings.Cut(line, " ")
		if at < 0 || !ok || at >= len(head) {
			t.Fatalf("%s:%d: %q is no case", file, i+1, line)
		}
		c := testCase{line: i + 1, kind: head[:at], want: line[at] == '+'}
		if rules, rest, ok := strings.Cut(command, " @@ "); ok {
			c.rules, command = strings.Split(rules, " , "), rest
		}
		if strings.HasSuffix(head, "q") {
			if command, err = strconv.Unquote(command); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
		}
		c.command = command
		out = append(out, c)
	}
	return out
}
