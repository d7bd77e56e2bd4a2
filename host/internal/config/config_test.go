package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
)

var dirs = config.Dirs{
	Home:   "/home/dev",
	Config: "/home/dev/.config/callgate",
	State:  "/home/dev/.local/state/callgate",
	Cache:  "/home/dev/.cache/callgate",
}

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("/etc/callgate.yaml", []byte(text), dirs)
	if err != nil {
		t.Fatalf("Parse:\n%v", err)
	}
	return c
}

func TestDefault(t *testing.T) {
	t.Parallel()
	c := config.Default(dirs)
	want := config.Agent{Name: "any", Home: "/home/dev", Kind: engine.Main, Timeout: time.Minute, ResumeAsks: "ask", Reads: "trusted"}
	if got := c.Agent("any"); !reflect.DeepEqual(got, want) {
		t.Errorf("agent: got %+v, want %+v", got, want)
	}
	network, address := c.Endpoint()
	if network != "unix" || address != "/home/dev/.local/state/callgate/callgate.sock" {
		t.Errorf("endpoint: got %s %s", network, address)
	}
	if c.Store != "/home/dev/.local/state/callgate/callgate.db" || c.Modules.Dir != "/home/dev/.config/callgate/modules" || c.File != "" {
		t.Errorf("got store %s, modules %s, file %q", c.Store, c.Modules.Dir, c.File)
	}
	wantAsks := config.Asks{
		Timeout: config.Duration(time.Minute), PerSession: 20, PerAgent: 20,
		RepeatDenial: config.Duration(10 * time.Minute), PauseAfter: 3, ApprovalLifetime: config.Duration(10 * time.Minute), Checks: 512,
	}
	if c.Asks != wantAsks {
		t.Errorf("asks: got %+v, want %+v", c.Asks, wantAsks)
	}
	if empty := parse(t, "# nothing\n"); !reflect.DeepEqual(empty.Agent("any"), want) || empty.Asks != wantAsks {
		t.Errorf("an empty file: got %+v, want the same as without one", empty)
	}
}

