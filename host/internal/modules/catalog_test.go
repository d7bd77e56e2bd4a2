package modules_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

var (
	golden  = repo.File("testdata/modules")
	hostile = repo.File("testdata/hostile")
)

func wasm(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(golden, name+".wasm"))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile(filepath.Join(hostile, name+".wasm"))
	}
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// embedded is an fs.FS with the golden modules named.
func embedded(tb testing.TB, names ...string) fstest.MapFS {
	tb.Helper()
	fsys := fstest.MapFS{}
	for _, name := range names {
		fsys["dist/"+name+".wasm"] = &fstest.MapFile{Data: wasm(tb, name)}
	}
	return fsys
}

// directory is a directory with the golden modules named.
func directory(tb testing.TB, names ...string) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, name := range names {
		write(tb, dir, name+".wasm", wasm(tb, name))
	}
	return dir
}

func write(tb testing.TB, dir, name string, data []byte) {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		tb.Fatal(err)
	}
}

func open(tb testing.TB, opts modules.Options) *modules.Catalog {
	tb.Helper()
	if opts.Runtime == nil {
		r, err := sandbox.New(context.Background(), sandbox.Config{Limits: sandbox.Limits{Timeout: time.Minute}})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = r.Close(context.Background()) })
		opts.Runtime = r
	}
	c, err := modules.Open(context.Background(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func noProblems(tb testing.TB, c *modules.Catalog) {
	tb.Helper()
	if p := c.Problems(); len(p) != 0 {
		tb.Errorf("problems: got %v; want none", p)
	}
}

// wantProblem checks that exactly one problem holds all parts.
func wantProblem(tb testing.TB, c *modules.Catalog, parts ...string) {
	tb.Helper()
	found := 0
	for _, p := range c.Problems() {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(p.String(), part)
		}
		if all {
			found++
		}
	}
	if found != 1 {
		tb.Errorf("problems: got %v; want one with %q", c.Problems(), parts)
	}
}

func call(input string) *engine.Call {
	return &engine.Call{Tool: "x", Input: json.RawMessage(input), Context: engine.Context{
		Agent: "a", Session: "s", User: "u", Mode: engine.Explore, CWD: "/p", WorkingDirectories: []string{"/p"}, Home: "/h",
		Annotations: json.RawMessage(`{"readOnlyHint":true}`),
		Targets:     []engine.Target{{Kind: "host", Value: "h", Access: "read"}},
	}}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{Embedded: embedded(t, "deploy", "echo"), Fallback: "echo"})
	noProblems(t, c)
	for _, tt := range []struct{ called, name, module string }{
		{"Deploy", "Deploy", "deploy"},
		{"deploy", "Deploy", "deploy"},
		{"DEPLOY", "DEPLOY", "echo"},
		{"nobody's", "nobody's", "echo"},
		{"echo", "echo", "echo"},
	} {
		t.Run(tt.called, func(t *testing.T) {
			t.Parallel()
			e := c.Lookup(tt.called)
			if e.Name != tt.name || e.Module != tt.module || e.Err != nil || e.Tool == nil || !e.MayAllow || !e.MayReadOnly {
				t.Errorf("got %+v; want name %s of module %s, with both grants", e, tt.name, tt.module)
			}
		})
	}
	e := c.Lookup("deploy")
	if e.Version != "1.2.0" || e.Summary != "Deploys things." || len(e.Digest) != 64 || len(e.Aliases) != 1 || e.RuleHelp == "" || string(e.InputSchema) != `{"type":"object"}` {
		t.Errorf("facts of Deploy: got %+v", e)
	}
}

