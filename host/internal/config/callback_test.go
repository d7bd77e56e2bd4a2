package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
)

// TestCallback_refused: each mistake is reported with its place and its fix.
func TestCallback_refused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"plain http", "defaults: {callback: {url: 'http://hooks.example.com/x', secret_file: /s}}", "defaults.callback.url: hooks.example.com: is not on this machine; use https"},
		{"loopback look-alike", "defaults: {callback: {url: 'http://127.0.0.1.evil.example/x', secret_file: /s}}", "is not on this machine"},
		{"password", "defaults: {callback: {url: 'https://a:b@h/x', secret_file: /s}}", "it contains a user or a password"},
		{"scheme", "defaults: {callback: {url: 'ftp://h/x', secret_file: /s}}", `scheme "ftp": want https`},
		{"no host", "defaults: {callback: {url: 'https:', secret_file: /s}}", "is not a valid URL"},
		{"fragment", "defaults: {callback: {url: 'https://h/#x', secret_file: /s}}", "#fragment"},
		{"no secret", "defaults: {callback: {url: 'https://h/x'}}", "defaults.callback.secret_file: missing"},
		{"no url", "agents: {a: {callback: {secret_file: /s}}}", "agents.a.callback.url: missing"},
		{"relative secret", "defaults: {callback: {url: 'https://h/x', secret_file: s}}", "want an absolute path"},
		{"too patient", "defaults: {callback: {url: 'https://h/x', secret_file: /s, timeout: 25h}}", "want at most 24h"},
		{"unknown key", "defaults: {callback: {uri: 'https://h/x'}}", "defaults.callback.uri: unknown key"},
		{"an event", "webhooks: [{url: 'https://h/x', secret_file: /s, events: [PermissionAsked]}]", `webhooks[0].events[0]: unknown event "PermissionAsked"; want PermissionRequest or PermissionDenied or HookAlarm`},
		{"a webhook's secret", "webhooks: [{url: 'https://h/x'}]", "webhooks[0].secret_file: missing"},
		{"a webhook's url", "webhooks: [{secret_file: /s}]", "webhooks[0].url: missing"},
		{"a sub-agent's mode", "defaults: {sub_agents: {x: {mode: auto}}}", `mode "auto" is reserved`},
		{"a sub-agent's tool", `defaults: {sub_agents: {x: {allowed_tools: ["*"]}}}`, "defaults.sub_agents.x.allowed_tools[0]"},
		{"a sub-agent's directory", "defaults: {sub_agents: {x: {working_directories: [a]}}}", "defaults.sub_agents.x.working_directories[0]"},
		{"a skill's tool", `agents: {a: {skills: {x: ["Bash(ls)"]}}}`, "agents.a.skills.x[0]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("callgate.yaml", []byte(tc.text), config.Dirs{Home: "/home/dev"})
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "callgate.yaml:1:") {
				t.Errorf("got %v, want the place and %q", err, tc.want)
			}
		})
	}
}

// TestCallback_perAgent: an agent's own replaces that of defaults, and {} removes it; time-outs
// have their built-in values.
func TestCallback_perAgent(t *testing.T) {
	t.Parallel()
	c := parse(t, `
defaults:
  callback: {url: "https://h/x", secret_file: ~/s}
  sub_agents: {x: {mode: plan}, "*": {disallowed_tools: [Bash]}}
  skills: {deploy: [Bash]}
agents:
  own: {callback: {url: "http://[::1]:81/x", secret_file: /t, timeout: 3s}, sub_agents: {x: {mode: dontAsk}}}
  none: {callback: {}}
webhooks:
  - {url: "http://localhost:9/x", secret_file: /u}
`)
	for name, want := range map[string]config.Callback{
		"other": {URL: "https://h/x", SecretFile: "/home/dev/s", Timeout: config.Duration(30 * time.Second)},
		"own":   {URL: "http://[::1]:81/x", SecretFile: "/t", Timeout: config.Duration(3 * time.Second)},
		"none":  {},
	} {
		if got := c.Agent(name).Callback; got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if got := c.EventHooks(); len(got) != 1 || time.Duration(got[0].Timeout) != 10*time.Second {
		t.Errorf("webhooks: got %+v", got)
	}
	own := c.Agent("own")
	if s, ok := own.SubAgent("x"); !ok || *s.Mode != engine.DontAsk {
		t.Errorf("own x: got %+v, %v", s, ok)
	}
	if s, ok := own.SubAgent("y"); !ok || s.Mode != nil || len(s.DisallowedTools) != 1 {
		t.Errorf("any other: got %+v, %v, want what * says", s, ok)
	}
	if got := own.Skills["deploy"]; len(got) != 1 {
		t.Errorf("skills: got %v", got)
	}
}
