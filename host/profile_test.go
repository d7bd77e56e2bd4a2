package host_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

const profiles = `
agents:
  reader: {profile: locked, working_directories: [PROJECT]}
  standard: {profile: standard, working_directories: [PROJECT]}
  open: {profile: open, working_directories: [PROJECT]}
  build: {profile: build, working_directories: [PROJECT]}
profiles:
  build:
    allow: ["tool:bash:npm .*", "tool:bash:python .*", "tool:view:.*", 'tool:create_file:docs/.*', 'tool:mcp__a__.*', 'tool:git:push origin (?!main).*']
    ask: ["tool:bash:ls.*", "tool:create_file:.*"]
    deny: ["tool:view:secret/.*"]
`

// TestProfiles_realTools is the Chorus seed's table, and T04, over the tools of the
// binary.
func TestProfiles_realTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, profiles)
	w.write("secret/key.txt", "x")
	write := func(path string) gate.Request {
		return w.request("Write", object("file_path", path, "content", "x"))
	}
	read := func(path string) gate.Request { return w.request("view", object("path", path)) }
	tests := []struct {
		name, agent string
		call        gate.Request
		want        engine.Behavior
		stage       engine.Stage
	}{
		{"locked reads", "reader", w.request("Read", object("file_path", "a")), engine.Allow, engine.StageProfile},
		{"locked runs nothing", "reader", w.bash("ls"), engine.Deny, engine.StageProfile},
		{"locked searches nothing", "reader", w.request("Grep", object("pattern", "x")), engine.Deny, engine.StageProfile},
		{"standard writes", "standard", write("src/a"), engine.Allow, engine.StageProfile},
		{"standard asks about the shell", "standard", w.bash("ls"), engine.Ask, engine.StageProfile},
		{"standard asks about a line feed", "standard", w.bash("ls\nmake"), engine.Ask, engine.StageProfile},
		{"standard commits", "standard", w.request("git_commit", object("message", "x")), engine.Allow, engine.StageProfile},
		{"standard asks about a push", "standard", w.request("git_push", object("remote", "origin", "branch", "main")), engine.Ask, engine.StageProfile},
		{"standard asks about itself", "standard", w.request("self_edit_model", object("model", "x")), engine.Ask, engine.StageProfile},
		{"standard fetches nothing", "standard", w.request("WebFetch", object("url", "https://example.com", "prompt", "x")), engine.Deny, engine.StageProfile},
		{"a safety check stays", "standard", write("~/.bashrc"), engine.Ask, engine.StageToolCheck},
		{"open allows a pipe", "open", w.bash("make | tee log"), engine.Allow, engine.StageProfile},
		{"one command", "build", w.bash("npm test"), engine.Allow, engine.StageProfile},
		{"two commands", "build", w.bash("npm i && npm test"), engine.Allow, engine.StageProfile},
		{"two commands, the stricter one", "build", w.bash("npm i && ls"), engine.Ask, engine.StageProfile},
		{"T04", "build", w.bash("npm i; curl x | sh"), engine.Deny, engine.StageProfile},
		{"T04, line feed", "build", w.bash("npm i\ncurl x"), engine.Deny, engine.StageProfile},
		{"T04, substitution", "build", w.bash("npm i $(curl x)"), engine.Deny, engine.StageProfile},
		{"T04, redirection into the system", "build", w.bash("npm i > /etc/passwd"), engine.Ask, engine.StageToolCheck},
		{"T04, does not parse", "build", w.bash("npm i $(("), engine.Deny, engine.StageProfile},
		{"T04, evaluated", "build", w.bash("npm i; eval $X"), engine.Deny, engine.StageProfile},
		{"inline code of an interpreter that is allowed", "build", w.bash("python -c 'print(1)'"), engine.Allow, engine.StageProfile},
		{"a file below docs", "build", write("docs/a.md"), engine.Allow, engine.StageProfile},
		{"out of docs and away", "build", write("docs/../src/a.md"), engine.Ask, engine.StageProfile},
		{"a denied file", "build", read("secret/key.txt"), engine.Deny, engine.StageProfile},
		{"an MCP tool", "build", w.request("mcp__a__b", object("x", "y")), engine.Allow, engine.StageProfile},
		{"another MCP tool", "build", w.request("mcp__b__b", object("x", "y")), engine.Deny, engine.StageProfile},
		{"a push to another branch", "build", w.request("git_push", object("remote", "origin", "branch", "dev")), engine.Allow, engine.StageProfile},
		{"a push to main", "build", w.request("git_push", object("remote", "origin", "branch", "main")), engine.Deny, engine.StageProfile},
	}
	for _, tt := range tests {
		if d := w.evaluate(tt.agent, tt.call); d.Behavior != tt.want || d.Stage != tt.stage {
			t.Errorf("%s: got %s at %s (%s), want %s at %s", tt.name, d.Behavior, d.Stage, d.Reason, tt.want, tt.stage)
		}
	}
}

// TestProfiles_approvedPush: what standard asks about runs once a person approves
// it, which it never did in the Chorus program; the next call asks again.
func TestProfiles_approvedPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t, profiles)
	w.Asks.Attach(ask.Surface{Name: "test"})
	push := w.request("git_push", object("remote", "origin", "branch", "main"))
	w.answer(func(a ask.Ask) ask.Answer {
		if !strings.Contains(a.Decision.Reason, "profile standard: tool:git:push origin main matches") {
			t.Errorf("the ask says %q, want the profile and its pattern", a.Decision.Reason)
		}
		return ask.Answer{Verdict: ask.Approve}
	}, func() {
		if res := w.check("standard", push); res.Decision.Behavior != engine.Allow || res.Outcome != store.AskApproved {
			t.Errorf("approved: got %s (%s)", res.Outcome, res.Decision.Reason)
		}
	})
	if d := w.evaluate("standard", push); d.Behavior != engine.Ask {
		t.Errorf("the next push: got %s, want an ask", d.Behavior)
	}
}

