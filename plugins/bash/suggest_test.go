package bash_test

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

func suggested(command string) []string {
	var out []string
	for _, s := range bash.Spec.Suggest(callOf(command)) {
		out = append(out, *s.Content)
	}
	return out
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, command string
		want          []string
	}{
		{"sub-command first, then exact", "npm run build", []string{"npm run:*", "npm run build"}},
		{"one rule per command", "git add . && git commit -m x", []string{"git add:*", "git commit:*", "git add . && git commit -m x"}},
		{"read-only parts need none", "cat a | grep b && npm test", []string{"npm test:*", "cat a | grep b && npm test"}},
		{"twice the same", "npm run a && npm run b", []string{"npm run:*", "npm run a && npm run b"}},
		{"cd inside needs none", "cd web && npm ci", []string{"npm ci:*", "cd web && npm ci"}},
		{"cd outside: the line only", "cd /tmp && npm ci", []string{"cd /tmp && npm ci"}},
		{"one word", "make", []string{"make"}},
		{"a make target", "make build", []string{"make build:*", "make build"}},
		{"xargs shows what it runs", "ls | xargs rm", []string{"xargs rm:*", "ls | xargs rm"}},
		{"xargs with options", "xargs -n1 rm", []string{"xargs -n1 rm"}},
		{"a harmless variable", "NODE_ENV=x npm test", []string{"npm test:*", "NODE_ENV=x npm test"}},
		{"an unknown variable: the line only", "SECRET=1 npm test", []string{"SECRET=1 npm test"}},
		{"stars are escaped", "rm *.log", []string{`rm \*.log`}},
		{"backslashes are escaped", `grep 'a\b' x > y`, []string{`grep 'a\\b' x > y`}},
		{"a redirection: the line only", "npm test > out.txt", []string{"npm test > out.txt"}},
		{"an option is no sub-command", "npm -g install x", []string{"npm -g install x"}},
		{"a script of the project", "./run.sh --fast", []string{"./run.sh --fast"}},
		{"read-only: none", "git status", nil},
		{"substitution: none", "echo $(make all)", nil},
		{"opaque: none", "eval make", nil},
		{"immune: none", "rm -rf /", nil},
		{"nothing: none", "  ", nil},
		{"more than five commands: the line only", "a b; c d; e f; g h; i j", []string{"a b; c d; e f; g h; i j"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := suggested(c.command); !slices.Equal(got, c.want) {
				t.Errorf("%q: got %q, want %q", c.command, got, c.want)
			}
		})
	}
}

// TestNeverBroaderThanItLooks: these are only ever offered as their exact text.
func TestNeverBroaderThanItLooks(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"bash -c 'make test'", "sh deploy.sh", "python -m pytest", "python3 -c 'print(1)'", "node -e 1", "env -i make all", "env make all", "nice make all", "timeout 5 make all", "nohup make all", "command make all",
		"rm -rf build", "rm -f a", "find . -delete", "git -C sub push", "git -c a.b=c push", "xargs sh -c ls", "xargs env ls", "npx -y x", "npx --yes x", "uv run python x.py", "npm exec -- rm x", "docker --context x rm y",
		"flock l make", "watch make", "curl https://x.example", "perl x.pl", "kill 5", "ssh host ls", "tar xzf a.tgz",
	} {
		for _, content := range suggested(command) {
			if content != command {
				t.Errorf("%q: suggests %q", command, content)
			}
		}
	}
}

func TestSuggestionsCoverTheCall(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"rules.txt", "safety.txt", "edits.txt", "readonly.txt"} {
		for _, c := range readCases(t, file) {
			contents := suggested(c.command)
			if len(contents) > 0 && !matches(c.command, tool.Allow, contents...) {
				t.Errorf("%s:%d: %q: suggestions %q do not cover it", file, c.line, c.command, contents)
			}
			if len(contents) > 0 && bash.Spec.Check(callOf(c.command)).BypassImmune {
				t.Errorf("%s:%d: %q: suggestions for an immune ask", file, c.line, c.command)
			}
		}
	}
}