func TestVerbs(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{Embedded: embedded(t, "deploy"), Fallback: "Deploy"})
	tool := c.Lookup("Deploy").Tool
	staging, production := call(`{"target":"staging/web"}`), call(`{"target":"production/web"}`)
	if got, err := tool.CheckPermissions(t.Context(), staging); err != nil || got != (engine.Verdict{Behavior: engine.Allow, Reason: "staging"}) {
		t.Errorf("check staging: got %+v, %v", got, err)
	}
	want := engine.Verdict{Behavior: engine.Ask, BypassImmune: true, Reason: "production", Message: "production needs a person"}
	if got, err := tool.CheckPermissions(t.Context(), production); err != nil || got != want {
		t.Errorf("check production: got %+v, %v; want %+v", got, err, want)
	}
	if got, err := tool.CheckReadOnly(t.Context(), call(`{"action":"status"}`)); err != nil || !got.ReadOnly {
		t.Errorf("read only: got %+v, %v", got, err)
	}
	rules := []engine.RuleText{{Content: "staging/*"}}
	if got, err := tool.MatchRule(t.Context(), staging, engine.Allow, rules); err != nil || len(got) != 1 || got[0] != 0 {
		t.Errorf("match staging: got %v, %v", got, err)
	}
	if got, err := tool.MatchRule(t.Context(), production, engine.Allow, rules); err != nil || len(got) != 0 {
		t.Errorf("match production: got %v, %v", got, err)
	}
	if got, err := tool.MatchRule(t.Context(), production, engine.Allow, nil); err != nil || got != nil {
		t.Errorf("match nothing: got %v, %v", got, err)
	}
	if got, err := tool.GenerateSuggestions(t.Context(), staging); err != nil || len(got) != 1 || *got[0].Content != "staging/*" || got[0].Description != "all of staging" {
		t.Errorf("suggestions: got %v, %v", got, err)
	}
	d, err := c.Lookup("Deploy").Describe(t.Context(), staging)
	if err != nil || d.Action != "tool:deploy:go" || d.Title != "Deploy" || len(d.Targets) != 2 {
		t.Fatalf("describe: got %+v, %v", d, err)
	}
}

// TestEnvelope shows byte by byte the input of each verb.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{
		Embedded: embedded(t, "echo"), Fallback: "echo",
		Settings: modules.Settings{Grants: map[string]modules.Rights{"echo": {Config: json.RawMessage(`{"k":1}`)}}},
	})
	noProblems(t, c)
	e := c.Lookup("Thing")
	const head = `{"tool":"Thing","input":{"b":"<&>","a":1.0},"config":{"k":1},"context":{"agent":"a","session":"s","user":"u",`
	const mode = `"mode":"explore",`
	const place = `"cwd":"/p","working_directories":["/p"],"home":"/h","kind":"main","resumed":false,"approver":"","active_skills":[]`
	const hints = `,"annotations":{"readOnlyHint":true}`
	const targets = `,"targets":[{"kind":"host","value":"h","access":"read","exists":false,"claimed":false}]`
	in := call(`{"b":"<&>","a":1.0}`)

	v, err := e.Tool.CheckPermissions(t.Context(), in)
	same(t, "check_permissions", v.Reason, err, head+mode+place+hints+targets+`}}`)
	ro, err := e.Tool.CheckReadOnly(t.Context(), in)
	same(t, "check_read_only", ro.Reason, err, head+place+targets+`}}`)
	d, err := e.Describe(t.Context(), in)
	same(t, "describe_call of resolved targets", d.Title, err, head+mode+place+hints+targets+`}}`)
	first := *in
	first.Context.Targets = nil
	d, err = e.Describe(t.Context(), &first)
	same(t, "describe_call", d.Title, err, head+mode+place+hints+`},"effects":true}`)
	s, err := e.Tool.GenerateSuggestions(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "generate_suggestions", *s[0].Content, nil, head+mode+place+hints+targets+`},"covers":true}`)

	_, err = e.Tool.MatchRule(t.Context(), in, engine.Deny, []engine.RuleText{{Content: "x", Root: "/r"}})
	want := `tool echo.wasm: match_rule: code: ` + head + place + targets + `},"behavior":"deny","rules":[{"content":"x","root":"/r"}]}`
	if err == nil || err.Error() != want {
		t.Errorf("match_rule: got\n%v; want\n%s", err, want)
	}

	in.Context.Config = json.RawMessage(`{"own":true}`)
	v, err = e.Tool.CheckPermissions(t.Context(), in)
	if err != nil || !strings.Contains(v.Reason, `"config":{"own":true}`) {
		t.Errorf("config of the call: got %s, %v", v.Reason, err)
	}
}

