package languages

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/scripttest"
	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
)

// TestGuides follows docs/write-a-tool.md in each language, from an empty folder: every block
// of commands runs and prints the text shown in the guide, the code shown is in the project,
// and its changes apply. A line "> Your language's page: **SECTION**" of the guide stands for
// that section of docs/write-a-tool-LANGUAGE.md.
//
// The blocks are, by the word after their three backquotes:
//
//	sh         commands; "sh exit=N" ends with that exit code; one that is
//	           "callgate serve" alone goes on running until the end, or until
//	           a block that says "# Stop callgate serve"
//	text       lines printed by the commands before, in their order; ... is any text
//	diff       a change of the file named in its first line, "--- FILE"
//	any other  a stretch of one of the project's files
func TestGuides(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("what the pages run are other processes, in which modules compile slowly under the race detector; make test runs them")
	}
	compiledtest.Modules(t)
	pages := map[string]string{}
	for _, l := range scaffold.Languages() {
		skip := ""
		if err := scaffold.Ready(t.Context(), l.Name); err != nil {
			line := strings.Join(strings.Fields(err.Error()), " ")
			skip = fmt.Sprintf("skip '%s'\n", strings.ReplaceAll(line, "'", ""))
		}
		pages[l.Name] = skip + guideScript(t, l.Title, guidePage(t, l))
	}
	runGuides(t, pages)
}

// TestTutorials runs every block of commands of the pages about a task, as TestGuides does.
func TestTutorials(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("what the pages run are other processes, in which modules compile slowly under the race detector; make test runs them")
	}
	compiledtest.Modules(t)
	pages := map[string]string{}
	for _, name := range []string{"first-ten-minutes", "upgrade", "backup", "monitoring"} {
		page, err := os.ReadFile(repo.File("docs", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = guideScript(t, name, string(page))
	}
	runGuides(t, pages)
}

// runGuides runs scripts by name, each from an empty folder.
func runGuides(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	p := scripttest.Params(filepath.Dir(compiledtest.Cache()))
	for name, text := range scripts {
		script := filepath.Join(dir, name+".txtar")
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Files = append(p.Files, script)
	}
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		for name, value := range compilerHomes() {
			env.Setenv(name, value)
		}
		if err := os.WriteFile(filepath.Join(env.WorkDir, "at"), []byte(filepath.Join(env.WorkDir, "work")), 0o600); err != nil {
			return err
		}
		return errors.Join(os.Mkdir(filepath.Join(env.WorkDir, "work"), 0o700), setup(env))
	}
	p.Cmds["step"], p.Cmds["says"], p.Cmds["change"], p.Cmds["found"] = guideStep, guideSays, guideChange, guideFound
	testscript.Run(t, p)
}

