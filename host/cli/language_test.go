package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// phrasings are not used in messages: CONTRIBUTING.md has the words to use instead.
var phrasings = map[string]string{
	`\bmend`:                              "fix",
	`\bcures?\b`:                          "fix",
	`\bjudg(e|es|ed|ing)\b`:               "check",
	`\bwhoever\b|\bwhatever may\b`:        "anyone who, or name the actor",
	`\bnobody\b|\bsomebody\b`:             "no one, or name the actor",
	`\b(is|are) (told|given) (to|of)\b`:   "name the actor",
	`\bcould not be told\b`:               "cannot check",
	`\bhow (it|they|the \w+) stands?\b`:   "status",
	`\bno (longer|more) holds?\b`:         "no longer applies",
	`\bproved itself\b|\bprove that it\b`: "authenticated",
	`\bstart it with:`:                    "Start it:",
}

// TestPhrasings reads the string literals of the rooms with plain English.
func TestPhrasings(t *testing.T) {
	t.Parallel()
	for _, room := range []string{
		"host/cli", "host/internal/machine", "host/internal/client", "host/internal/api", "host/internal/discord/setup",
		"host/internal/approval/pin", "host/internal/approval/terminal", "host/internal/modules", "host/internal/hook", "host/internal/daemon",
	} {
		err := filepath.WalkDir(repo.File(room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/sandbox/") {
				return err
			}
			return messages(path, func(at token.Position, text string) {
				for pattern, better := range phrasings {
					if found := regexp.MustCompile(`(?i)` + pattern).FindString(text); found != "" {
						t.Errorf("%s: %q in %q: write %q", at, found, text, better)
					}
				}
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// messages calls f with every string of more than one word in a Go file.
func messages(path string, f func(at token.Position, text string)) error {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, _ := strconv.Unquote(l.Value) // the parser took it
			if strings.Contains(strings.TrimSpace(text), " ") {
				f(files.Position(l.Pos()), text)
			}
		}
		return true
	})
	return nil
}

// TestHints: an error of these kinds names the helpful command or value.
func TestHints(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"no daemon":       {"asks", "list"},
		"unknown command": {"nonsense"},
		"unknown flag":    {"check", "--nope"},
		"too many words":  {"check", "Bash", "{}", "more"},
		"missing word":    {"rules", "add"},
		"missing input":   {"check", "Bash", "[]", "--dry-run"},
		"unknown kind":    {"tokens", "create", "--kind", "robot", "--name", "x"},
		"unknown recipe":  {"recipes", "show", "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			root := newRoot()
			root.SetOut(io.Discard)
			root.SetErr(io.Discard)
			root.SetArgs(append(args, "--endpoint", "unix:"+filepath.Join(dir, "none.sock"), "--token-file", filepath.Join(dir, "none.token")))
			err := root.Execute()
			if err == nil || !regexp.MustCompile(`callgate |--help|want |Start it:`).MatchString(err.Error()) {
				t.Errorf("callgate %s: got %v, want an error with a hint", strings.Join(args, " "), err)
			}
		})
	}
}
