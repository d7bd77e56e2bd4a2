package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

var (
	docFence  = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")
	docInline = regexp.MustCompile("`((?:sudo )?callgate [^`\n]+|make [a-z-]+[^`\n]*)`")
	docLink   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	docTarget = regexp.MustCompile(`(?m)^([a-z-]+):`)
	docHead   = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestDocs_commands: each command of callgate and make in the documents exists, with
// its flags.
func TestDocs_commands(t *testing.T) {
	t.Parallel()
	root := newRoot()
	makefile, err := os.ReadFile(repo.File("Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, m := range docTarget.FindAllStringSubmatch(string(makefile), -1) {
		targets = append(targets, m[1])
	}
	seen := 0
	for name, text := range documents(t) {
		known := targets
		if strings.HasPrefix(name, "docs/") || name == "RATIONALE.md" {
			known = nil // make is an example of a command there
		}
		for _, line := range commandLines(text) {
			seen++
			if fault := lineFault(root, known, line); fault != "" {
				t.Errorf("%s: %q: %s", name, line, fault)
			}
		}
	}
	if seen < 200 {
		t.Errorf("found %d commands", seen)
	}
}

// commandLines are the commands of a document, in blocks and within sentences.
func commandLines(text string) (lines []string) {
	block := func(body string) {
		for line := range strings.Lines(body) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
			for _, prefix := range []string{"callgate ", "bin/callgate ", "sudo callgate ", "make "} {
				if strings.HasPrefix(line, prefix) {
					lines = append(lines, line)
				}
			}
		}
	}
	for _, m := range docFence.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "text") {
			block(m[2])
		}
	}
	prose := docFence.ReplaceAllString(text, "")
	for line := range strings.Lines(prose) {
		if strings.HasPrefix(line, "    ") {
			block(line)
		}
	}
	for _, m := range docInline.FindAllStringSubmatch(prose, -1) {
		lines = append(lines, m[1])
	}
	return lines
}

// lineFault is the error in a line of commands; empty for none.
func lineFault(root *cobra.Command, targets []string, line string) string {
	line, _, _ = strings.Cut(line, " #")
	for part := range strings.SplitSeq(line, " && ") {
		words := strings.Fields(part)
		for len(words) > 0 && (words[0] == "sudo" || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		switch {
		case len(words) < 2:
			continue
		case words[0] == "make" && targets != nil && !strings.ContainsAny(words[1], "=-") && !slices.Contains(targets, words[1]):
			return "the Makefile has no target " + words[1]
		case filepath.Base(words[0]) != "callgate" || strings.HasPrefix(words[1], "-"):
			continue
		}
		if fault := commandFault(root, words[1:]); fault != "" {
			return fault
		}
	}
	return ""
}

func commandFault(root *cobra.Command, words []string) string {
	if strings.ToUpper(words[0]) == words[0] {
		return "" // a placeholder for commands
	}
	for i := range words {
		words[i], _, _ = strings.Cut(words[i], "|") // one of several
	}
	cmd, rest, err := root.Find(words)
	if err != nil || cmd == root {
		return "no such command"
	}
	if cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && strings.ToLower(rest[0]) == rest[0] && strings.Trim(rest[0], "./,:") != "" {
		return cmd.CommandPath() + " has no " + rest[0]
	}
	for _, word := range rest {
		name, isFlag := strings.CutPrefix(strings.TrimRight(word, ",.;:)]"), "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && name != "" && name != "help" && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
			return cmd.CommandPath() + " has no flag --" + name
		}
	}
	return ""
}

// TestDocs_commandsSeesFaults keeps the test above from passing for want of a check.
func TestDocs_commandsSeesFaults(t *testing.T) {
	t.Parallel()
	root := newRoot()
	for line, want := range map[string]bool{
		"callgate rules list":                             false,
		"callgate rules lost":                             true,
		"callgate rules list --agint x":                   true,
		"callgate sirve":                                  true,
		"sudo callgate service install --level b":         false,
		"make test":                                       false,
		"make tost":                                       true,
		"callgate tool new --lang go x && cd x":           false,
		"cd x && callgate tool bild":                      true,
		`callgate check Bash '{"command": "rm --force"}'`: true, // write such a call in a block of text
	} {
		if got := lineFault(root, []string{"test"}, line); (got != "") != want {
			t.Errorf("%s: got %q, want a fault: %v", line, got, want)
		}
	}
}

// TestDocs_links: each link to a file of the repository leads to one, and to a heading
// of it.
func TestDocs_links(t *testing.T) {
	t.Parallel()
	all := documents(t)
	seen := 0
	for name, text := range all {
		for _, m := range docLink.FindAllStringSubmatch(docFence.ReplaceAllString(text, ""), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			seen++
			file := name
			if target != "" {
				file = filepath.Join(filepath.Dir(name), target)
			}
			if _, err := os.Stat(repo.File(file)); err != nil {
				t.Errorf("%s: a link to %s: %v", name, m[1], err)
				continue
			}
			if fragment == "" {
				continue
			}
			found := false
			for _, h := range docHead.FindAllStringSubmatch(all[file], -1) {
				found = found || anchor(h[1]) == fragment
			}
			if !found {
				t.Errorf("%s: %s has no heading for #%s", name, file, fragment)
			}
		}
	}
	if seen < 60 {
		t.Errorf("found %d links", seen)
	}
}

// documents are the texts of all Markdown files but those of tests, by their path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	root := repo.File()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "node_modules", "bin"}, d.Name())):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		all[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