func TestAgent_ownBeatsDefaults(t *testing.T) {
	t.Parallel()
	c := parse(t, `
defaults:
  mode: plan
  working_directories: [~/src]
  allowed_tools: [Read]
  disallowed_tools: [WebSearch]
  user: ann
  timeout: 5m
  resume_asks: deny
  reads: ask
  follow_client_mode: true
  kind: interactive_fork
  dialect: zsh
  persistent_shell: true
agents:
  bare: {}
  own:
    mode: acceptEdits
    working_directories: [/a/../b, "~"]
    allowed_tools: []
    disallowed_tools: ["mcp__x__*"]
    home: /h
    user: bob
    timeout: 10s
    resume_asks: ask
    reads: trusted
    follow_client_mode: false
    kind: background
    dialect: bash
    persistent_shell: false
    rules: [deny: Write]
rules:
  - allow: "Bash(a (b))"
asks: {timeout: 7s}
`)
	global := engine.Rule{ID: "callgate.yaml:33", Tool: "Bash", Content: ptr("a (b)"), Behavior: engine.Allow, Source: config.Source, Scope: engine.Global}
	base := config.Agent{
		Name: "bare", Named: true, Mode: engine.Explore, WorkingDirectories: []string{"/home/dev/src"}, Home: "/home/dev", User: "ann",
		Kind: engine.InteractiveFork, Lists: engine.Lists{Disallowed: []string{"WebSearch"}, Allowed: []string{"Read"}},
		Timeout: 5 * time.Minute, ResumeAsks: "deny", Reads: "ask", FollowClientMode: true, Dialect: "zsh", PersistentShell: true,
	}
	unknown := base
	unknown.Name, unknown.Named = "unknown", false
	own := config.Agent{
		Name: "own", Named: true, Mode: engine.AcceptEdits, WorkingDirectories: []string{"/b", "/home/dev"}, Home: "/h", User: "bob",
		Kind: engine.Background, Lists: engine.Lists{Disallowed: []string{"WebSearch", "mcp__x__*"}, Allowed: []string{}},
		Timeout: 10 * time.Second, ResumeAsks: "ask", Reads: "trusted", Dialect: "bash",
	}
	rules := map[string][]engine.Rule{"own": {global, {ID: "callgate.yaml:31", Tool: "Write", Source: config.Source, Scope: engine.Agent, ScopeKey: "own"}}}
	for _, want := range []config.Agent{base, unknown, own} {
		got := c.Agent(want.Name)
		wantRules := rules[want.Name]
		if wantRules == nil {
			wantRules = []engine.Rule{global}
		}
		if !reflect.DeepEqual(got.Rules.All(), wantRules) {
			t.Errorf("%s: got rules %v, want %v", want.Name, got.Rules.All(), wantRules)
		}
		if got.Rules = (config.Rules{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got\n%#v, want\n%#v", want.Name, got, want)
		}
	}
}

func ptr(s string) *string { return &s }

func TestAgent_denylistIsLiftedOnlyBesideTrusted(t *testing.T) {
	t.Parallel()
	c := parse(t, `
defaults: {mode: trusted, respect_denylist: false, disallowed_tools: [Bash]}
agents:
  asking: {mode: default}
  same: {mode: trusted}
  respects: {mode: trusted, respect_denylist: true}
`)
	for name, want := range map[string]bool{"unknown": true, "asking": false, "same": false, "respects": false} {
		if got := c.Agent(name).Lists; got.IgnoreDenylist != want || len(got.Disallowed) != 1 {
			t.Errorf("%s: got %+v, want ignored %v", name, got, want)
		}
	}
}

func TestToolConfig_nearestKeyWins(t *testing.T) {
	t.Parallel()
	c := parse(t, `
modules: {grants: {shells: {config: {a: 1, b: 1, c: 1, d: 1}}}}
tools: {Bash: {config: {b: 2, c: 2, d: 2}}, Odd: {config: [1]}}
defaults: {tools: {shell: {config: {c: 3, d: 3}}}}
agents: {x: {tools: {Bash: {config: {d: {e: 4}}}, Odd: {config: {f: 5}}}}}
`)
	tests := []struct {
		agent, module string
		names         []string
		want          string
	}{
		{"x", "shells", []string{"Bash", "shell"}, `{"a":1,"b":2,"c":3,"d":{"e":4}}`},
		{"y", "shells", []string{"Bash", "shell"}, `{"a":1,"b":2,"c":3,"d":3}`},
		{"y", "", []string{"Bash"}, `{"b":2,"c":2,"d":2}`},
		{"y", "", []string{"Odd"}, `[1]`},
		{"x", "", []string{"Odd"}, `{"f":5}`},
		{"x", "", []string{"Read"}, ``},
	}
	for _, tt := range tests {
		if got := string(c.ToolConfig(tt.agent, tt.module, tt.names...)); got != tt.want {
			t.Errorf("%s, %s, %v: got %s, want %s", tt.agent, tt.module, tt.names, got, tt.want)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	c := parse(t, `rules:
  - ask: WebFetch
    reason: ask ops
    expires_at: 2027-01-31
  - {tool: Write, content: "infra/**", behavior: deny, expires_at: "2027-01-31T18:00:00+02:00"}
  - {tool: "mcp__github__*", behavior: ask}
  - deny: "Bash(*)"
  - allow: "Bash(npm run:*)"
    match: ["npm run x", {command: npm run y, timeout: 5}]
    not_match: [npm]
`)
	rules := c.Agent("").Rules.All()
	var got []string
	for _, r := range rules {
		got = append(got, fmt.Sprintf("%s %s %s %s", r.ID, r.Behavior, r, r.ExpiresAt.UTC().Format(time.RFC3339)))
	}
	want := []string{
		"callgate.yaml:2 ask WebFetch 2027-02-01T00:00:00Z",
		"callgate.yaml:5 deny Write(infra/**) 2027-01-31T16:00:00Z",
		"callgate.yaml:6 ask mcp__github__* 0001-01-01T00:00:00Z",
		"callgate.yaml:7 deny Bash 0001-01-01T00:00:00Z",
		"callgate.yaml:8 allow Bash(npm run:*) 0001-01-01T00:00:00Z",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if rules[0].Reason != "ask ops" {
		t.Errorf("got reason %q", rules[0].Reason)
	}
	var complaints []string
	for _, ex := range c.Examples() {
		complaints = append(complaints, ex.Errorf("%v %s", ex.Want, ex.Input).Error())
	}
	wantComplaints := []string{
		"/etc/callgate.yaml:9:13: rules[4].match[0]: true npm run x",
		`/etc/callgate.yaml:9:26: rules[4].match[1]: true {"command":"npm run y","timeout":5}`,
		"/etc/callgate.yaml:10:17: rules[4].not_match[0]: false npm",
	}
	if !reflect.DeepEqual(complaints, wantComplaints) {
		t.Errorf("got  %q\nwant %q", complaints, wantComplaints)
	}
}

func TestParse_errors(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"unknown key", "agent: {}\n", "f:1:1: agent: unknown key: did you mean agents?"},
		{"rules in defaults", "defaults:\n  rules: []\n", "f:2:3: defaults.rules: unknown key: want one of"},
		{"auto", "defaults: {mode: auto}\n", `f:1:18: defaults.mode: mode "auto" is reserved`},
		{"unknown mode", "agents: {a: {mode: yolo}}\n", `f:1:20: agents.a.mode: unknown mode "yolo": want one of default, accept_edits, `},
		{"unknown kind", "agents: {a: {kind: robot}}\n", `f:1:20: agents.a.kind: unknown kind "robot"`},
		{"denylist without trusted", "agents:\n  a:\n    mode: bypass\n    respect_denylist: false\n", "f:4:23: agents.a.respect_denylist: false is only valid with mode: trusted; set"},
		{"denylist beside nothing", "defaults: {respect_denylist: false}\n", "f:1:30: defaults.respect_denylist: false is only valid with"},
		{"dialect", "agents:\n  a:\n    dialect: bsh\n", `f:3:14: agents.a.dialect: unknown shell "bsh"; want bash, sh, zsh, fish, pwsh, cmd, or remove the key to assume the worst of bash, dash and zsh`},
		{"persistent_shell", "defaults: {persistent_shell: sometimes}\n", `f:1:30: defaults.persistent_shell: `},
		{"reads", "defaults: {reads: never}\n", `f:1:19: defaults.reads: unknown value "never": want trusted or ask`},
		{"resume", "defaults: {resume_asks: never}\n", `f:1:25: defaults.resume_asks: unknown value "never": want ask or deny`},
		{"relative directory", "agents: {a: {working_directories: [src]}}\n", `f:1:36: agents.a.working_directories[0]: path "src": want an absolute path, or ~/...`},
		{"another's home", "defaults: {home: ~bob}\n", `f:1:18: defaults.home: path "~bob"`},
		{"duration without a unit", "asks: {timeout: '60'}\n", `f:1:17: asks.timeout: "60" is not a duration`},
		{"number as duration", "asks: {timeout: 60}\n", "f:1:17: asks.timeout: want text, got a number"},
		{"negative duration", "asks: {timeout: -1s}\n", "f:1:17: asks.timeout: duration -1s: want more than 0"},
		{"long duration", "defaults: {timeout: 25h}\n", "f:1:21: defaults.timeout: 25h0m0s: want at most 24h"},
		{"fewer asks than none", "asks: {per_session: -1}\n", "f:1:21: asks.per_session: -1: want 0 (no limit) to 1000"},
		{"too few checks at once", "asks: {checks: 0}\n", "f:1:16: asks.checks: 0: want 32 to 10000"},
		{"probes too often", "hooks: {probe_every: 59s}\n", "f:1:22: hooks.probe_every: 59s: want 1m to 24h; leave the key out for no probe"},
		{"a pause after too many", "asks: {pause_after: 1001}\n", "f:1:21: asks.pause_after: 1001: want 0 (no limit) to 1000"},
		{"limit", "asks: {per_agent: -1}\n", "f:1:19: asks.per_agent: -1: want 0 (no limit) to 1000"},
		{"stars only", "rules:\n- deny: \"**\"\n", "f:2:3: rules[0]: a tool name of only stars matches every tool"},
		{"stars with content", "rules: [{allow: '*(npm:*)'}]\n", "f:1:9: rules[0]: a tool name of only stars"},
		{"stars in a list", "defaults: {allowed_tools: [Read, '*?']}\n", "f:1:34: defaults.allowed_tools[1]: a tool name of only stars"},
		{"a rule in a list of tools", "defaults: {disallowed_tools: ['Bash(rm:*)']}\n", `f:1:31: defaults.disallowed_tools[0]: "Bash(rm:*)" is not a tool name`},
		{"unclosed rule", "rules: [{allow: 'Bash(npm'}]\n", "f:1:9: rules[0]: rule \"Bash(npm\": the content is not closed"},
		{"no rule", "rules:\n- reason: x\n", "f:2:3: rules[0]: empty rule; write allow, ask or deny"},
		{"two behaviors", "rules:\n- allow: A\n  deny: B\n", "f:2:3: rules[0]: only one of allow, ask and deny is possible"},
		{"two forms", "rules:\n- allow: A\n  tool: A\n", "f:2:3: rules[0]: allow combined with tool, content or"},
		{"tool alone", "rules: [{tool: A}]\n", "f:1:9: rules[0]: empty rule; write"},
		{"passthrough", "rules: [{tool: A, behavior: passthrough}]\n", "f:1:9: rules[0]: behavior passthrough is only for tool"},
		{"unknown behavior", "rules: [{tool: A, behavior: permit}]\n", `f:1:29: rules[0].behavior: unknown behavior "permit"`},
		{"empty content", "rules: [{tool: A, behavior: allow, content: ''}]\n", "f:1:9: rules[0]: content is empty; leave it out"},
		{"null content", "rules: [{tool: A, behavior: allow, content: }]\n", "rules[0].content: no value"},
		{"tool with content", "rules: [{tool: 'A(b)', behavior: allow}]\n", `f:1:9: rules[0]: tool: "A(b)" is not a tool name`},
		{"example of another type", "rules: [{allow: A, match: [5]}]\n", "f:1:9: rules[0]: match: [0]: want the input as text or as a mapping, got 5"},
		{"bad expiry", "rules: [{allow: A, expires_at: tomorrow}]\n", `f:1:32: rules[0].expires_at: "tomorrow" is not a time`},
		{"glob of tool settings", "tools: {'mcp__*': {config: 1}}\n", "f:1:19: tools.mcp__*: this is a glob; name each"},
		{"limits", "modules: {grants: {m: {limits: {memory_mib: 5000}}}}\n", "f:1:45: modules.grants.m.limits.memory_mib: 5000: want 1 to 1024"},
		{"a glob without end", "paths: {protected: [a, 'b[']}\n", "f:1:24: paths.protected[1]: \"b[\": invalid glob"},
		{"a glob upwards", "paths:\n  not_secret: [a/../b]\n", "f:2:16: paths.not_secret[0]: \"a/../b\": \"..\" in a glob"},
		{"a glob for everything", "paths: {unprotected: ['**']}\n", "f:1:23: paths.unprotected[0]: \"**\" matches everything"},
		{"an empty glob", "paths: {secret: ['']}\n", "paths.secret[0]: \"\": empty glob; want"},
		{"memory of all", "modules: {memory_mib: 64}\n", "f:1:23: modules.memory_mib: 64: want 192 to 1048576"},
		{"a key that is none", "modules: {keys: {acme: AAAA}}\n", "f:1:24: modules.keys.acme: want an Ed25519 public key"},
		{"a key's name", "modules: {keys: {'a b': 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}}\n", "\"a b\" is not a key name; want letters"},
		{"signatures of a word", "modules: {require_signature: always}\n", "modules.require_signature: want true, false or a list"},
		{"dev without signatures", "modules: {dev: true, require_signature: [a]}\n", "f:1:16: modules.dev: true loads unsigned files, but modules"},
		{"no memory", "modules: {memory_mib: 0}\n", "modules.memory_mib: 0: want 192 to 1048576"},
		{"limits of time", "modules: {grants: {m: {limits: {timeout: 2m}}}}\n", "f:1:42: modules.grants.m.limits.timeout: 2m: want 1ms to 1m: an agent waits meanwhile"},
		{"granted name", "modules: {grants: {m: {names: ['*']}}}\n", "f:1:32: modules.grants.m.names[0]: a tool name of only stars"},
		{"agent without a name", "agents: {'': {}}\n", `f:1:14: agents.: "" is not an agent name; want 1`},
		{"all interfaces", "listen: 0.0.0.0:7433\n", `f:1:9: listen: "0.0.0.0:7433": host "0.0.0.0" is not a loopback address`},
		{"no host", "listen: ':7433'\n", `f:1:9: listen: ":7433": host "" is not a loopback address`},
		{"a name", "listen: example.com:7433\n", `host "example.com" is not a loopback address`},
		{"a number that looks local", "listen: 2130706433:80\n", "host \"2130706433\" is not a loopback address"},
		{"a zone", "listen: '[::1%lo]:80'\n", "is not a loopback address"},
		{"a bad port", "listen: 127.0.0.1:http\n", `port "http": want 0 to 65535`},
		{"neither", "listen: callgate.sock\n", "want the absolute path of a unix socket, or a loopback address"},
		{"long socket", "listen: /" + strings.Repeat("a", 103) + "\n", "limited to 103"},
		{"store", "store: callgate.db\n", `f:1:8: store: path "callgate.db": want an absolute path`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := config.Parse("f", []byte(tt.text), dirs)
			if c != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v\nwant no configuration and %q", c, err, tt.want)
			}
		})
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"/run/x.sock": "unix /run/x.sock", "unix:/run/x.sock": "unix /run/x.sock", "~/x.sock": "unix /home/dev/x.sock",
		"127.0.0.1:7433": "tcp 127.0.0.1:7433", "'[::1]:0'": "tcp [::1]:0", "localhost:80": "tcp 127.0.0.1:80", "127.8.9.1:80": "tcp 127.8.9.1:80",
	} {
		network, address := parse(t, "listen: "+listen+"\n").Endpoint()
		if got := network + " " + address; got != want {
			t.Errorf("listen %s: got %s, want %s", listen, got, want)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	d := config.Dirs{Home: home, Config: filepath.Join(home, "c"), State: home, Cache: home}
	c, err := config.Open("", d)
	if err != nil || c.File != "" {
		t.Errorf("without a file: got %+v, %v, want the default", c, err)
	}
	if _, err := config.Open(d.ConfigFile(), d); err == nil {
		t.Error("a file that was named and is missing: got no error")
	}
	if err := os.MkdirAll(d.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, d.ConfigFile(), "defaults: {mode: plan}\n")
	if c, err = config.Open("", d); err != nil || c.File != d.ConfigFile() || c.Agent("").Mode != engine.Explore {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, bad := range []string{d.Config, "/dev/zero"} {
		if _, err := config.Open(bad, d); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("open %s: got %v", bad, err)
		}
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(config.ExampleFile())
	f.Add([]byte("rules: [{allow: 'A(b)', match: [{a: 1}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse("f", data, dirs)
		if (c == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", c, err)
		}
		if c == nil {
			return
		}
		for name := range c.Agents {
			a := c.Agent(name)
			if a.Lists.IgnoreDenylist && a.Mode != engine.Trusted {
				t.Errorf("%s: the denylist is lifted in mode %v", name, a.Mode)
			}
			for _, r := range a.Rules.All() {
				if r.Behavior == engine.Passthrough || r.Tool == "" || r.ID == "" {
					t.Errorf("%s: rule %+v", name, r)
				}
			}
		}
		c.Examples()
	})
}

// TestLimitsOff: a limit of 0 is off, an absent one is built in.
func TestLimitsOff(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("f", []byte("asks: {per_session: 0, pause_after: 0}\n"), config.Dirs{Home: "/home/dev"})
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Asks; a.PerSession != config.NoLimit || a.PauseAfter != config.NoLimit || a.PerAgent != 20 {
		t.Errorf("got %+v, want no limit per session and no pause, 20 per agent", a)
	}
}
