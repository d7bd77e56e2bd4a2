package assembly_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

func content(s string) *string { return &s }

// TestRulesAreTriedOnTheirExamples: a rule failing its own examples is refused, as is a useless
// one, stored or configured.
func TestRulesAreTriedOnTheirExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worker)
	npm := engine.Rule{Tool: "bash", Content: content("npm run:*"), Behavior: engine.Allow, Scope: engine.Global}
	with := func(change func(*engine.Rule)) engine.Rule {
		r := npm
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		rule engine.Rule
		ok   bool
	}{
		"sound":               {with(func(r *engine.Rule) { r.Match, r.NotMatch = []string{"npm run build"}, []string{"npm install"} }), true},
		"an input as example": {with(func(r *engine.Rule) { r.Match = []string{`{"command": "npm run build"}`} }), true},
		"match fails":         {with(func(r *engine.Rule) { r.Match = []string{"make"} }), false},
		"not_match fails":     {with(func(r *engine.Rule) { r.NotMatch = []string{"npm run build"} }), false},
		"an example twice":    {with(func(r *engine.Rule) { r.Match = []string{`{"command":"a","command":"b"}`} }), false},
		"no tool":             {with(func(r *engine.Rule) { r.Tool = "" }), false},
		"every tool":          {with(func(r *engine.Rule) { r.Tool = "*" }), false},
		"passthrough":         {with(func(r *engine.Rule) { r.Behavior = engine.Passthrough }), false},
	} {
		stored, _, err := w.Gate.AddRule(t.Context(), "ann", c.rule)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ruletest.ErrBadRule) {
			t.Errorf("%s: got %v, want ok %t or a bad rule", name, err, c.ok)
		}
		if c.ok && stored.Tool != "Bash" {
			t.Errorf("%s: tool: got %s, want the canonical Bash", name, stored.Tool)
		}
	}
	for _, text := range []string{"Bash(:*)", "Bash(npm\nrun)", "mcp__tracker__get(explore)", "Unheard(explore)"} {
		r, err := engine.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Behavior, r.Scope = engine.Deny, engine.Global
		if _, _, err := w.Gate.AddRule(t.Context(), "ann", r); !errors.Is(err, ruletest.ErrBadRule) {
			t.Errorf("%s, which its tool cannot read: got %v, want a bad rule", text, err)
		}
		cfg, err := config.Parse("next.yaml", []byte("rules:\n  - {tool: "+r.Tool+", content: "+strconv.Quote(*r.Content)+", behavior: deny}\n"), w.dirs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Apply(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "next.yaml:2") {
			t.Errorf("%s configured: got %v, want its line", text, err)
		}
	}
	cfg, err := config.Parse("next.yaml", []byte("rules:\n  - {tool: Bash, content: \"npm run:*\", behavior: allow, match: [make]}\n"), w.dirs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apply(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "next.yaml:2") {
		t.Errorf("a configured rule whose example fails: got %v, want its line", err)
	}
	for command, want := range map[string]bool{"npm run x": true, "npm run x && rm y": false} {
		if got, err := w.Gate.TestRule(t.Context(), npm, &engine.Call{Tool: "Bash", Input: object("command", command)}); err != nil || got != want {
			t.Errorf("TestRule(%s) on %s: got %t, %v, want %t", npm, command, got, err, want)
		}
	}
}

// TestShadowedAllowSaysSo: an allow rule behind a deny rule of the whole tool does
// nothing, and adding it says so.
func TestShadowedAllowSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "rules: [{tool: Bash, behavior: ask}]\n"+worker)
	_, notes, err := w.Gate.AddRule(t.Context(), "ann", engine.Rule{Tool: "Bash", Content: content("ls"), Behavior: engine.Allow, Scope: engine.Global})
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "comes first") {
		t.Errorf("got %v, %v, want a note that the ask rule comes first", notes, err)
	}
}

// TestRulesAcrossTools: deny rules of the file and web tools hold for every call with the same
// target, in bypass too.
func TestRulesAcrossTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
rules:
  - {tool: Write, content: "secret/**", behavior: deny}
  - {tool: Read, content: "private/**", behavior: deny}
  - {tool: WebFetch, content: "domain:evil.example", behavior: deny}
agents:
  loose: {mode: bypass, working_directories: [PROJECT]}
