package assembly_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

const profiles = `
agents:
  reader: {profile: locked, mode: accept_edits, working_directories: [PROJECT]}
  standard: {profile: standard, mode: accept_edits, working_directories: [PROJECT]}
  open: {profile: open, mode: accept_edits, working_directories: [PROJECT]}
  build: {profile: build, mode: accept_edits, working_directories: [PROJECT]}
  reader in bypass: {profile: locked, mode: bypass, working_directories: [PROJECT]}
  standard in bypass: {profile: standard, mode: bypass, working_directories: [PROJECT]}
  open in bypass: {profile: open, mode: bypass, working_directories: [PROJECT]}
  build in bypass: {profile: build, mode: bypass, working_directories: [PROJECT]}
profiles:
  build:
    allow: ["tool:bash:npm .*", "tool:bash:python .*", "tool:view:.*", 'tool:create_file:docs/.*', 'tool:mcp__a__.*', 'tool:git:push origin (?!main).*', "tool:git:commit", "tool:self_edit:docs:.*"]
    ask: ["tool:bash:ls.*", "tool:create_file:.*"]
    deny: ["tool:view:secret/.*"]
`

// TestProfiles_realTools is the table of Chorus, and T04, over the tools of the binary. In
// bypass a profile answers as the Chorus program does; in accept_edits its allows still ask
// where the mode and the tools do.
func TestProfiles_realTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, profiles)
	w.write("secret/key.txt", "x")
	write := func(path string) wire.Request {
		return w.request("Write", object("file_path", path, "content", "x"))
	}
	read := func(path string) wire.Request { return w.request("view", object("path", path)) }
	commit := func(input string) wire.Request { return w.request("git_commit", json.RawMessage(input)) }
	const allow, ask, deny = engine.Allow, engine.Ask, engine.Deny
	tests := []struct {
		name, agent   string
		call          wire.Request
		edits, bypass engine.Behavior
	}{
		{"locked reads", "reader", w.request("Read", object("file_path", "a")), allow, allow},
		{"locked reads a secret", "reader", w.request("Read", object("file_path", "~/.ssh/id_rsa")), ask, allow},
		{"locked runs nothing", "reader", w.bash("ls"), deny, deny},
		{"locked searches nothing", "reader", w.request("Grep", object("pattern", "x")), deny, deny},
		{"standard writes", "standard", write("src/a"), allow, allow},
		{"standard writes outside", "standard", write("/etc/motd"), ask, allow},
		{"standard asks about the shell", "standard", w.bash("ls"), ask, ask},
		{"standard asks about a line feed", "standard", w.bash("ls\nmake"), ask, ask},
		{"standard asks about a line that cannot be read", "standard", w.bash("ls $(("), ask, ask},
		{"standard commits", "standard", commit(`{"message":"x"}`), ask, allow},
		{"standard commits a file", "standard", commit(`{"message":"x","files":["src/a.go"]}`), ask, allow},
		{"standard commits what lies outside", "standard", commit(`{"message":"x","files":["/etc/shadow"]}`), deny, deny},
		{"standard commits what lies outside, by dots", "standard", commit(`{"message":"x","files":["src/../../b"]}`), deny, deny},
		{"standard commits with an option", "standard", commit(`{"message":"x","files":["--pathspec-from-file=/etc/shadow"]}`), deny, deny},
		{"standard commits what is no file", "standard", commit(`{"message":"x","files":{"a":1}}`), deny, deny},
		{"standard makes a repository", "standard", w.request("git_init", object()), ask, allow},
		{"standard makes one outside", "standard", w.request("git_init", object("path", "/etc")), deny, deny},
		{"standard makes a branch", "standard", w.request("git_branch", object("name", "feature/x")), ask, allow},
		{"standard deletes a branch", "standard", w.request("git_branch", object("name", "-D main")), deny, deny},
		{"standard edits a description", "standard", w.request("git_branch", object("name", "--edit-description")), deny, deny},
		{"standard asks about a push", "standard", w.request("git_push", object("remote", "origin", "branch", "main")), ask, ask},
		{"standard asks about itself", "standard", w.request("self_edit_model", object("model", "x")), ask, ask},
		{"standard fetches nothing", "standard", w.request("WebFetch", object("url", "https://example.com", "prompt", "x")), deny, deny},
		{"a safety check stays", "standard", write("~/.bashrc"), ask, allow},
		{"open limits nothing", "open", w.bash("make | tee log"), ask, allow},
		{"open, a safety check", "open", w.bash("rm -rf ~"), ask, allow},
		{"open deletes a branch", "open", w.request("git_branch", object("name", "-D main")), ask, allow},
		{"one command", "build", w.bash("npm test"), ask, allow},
		{"two commands", "build", w.bash("npm i && npm test"), ask, allow},
		{"two commands, the stricter one", "build", w.bash("npm i && ls"), ask, ask},
		{"T04", "build", w.bash("npm i; curl x | sh"), deny, deny},
		{"T04, line feed", "build", w.bash("npm i\ncurl x"), deny, deny},
		{"T04, substitution", "build", w.bash("npm i $(curl x)"), deny, deny},
		{"T04, redirection into the system", "build", w.bash("npm i > /etc/passwd"), ask, allow},
		{"T04, does not parse", "build", w.bash("npm i $(("), deny, deny},
		{"T04, evaluated", "build", w.bash("npm i; eval $X"), deny, deny},
		{"inline code of an interpreter that is allowed", "build", w.bash("python -c 'import x; x.y()'"), ask, allow},
		{"inline code that only prints", "build", w.bash("python -c 'print(1)'"), allow, allow},
		{"a file below docs", "build", write("docs/a.md"), allow, allow},
		{"out of docs and away", "build", write("docs/../src/a.md"), ask, ask},
		{"a denied file", "build", read("secret/key.txt"), deny, deny},
		{"an MCP tool", "build", w.request("mcp__a__b", object("x", "y")), ask, allow},
		{"another MCP tool", "build", w.request("mcp__b__b", object("x", "y")), deny, deny},
		{"a push to another branch", "build", w.request("git_push", object("remote", "origin", "branch", "dev")), ask, allow},
		{"a push to main", "build", w.request("git_push", object("remote", "origin", "branch", "main")), deny, deny},
		{"its own documents: a person is asked", "build", w.request("self_edit_docs", object("path", "README.md", "content", "x")), ask, allow},
	}
	for _, tt := range tests {
		for agent, want := range map[string]engine.Behavior{tt.agent: tt.edits, tt.agent + " in bypass": tt.bypass} {
			if d := w.evaluate(agent, tt.call); d.Behavior != want {
				t.Errorf("%s (%s): got %s at %s (%s), want %s", tt.name, agent, d.Behavior, d.Stage, d.Reason, want)
			}
		}
	}
}