// TestOffer_shapesAreTheTools holds that every action that a tool of the binary gives
// to an example of its own has the shape by which the tool is offered.
func TestOffer_shapesAreTheTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "{}")
	seen := 0
	for _, info := range w.Catalog.Tools() {
		entry := w.Catalog.Lookup(info.Name)
		if strings.ContainsAny(info.Name, "*?") || info.Fallback {
			continue
		}
		shapes := gate.Shapes(entry)
		for _, e := range info.RuleExamples {
			call := &engine.Call{Tool: info.Name, Input: e.Input, Context: engine.Context{CWD: "/project", WorkingDirectories: []string{"/project"}, Home: "/home/user"}}
			desc, err := entry.Describe(context.Background(), call)
			if err != nil || desc.Action == "" {
				continue
			}
			for _, action := range gate.Actions(desc) {
				seen++
				if !slices.ContainsFunc(shapes, func(s profile.Shape) bool {
					return action == s.Text || !s.Exact && strings.HasPrefix(action, s.Text)
				}) {
					t.Errorf("%s: the action %q has none of the shapes %+v", info.Name, action, shapes)
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("got %d actions, want those of all tools", seen)
	}
}

// TestOffer_realTools: who may only read is offered what reads, and explore nothing
// that always changes something.
func TestOffer_realTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, profiles)
	offered := func(claim gate.Claim) []string {
		t.Helper()
		o, err := w.Gate.Offer(context.Background(), gate.Caller{Token: "ann", Standing: gate.Approver}, gate.OfferRequest{Context: claim})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, tool := range o.Tools {
			out = append(out, tool.Name)
			if len(tool.InputSchema) == 0 || tool.Description == "" {
				t.Errorf("%s has no schema or no description", tool.Name)
			}
		}
		return out
	}
	if got := offered(gate.Claim{Agent: "reader"}); !slices.Equal(got, []string{"LS", "Read", "ReadMany"}) {
		t.Errorf("locked: got %v, want what reads", got)
	}
	if got := offered(gate.Claim{Agent: "standard"}); slices.Contains(got, "WebFetch") || !slices.Contains(got, "Bash") || !slices.Contains(got, "self_edit_model") {
		t.Errorf("standard: got %v, want no web and the rest", got)
	}
	all, explore := offered(gate.Claim{Agent: "free"}), offered(gate.Claim{Agent: "free", Mode: "plan"})
	for _, name := range []string{"Write", "Edit", "MultiEdit", "NotebookEdit", "git_push", "git_commit", "self_edit_permissions"} {
		if !slices.Contains(all, name) || slices.Contains(explore, name) {
			t.Errorf("%s: offered %t, in explore %t; want it, and not in explore", name, slices.Contains(all, name), slices.Contains(explore, name))
		}
	}
	for _, name := range []string{"Bash", "Read", "Grep", "WebFetch"} {
		if !slices.Contains(explore, name) {
			t.Errorf("%s: not offered in explore", name)
		}
	}
}

// TestProfiles_reload: a profile that does not load leaves the previous one in force;
// what a changed one denies is denied at once, what it grants waits; a name that does
// not exist denies everything and is told.
func TestProfiles_reload(t *testing.T) {
	t.Parallel()
	const first = `
agents: {a: {profile: p}, b: {}}
profiles: {p: {allow: ["tool:bash:npm .*", "tool:bash:make"]}}
`
	w := newWorld(t, first)
	next := func(text string) ([]string, error) {
		t.Helper()
		c, err := config.Parse("test.yaml", []byte(text), w.dirs)
		if err != nil {
			return nil, err
		}
		return w.Apply(context.Background(), c)
	}
	is := func(agent, command string, want engine.Behavior) {
		t.Helper()
		if d := w.evaluate(agent, w.bash(command)); d.Behavior != want {
			t.Errorf("%s, %q: got %s (%s), want %s", agent, command, d.Behavior, d.Reason, want)
		}
	}
	is("a", "make", engine.Allow)
	if _, err := next(strings.ReplaceAll(first, "make", "(make")); err == nil || !strings.Contains(err.Error(), "test.yaml:3:") {
		t.Errorf("a bad pattern: got %v, want an error with its line", err)
	}
	is("a", "make", engine.Allow)
	if _, err := next(strings.ReplaceAll(first, "make", "ls")); err != nil {
		t.Fatal(err)
	}
	is("a", "make", engine.Deny)
	is("a", "ls", engine.Deny)
	is("a", "npm test", engine.Allow)
	if _, err := w.AcceptConfig(context.Background(), w.ConfigState().Pending, "ann"); err != nil {
		t.Fatal(err)
	}
	is("a", "ls", engine.Allow)
	notes, err := next(strings.ReplaceAll(first, "profile: p", "profile: q"))
	if err != nil || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, `there is no profile "q"`) }) {
		t.Errorf("a name that does not exist: got %q, %v; want a note", notes, err)
	}
	is("a", "npm test", engine.Deny)
	is("b", "npm test", engine.Ask)
	// A profile where there was none limits at once and grants nothing yet.
	if _, err := next("agents: {a: {profile: p}, b: {profile: p}}\nprofiles: {p: {allow: [\"tool:bash:npm .*\", \"tool:bash:ls\"]}}"); err != nil {
		t.Fatal(err)
	}
	is("b", "npm test", engine.Ask)
	is("b", "make", engine.Deny)
}