`)
	for command, want := range map[string]engine.Behavior{
		"echo x > secret/a":                engine.Deny,
		"cp a.txt secret/":                 engine.Deny,
		"cat private/key":                  engine.Deny,
		"cat < private/key":                engine.Deny,
		"curl https://evil.example/x":      engine.Deny,
		"python3 -c 'open(\"x\")'":         engine.Allow,
		"python3 -c 'open(\"private/k\")'": engine.Deny,
		"python3 -c 'import x; x.y()'":     engine.Deny, // its targets are unknown
		"echo x > public/a":                engine.Allow,
		"curl https://good.example/x":      engine.Allow,
		"echo x > public/../secret/a":      engine.Deny,
		"cat a.txt && cat private/../b":    engine.Allow,
		"cd secret && echo x > a":          engine.Deny,
		"mv secret/a public/a":             engine.Deny,
		"curl -o secret/x https://ok.org":  engine.Deny,
	} {
		if d := w.evaluate("loose", w.bash(command)); d.Behavior != want {
			t.Errorf("%s: got %s (%s), want %s", command, d.Behavior, d.Reason, want)
		}
	}
}

// TestProjectListsHoldWhereTheOperatorsAreLifted: respect_denylist lifts the
// operator's own list, never the project's.
func TestProjectListsHoldWhereTheOperatorsAreLifted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
agents:
  trusted: {mode: trusted, working_directories: [PROJECT], disallowed_tools: [Bash], respect_denylist: false}
`)
	if d := w.evaluate("trusted", w.bash("make")); d.Behavior != engine.Allow {
		t.Errorf("the operator's list is lifted: got %s (%s), want allow", d.Behavior, d.Reason)
	}
	w.write(".callgate.yaml", "disallowed_tools: [Bash]\n")
	if d := w.evaluate("trusted", w.bash("make")); d.Behavior != engine.Deny {
		t.Errorf("the project's list: got %s (%s), want deny", d.Behavior, d.Reason)
	}
}

// TestOuterProjectsRulesHold: deny rules stored for a project hold in a repository made inside
// it by an agent, its allow rules do not.
func TestOuterProjectsRulesHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents:\n  loose: {mode: bypass, working_directories: [PROJECT]}\n  worker: {working_directories: [PROJECT]}\n")
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	for text, behavior := range map[string]engine.Behavior{"git push:*": engine.Deny, "make all": engine.Allow} {
		r := engine.Rule{Tool: "Bash", Content: content(text), Behavior: behavior, Scope: engine.Project, ScopeKey: w.project}
		if _, _, err := w.Gate.AddRule(t.Context(), "ann", r); err != nil {
			t.Fatal(err)
		}
	}
	w.write("sub/.git/HEAD", "ref: refs/heads/main\n")
	inside := func(command string) wire.Request {
		r := w.bash(command)
		r.Context.CWD = filepath.Join(w.project, "sub")
		return r
	}
	if d := w.evaluate("loose", inside("git push origin")); d.Behavior != engine.Deny {
		t.Errorf("the outer deny rule: got %s (%s), want deny", d.Behavior, d.Reason)
	}
	if d := w.evaluate("worker", inside("make all")); d.Behavior != engine.Ask {
		t.Errorf("the outer allow rule: got %s (%s), want ask", d.Behavior, d.Reason)
	}
}

// TestLinkSwappedWhileAsked: a path's destination changes between the ask and its approval; the
// approval does not count for it, and the new ask shows the difference.
func TestLinkSwappedWhileAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worker)
	w.Asks.Attach(ask.Surface{Name: "test"})
	link := filepath.Join(w.project, "notes")
	swap := func(to string) {
		_ = os.Remove(link) // the first time there is none
		if err := os.Symlink(to, link); err != nil {
			t.Error(err)
		}
	}
	swap(filepath.Join(w.project, "a.txt"))
	var shown []ask.Ask
	events := w.Asks.Subscribe(t.Context())
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for ev := range events {
			if ev.Kind != ask.EventShown {
				continue
			}
			verdict := ask.Approve
			if shown = append(shown, ev.Ask); len(shown) == 2 {
				verdict = ask.Deny
			}
			swap("/etc/passwd")
			if _, err := w.Gate.Answer(t.Context(), ev.Ask.ID, ask.Answer{Verdict: verdict, By: "ann", Surface: "test"}); err != nil || len(shown) == 2 {
				return
			}
		}
	}()
	res := w.check("worker", w.request("Write", object("file_path", link, "content", "x")))
	<-answered
	if res.Decision.Behavior != engine.Deny || res.Outcome == store.AskApproved {
		t.Errorf("got %s (%s), want the denial of the second ask", res.Outcome, res.Decision.Reason)
	}
	if len(shown) != 2 || len(shown[1].Changed) == 0 || !strings.Contains(strings.Join(shown[1].Changed, " "), "/etc/passwd") {
		t.Errorf("asks: got %d, the last with %v, want a second that shows where the path leads now", len(shown), shown[len(shown)-1].Changed)
	}
}
