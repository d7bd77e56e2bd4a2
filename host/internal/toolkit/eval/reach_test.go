package eval_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDeniedReadHolds: a denied Read holds for every tool reading the file, also through a
// search from above and a shell's wildcard. Possible access asks, and listing names alone is
// free. In accept_edits, where reading is otherwise allowed.
func TestDeniedReadHolds(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	for _, c := range []struct {
		rule, want string
		commands   []string
		searches   []string
	}{
		{"secrets/**", "deny", []string{
			"grep -r x .", "grep -rn x", "grep -R x /my", "grep -r x /", "grep -r x /my/project/", "rg x", "rg x secrets", "git grep x", "cat secrets/*", "cat sec*/key", "cat s?crets/a", "cat */key", "cat {secrets,src}/a", "cat SECRETS/a",
			"cat src/../secrets/a", "cat < secrets/a", "cd secrets && cat a", "head -3 ./secrets/a", "find . -type f -exec cat {} +", "find . -exec grep x {} \\;", "tar czf a.tgz .", "zip -r a.zip .",
			"cp -r . /my/project/x", "rsync -a . h:", "scp -r . h:", "diff -r . ../x", "grep -rn x --include=*.go .", "ls secrets",
		}, []string{`Grep {"pattern":"x"}`, `Grep {"pattern":"x","path":"/"}`, `Grep {"pattern":"x","path":"secrets"}`, `Glob {"pattern":"secrets/*"}`, `Glob {"pattern":"*","path":"secrets"}`, `LS {"path":"secrets"}`, `Read {"file_path":"secrets/a"}`}},
		{"secrets/**", "allow", []string{"grep -r x src", "rg x src", "ls", "ls -R", "find . -name x", "cat src/*", "cat *.go"}, []string{`Grep {"pattern":"x","path":"src"}`, `Glob {"pattern":"**/*.go"}`}},
		{"**/.env", "deny", []string{"cat .env", "cat src/.env", "grep x .env", "grep -r --include=.env x ."}, []string{`Grep {"pattern":"x","glob":".env"}`}},
		{"**/.env", "ask", []string{"grep -r x .", "grep -r x src", "rg --hidden x", "cat .e*"}, []string{`Grep {"pattern":"x"}`}},
		{"**/.env", "allow", []string{"rg x", "rg x src", "grep -r --include='*.go' x .", "cat *", "cat src/*"}, []string{`Grep {"pattern":"x","glob":"*.go"}`, `Glob {"pattern":"**/*.go"}`}},
		{"*.pem", "ask", []string{"grep -r x .", "rg x", "cat *"}, []string{`Grep {"pattern":"x"}`}},
		{"*.pem", "allow", []string{"grep -r --include='*.go' x .", "rg -g '*.go' x", "cat *.go"}, []string{`Grep {"pattern":"x","glob":"*.go"}`}},
	} {
		var lines []string
		ask := func(tool, input string) {
			rule, err := json.Marshal([]any{map[string]any{"tool": "Read", "content": c.rule, "behavior": "deny"}})
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, `{"op":"decide","mode":"accept_edits","rules":`+string(rule)+`,"tool":"`+tool+`","input":`+input+`,"context":{"cwd":"/my/project","home":"/home/dev","working_directories":["/my/project"]}}`)
		}
		for _, command := range c.commands {
			input, err := json.Marshal(map[string]string{"command": command})
			if err != nil {
				t.Fatal(err)
			}
			ask("Bash", string(input))
		}
		for _, search := range c.searches {
			tool, input, _ := strings.Cut(search, " ")
			ask(tool, input)
		}
		for i, got := range answers(t, e, strings.NewReader(strings.Join(lines, "\n")+"\n")) {
			if got["behavior"] != c.want {
				t.Errorf("%s: got %v (%v), want %s", lines[i], got["behavior"], got["reason"], c.want)
			}
		}
	}
}