func same(t *testing.T, verb, got string, err error, want string) {
	t.Helper()
	if err != nil || got != want {
		t.Errorf("%s: got\n%s, %v; want\n%s", verb, got, err, want)
	}
}

func TestBadInputNeverReachesTheModule(t *testing.T) {
	t.Parallel()
	e := open(t, modules.Options{Embedded: embedded(t, "echo"), Fallback: "echo"}).Lookup("echo")
	for _, input := range []string{
		``, `null`, `[]`, `"x"`, `{`, `{"a":1,"a":2}`, `{}{}`, `{},"context":{}`, "{\"a\":\"\xff\"}",
	} {
		if v, err := e.Tool.CheckPermissions(t.Context(), call(input)); err == nil || v != (engine.Verdict{}) {
			t.Errorf("input %q: got %+v, %v; want an error", input, v, err)
		}
	}
	in := call(`{}`)
	in.Context.Config = json.RawMessage(`1}`)
	if v, err := e.Tool.CheckPermissions(t.Context(), in); err == nil {
		t.Errorf("bad config: got %+v; want an error", v)
	}
}

func TestFailingModuleIsAnError(t *testing.T) {
	t.Parallel()
	names := []string{"trap", "rubbish", "empty", "code", "error_zero", "exit", "not_utf8"}
	c := open(t, modules.Options{Embedded: embedded(t, append(names, "echo")...), Fallback: "echo"})
	noProblems(t, c)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := c.Lookup(name)
			if v, err := e.Tool.CheckPermissions(t.Context(), call(`{}`)); err == nil || v != (engine.Verdict{}) {
				t.Errorf("got %+v, %v; want an error and the zero verdict", v, err)
			}
			if d, err := e.Describe(t.Context(), call(`{}`)); err != nil || d.Action != "" || d.Targets != nil {
				t.Errorf("without describe_call: got %+v, %v; want nothing", d, err)
			}
		})
	}
}

func TestNoModules(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{Embedded: fstest.MapFS{"placeholder.txt": &fstest.MapFile{}}})
	wantProblem(t, c, "make build")
	e := c.Lookup("Bash")
	if e.Err == nil || e.Name != "Bash" || e.MayAllow {
		t.Errorf("got %+v; want an entry that fails", e)
	}
	if _, err := e.Describe(t.Context(), call(`{}`)); err == nil {
		t.Error("describe of a missing tool: got no error")
	}
	if _, err := modules.Open(t.Context(), modules.Options{}); err == nil {
		t.Error("without a runtime: got no error")
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{
		Embedded: embedded(t, "echo"), Dir: directory(t, "deploy", "init_trap"), Fallback: "echo",
		Settings: modules.Settings{Grants: map[string]modules.Rights{"init_trap": {Names: []string{"Broken"}}}},
	})
	tools := c.Tools()
	if len(tools) != 3 {
		t.Fatalf("got %+v; want three tools", tools)
	}
	broken, deploy, echo := tools[0], tools[1], tools[2]
	if broken.Name != "Broken" || broken.Error == "" {
		t.Errorf("got %+v; want Broken with its error", broken)
	}
	if deploy.Name != "Deploy" || deploy.Embedded || deploy.MayAllow || deploy.MayReadOnly || len(deploy.RuleExamples) != 2 || deploy.Size == 0 {
		t.Errorf("got %+v; want Deploy of the directory, without grants", deploy)
	}
	if !echo.Embedded || !echo.MayAllow || !echo.Fallback {
		t.Errorf("got %+v; want echo, embedded, with grants, the fallback", echo)
	}
}
