package assembly_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
)

// lattice has a bit of every rule, in every mode.
const lattice = `
rules:
  - {tool: Bash, content: "npm run:*", behavior: allow}
  - {tool: Bash, content: "git commit:*", behavior: allow}
  - {tool: Bash, content: "make test", behavior: allow}
  - {tool: Write, content: "out/**", behavior: allow}
  - {tool: Bash, content: "rm:*", behavior: deny}
  - {tool: Bash, content: "git push:*", behavior: ask}
  - {tool: Write, content: "secret/**", behavior: deny}
  - {tool: WebFetch, content: "domain:evil.example", behavior: deny}
agents:
  default: {mode: default, working_directories: [PROJECT]}
  accept_edits: {mode: accept_edits, working_directories: [PROJECT]}
  explore: {mode: explore, working_directories: [PROJECT]}
  bypass: {mode: bypass, working_directories: [PROJECT]}
  dont_ask: {mode: dont_ask, working_directories: [PROJECT]}
`

// command draws one simple command, allowed or not. There is no cd: going elsewhere does change
// the meaning of a relative path.
func command() *rapid.Generator[string] {
	program := rapid.SampledFrom([]string{
		"ls", "cat", "head -n 3", "grep -rn x", "find . -name", "git status", "git log", "git commit -m", "git push", "npm run", "npm install",
		"make", "make test", "rm", "rm -rf", "mkdir -p", "touch", "cp a", "mv a", "sed -i s/a/b/", "tee", "echo", "printf %s", "curl", "python3 -c",
		"sh -c", "xargs rm", "node", "awk", "chmod +x", "dd of=a", "ln -s a", "true", ":",
	})
	word := rapid.SampledFrom([]string{
		"", "a.txt", "build", "out/x", "secret/x", "'a b'", `"$HOME"`, "../x", "/etc/passwd", "~/.bashrc", ".env", "$(rm x)", "`ls`", "$X",
		"https://evil.example/x", "'rm -rf /'", "-delete", "--help", "{a,b}", "*.go",
	})
	redirection := rapid.SampledFrom([]string{"", "", "", "", " > out/log", " >> a.txt", " 2>&1", " < a.txt", " > /etc/x", " 2>/dev/null", " > secret/x"})
	before := rapid.SampledFrom(append([]string{"", "", "", ""}, prefixes...))
	return rapid.Custom(func(t *rapid.T) string {
		return before.Draw(t, "before") + program.Draw(t, "program") + " " + word.Draw(t, "word") + " " + word.Draw(t, "word2") + redirection.Draw(t, "redirection")
	})
}

// joints put two commands into one line; wrappers have one run by another.
var (
	joints   = []string{" && ", " || ", "; ", " | ", " & ", "\n", " |& "}
	wrappers = []string{
		"( %s )", "{ %s; }", "time %s", "! %s", "if true; then %s; fi", "echo $( %s )", "for i in 1; do %s; done", "f() { %s; }; f",
	}
	// runners are programs: the command inside has no assignments and keywords of the shell
	// before it.
	runners = []string{
		"env %s", "sudo %s", "command %s", "nohup %s", "timeout 5 %s", "exec %s", "nice -n 5 %s", "stdbuf -o0 %s", "sudo -u ann env B=1 %s",
	}
	prefixes = []string{"A=1 ", "PATH=. ", "! ", "time "}
)

// around draws commands around a line.
func around(line string) *rapid.Generator[string] {
	if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(line, p) }) {
		return rapid.SampledFrom(wrappers)
	}
	return rapid.SampledFrom(slices.Concat(wrappers, runners))
}

// TestLongerLinesAreNeverLooser: a command beside another, or around another, is allowed only
// if that other one is.
func TestLongerLinesAreNeverLooser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lattice)
	rapid.Check(t, func(r *rapid.T) {
		mode := rapid.SampledFrom(allModes).Draw(r, "mode")
		line, other := command().Draw(r, "line"), command().Draw(r, "other")
		alone := w.evaluate(mode, w.bash(line))
		if alone.Behavior == engine.Allow {
			return
		}
		joint := rapid.SampledFrom(joints).Draw(r, "joint")
		wrapped := fmt.Sprintf(around(line).Draw(r, "wrapper"), line)
		for _, longer := range []string{line + joint + other, other + joint + line, wrapped} {
			if d := w.evaluate(mode, w.bash(longer)); d.Behavior == engine.Allow {
				r.Fatalf("%s does not allow %q (%s: %s), but it allows %q (%s: %s)", mode, line, alone.Stage, alone.Reason, longer, d.Stage, d.Reason)
			}
		}
	})
}