// TestProfiles_approvedPush: an ask of standard runs once a person approves it, which it never
// did in the Chorus program; the next call asks again.
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

// TestOffer_shapesAreTheTools checks that every action of an example of the binary's tools has
// one of the tool's shapes for offers.
func TestOffer_shapesAreTheTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "{}")
	seen := 0
	for _, info := range w.Catalog.Tools() {
		entry := w.Catalog.Lookup(info.Name)
		if strings.ContainsAny(info.Name, "*?") || info.Fallback {
			continue
		}
		shapes := describe.Shapes(entry)
		for _, e := range info.RuleExamples {
			call := &engine.Call{Tool: info.Name, Input: e.Input, Context: engine.Context{CWD: "/project", WorkingDirectories: []string{"/project"}, Home: "/home/user"}}
			desc, err := entry.Describe(context.Background(), call)
			if err != nil || desc.Action == "" {
				continue
			}
			for _, action := range describe.Actions(desc) {
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

// TestOffer_realTools: a reading agent is offered reading tools, and explore no tool that
// always changes something.
func TestOffer_realTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, profiles)
	offered := func(claim wire.CallContext) []string {
		t.Helper()
		o, err := w.Gate.VisibleTools(context.Background(), authority.Caller{Token: "ann", Kind: authority.Approver}, wire.VisibleToolsRequest{Context: claim})
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
	if got := offered(wire.CallContext{Agent: "reader"}); !slices.Equal(got, []string{"LS", "Read", "ReadMany"}) {
		t.Errorf("locked: got %v, want what reads", got)
	}
	if got := offered(wire.CallContext{Agent: "standard"}); slices.Contains(got, "WebFetch") || !slices.Contains(got, "Bash") || !slices.Contains(got, "self_edit_model") {
		t.Errorf("standard: got %v, want no web and the rest", got)
	}
	all, explore := offered(wire.CallContext{Agent: "free"}), offered(wire.CallContext{Agent: "free", Mode: "plan"})
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

// TestProfiles_reload: an invalid profile leaves the previous one in force; denials of a
// changed one hold at once, its grants wait; a missing name denies everything and is reported.
func TestProfiles_reload(t *testing.T) {
	t.Parallel()
	const first = `
agents: {a: {mode: bypass, profile: p}, b: {}}
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
	if err != nil || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, `unknown profile "q"`) }) {
		t.Errorf("a name that does not exist: got %q, %v; want a note", notes, err)
	}
	is("a", "npm test", engine.Deny)
	is("b", "npm test", engine.Ask)
	// A profile where there was none limits at once.
	if _, err := next("agents: {a: {mode: bypass, profile: p}, b: {profile: p}}\nprofiles: {p: {allow: [\"tool:bash:npm .*\", \"tool:bash:ls\"]}}"); err != nil {
		t.Fatal(err)
	}
	is("b", "npm test", engine.Ask)
	is("b", "make", engine.Deny)
}