// compilerHomes are the compilers' own directories, invisible to a script with a home of its
// own; none uses the network.
func compilerHomes() map[string]string {
	homes := map[string]string{"GOPROXY": "off", "GOTOOLCHAIN": "local", "npm_config_offline": "true", "npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false"}
	home, err := os.UserHomeDir()
	if err != nil {
		return homes
	}
	for name, dir := range map[string]string{"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo", "npm_config_cache": ".npm"} {
		homes[name] = filepath.Join(home, dir)
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if dirs := strings.Fields(string(out)); err == nil && len(dirs) == 2 {
		homes["GOCACHE"], homes["GOMODCACHE"] = dirs[0], dirs[1]
	}
	return homes
}

var (
	guideBlock = regexp.MustCompile("(?ms)^```(\\w+)([^\n]*)\n(.*?)^```$")
	guideExit  = regexp.MustCompile(`^ exit=(\d)$`)
)

// guidePerson finds the commands in need of a person, and guideTyped is that person's input:
// the PIN twice when it is chosen, else yes and the PIN.
var guidePerson = regexp.MustCompile(`(?m)^callgate (?:tool |/)?(pin|add|allow|deny|rollback) `)

const guideTyped = "-- pin --\n4711 0815\n4711 0815\n-- allow --\n4711 0815\n-- deny --\n4711 0815\n-- add --\ny\n4711 0815\n-- rollback --\ny\n4711 0815\n"

var (
	guideSection = regexp.MustCompile(`(?m)^> Your language's page: \*\*(.+)\*\*$`)
	pageSection  = regexp.MustCompile(`(?m)^## (.+)$`)
)

// guidePage is the guide with the sections of a language's page in their places.
func guidePage(t *testing.T, l scaffold.Language) string {
	t.Helper()
	guide, err := os.ReadFile(repo.File("docs/write-a-tool.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(repo.File("docs/write-a-tool-") + l.Name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	heads := pageSection.FindAllStringSubmatchIndex(string(page), -1)
	for i, h := range heads {
		end := len(page)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		sections[string(page[h[2]:h[3]])] = string(page[h[1]:end])
	}
	text := guideSection.ReplaceAllStringFunc(string(guide), func(line string) string {
		name := guideSection.FindStringSubmatch(line)[1]
		section, found := sections[name]
		if !found {
			t.Errorf("docs/write-a-tool-%s.md has no section %q", l.Name, name)
		}
		delete(sections, name)
		return section
	})
	for name := range sections {
		t.Errorf("docs/write-a-tool-%s.md: the guide does not use its section %q", l.Name, name)
	}
	return strings.ReplaceAll(text, "--lang LANGUAGE", "--lang "+l.Name)
}

// guideScript is the page as a script.
func guideScript(t *testing.T, title, page string) string {
	t.Helper()
	if strings.Count(page, "\n```") != 2*len(guideBlock.FindAllString(page, -1)) {
		t.Errorf("the page for %s has a block without a word after its backquotes, or one that does not end", title)
	}
	var script, files strings.Builder
	served := false
	for i, block := range guideBlock.FindAllStringSubmatch(page, -1) {
		kind, rest, text := block[1], block[2], block[3]
		code := "0"
		if m := guideExit.FindStringSubmatch(rest); m != nil {
			code = m[1]
		} else if rest != "" {
			t.Errorf("the page for %s: a block of %s: got %q after it", title, kind, rest)
		}
		file := fmt.Sprintf("block%d", i)
		fmt.Fprintf(&files, "-- %s --\n%s", file, text)
		switch {
		case kind == "sh" && strings.TrimSpace(text) == "callgate serve":
			script.WriteString("serve\n")
			served = true
		case kind == "sh" && strings.HasPrefix(text, "# Stop callgate serve"):
			script.WriteString("halt\n")
			served = false
		case kind == "sh":
			if m := guidePerson.FindStringSubmatch(text); m != nil {
				fmt.Fprintf(&script, "ttyin %s\n", m[1])
			}
			fmt.Fprintf(&script, "step %s %s\n", code, file)
		case kind == "text":
			fmt.Fprintf(&script, "says %s\n", file)
		case kind == "diff":
			fmt.Fprintf(&script, "change %s\n", file)
		default:
			fmt.Fprintf(&script, "found %s\n", file)
		}
	}
	if served {
		script.WriteString("halt\n")
	}
	files.WriteString(guideTyped)
	return script.String() + files.String()
}

// guideStep runs one block of commands where the last one ended, and puts its output into the
// file said.
func guideStep(ts *testscript.TestScript, _ bool, args []string) {
	ts.Logf("%s", ts.ReadFile(args[1]))
	const run = `cd "$(cat "$WORK/at")"; trap 'pwd >"$WORK/at"' EXIT; set -e; . "$0" 2>&1`
	err := ts.Exec("sh", "-c", run, ts.MkAbs(args[1]))
	said := ts.ReadFile("stdout")
	ts.Check(os.WriteFile(ts.MkAbs("said"), []byte(said), 0o600))
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		ts.Fatalf("%v", err)
	}
	got := 0
	if failed != nil {
		got = failed.ExitCode()
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit code: got %d, want %s", got, args[0])
	}
}

// guideSays requires the lines of a block in the output, in their order.
func guideSays(ts *testscript.TestScript, _ bool, args []string) {
	said := strings.Split(ts.ReadFile("said"), "\n")
	for want := range strings.Lines(ts.ReadFile(args[0])) {
		want = strings.TrimSpace(want)
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), `\.\.\.`, ".*") + "$")
		for len(said) > 0 && !pattern.MatchString(strings.TrimSpace(said[0])) {
			said = said[1:]
		}
		if len(said) == 0 {
			ts.Fatalf("the page says that it prints, and it does not, or not in this order: %s", want)
		}
		said = said[1:]
	}
}

// guideChange makes the change of a block: its lines without a plus stand in the file,
// once, and those without a minus take their place.
func guideChange(ts *testscript.TestScript, _ bool, args []string) {
	head, body, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	path := filepath.Join(guideAt(ts), strings.TrimPrefix(head, "--- "))
	var before, after strings.Builder
	for line := range strings.Lines(body) {
		if line[0] != '+' {
			before.WriteString(line[1:])
		}
		if line[0] != '-' {
			after.WriteString(line[1:])
		}
	}
	text, err := os.ReadFile(path)
	ts.Check(err)
	if strings.Count(string(text), before.String()) != 1 {
		ts.Fatalf("%s: does not hold once what the page changes:\n%s", path, before.String())
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(text), before.String(), after.String(), 1)), 0o600))
}

// guideFound wants a block as it is in one of the project's files.
func guideFound(ts *testscript.TestScript, _ bool, args []string) {
	block := ts.ReadFile(args[0])
	found := false
	ts.Check(filepath.WalkDir(guideAt(ts), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found = found || strings.Contains(string(text), block)
		return err
	}))
	if !found {
		ts.Fatalf("no file of the project holds what the page shows:\n%s", block)
	}
}

// guideAt is the directory where the last block of commands ended.
func guideAt(ts *testscript.TestScript) string { return strings.TrimSpace(ts.ReadFile("at")) }
