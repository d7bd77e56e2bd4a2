package config_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

func widenings(t *testing.T, was, will string) []wire.PendingChange {
	t.Helper()
	_, waiting := parse(t, was).Tighten(parse(t, will))
	return waiting
}

// keysOf are the places of widenings.
func keysOf(ws []wire.PendingChange) string {
	var keys []string
	for _, w := range ws {
		keys = append(keys, w.Where)
	}
	return strings.Join(keys, " ")
}

// TestWidenings_open: a profile without limits equals none, both ways.
func TestWidenings_open(t *testing.T) {
	t.Parallel()
	none, open := "agents: {a: {mode: default}}", "agents: {a: {mode: default, profile: open}}"
	if there, back := widenings(t, none, open), widenings(t, open, none); len(there)+len(back) > 0 {
		t.Errorf("got %+v and %+v, want none", there, back)
	}
}

// inDiscord is a configuration with a server, a channel, and more.
func inDiscord(more string) string {
	if more != "" {
		more = ", " + more
	}
	return "discord: {server: 312345678901234567" + more + "}\ndefaults: {discord: {channel: 412345678901234567}}\n"
}

const endpoint = "interactions: {listen: '127.0.0.1:81', public_key: " + publicKey + "}"

const publicKey = "6c5f1d3a9b0e47825d41c8f7a2be03946c5f1d3a9b0e47825d41c8f7a2be0394"

// TestWidenings has a row for each key and each way of changing it. tighter and
// looser are values from the stricter to the looser one: the way there is a
// widening at where, the way back is none. incomparable ones widen both ways.
func TestWidenings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		tighter, looser string
		where           string
		incomparable    bool
	}{
		{"mode", "defaults: {mode: default}", "defaults: {mode: accept_edits}", "defaults.mode", false},
		{"mode left out", "defaults: {}", "defaults: {mode: bypass}", "defaults.mode", false},
		{"an agent's mode", "agents: {a: {mode: explore}}", "agents: {a: {mode: default}}", "agents.a.mode", false},
		{"explore and dont_ask", "agents: {a: {mode: explore}}", "agents: {a: {mode: dont_ask}}", "agents.a.mode", true},
		{"a stricter block", "agents: {a: {mode: explore}}", "agents: {}", "agents.a.mode", false},
		{"a looser block", "agents: {}", "agents: {a: {mode: bypass}}", "agents.a.mode", false},
		{"a further directory", "defaults: {working_directories: [/a]}", "defaults: {working_directories: [/a, /b]}", "defaults.working_directories", false},
		{"another first directory", "defaults: {working_directories: [/a, /b]}", "defaults: {working_directories: [/b, /a]}", "defaults.working_directories", true},
		{"a directory inside", "defaults: {working_directories: [/x, /a/b]}", "defaults: {working_directories: [/x, /a]}", "defaults.working_directories", true},
		{"no directory", "defaults: {}", "defaults: {working_directories: [/a]}", "defaults.working_directories", true},
		{"home", "defaults: {home: /a}", "defaults: {home: /b}", "defaults.home", true},
		{"user", "defaults: {user: ann}", "defaults: {user: bob}", "defaults.user", true},
		{"background", "agents: {a: {kind: background}}", "agents: {a: {kind: main}}", "agents.a.kind", false},
		{"fork", "agents: {a: {kind: interactive_fork}}", "agents: {a: {kind: main}}", "agents.a.kind", true},
		{"allowed_tools", "agents: {a: {allowed_tools: [Read]}}", "agents: {a: {allowed_tools: [Read, Bash]}}", "agents.a.allowed_tools", false},
		{"allowed_tools gone", "agents: {a: {allowed_tools: []}}", "agents: {a: {}}", "agents.a.allowed_tools", false},
		{"allowed glob", `agents: {a: {allowed_tools: ["mcp__x__*"]}}`, `agents: {a: {allowed_tools: ["mcp__*"]}}`, "agents.a.allowed_tools", false},
		{"allowed name below a glob", `agents: {a: {allowed_tools: [bash]}}`, `agents: {a: {allowed_tools: ["ba*"]}}`, "agents.a.allowed_tools", true},
		{"disallowed_tools", "defaults: {disallowed_tools: [Bash, Write]}", "defaults: {disallowed_tools: [Bash]}", "defaults.disallowed_tools", false},
		{"disallowed glob", `defaults: {disallowed_tools: ["mcp__*"]}`, `defaults: {disallowed_tools: ["mcp__x__*"]}`, "defaults.disallowed_tools", false},
		{"respect_denylist", "agents: {a: {mode: trusted}}", "agents: {a: {mode: trusted, respect_denylist: false}}", "agents.a.respect_denylist", false},
		{"timeout", "agents: {a: {timeout: 10s}}", "agents: {a: {timeout: 1m1s}}", "agents.a.timeout", false},
		{"reads", "defaults: {reads: ask}", "defaults: {reads: trusted}", "defaults.reads", false},
		{"resume_asks", "defaults: {resume_asks: deny}", "defaults: {resume_asks: ask}", "defaults.resume_asks", false},
		{"follow_client_mode", "defaults: {follow_client_mode: false}", "defaults: {follow_client_mode: true}", "defaults.follow_client_mode", false},
		{"dialect", "defaults: {}", "defaults: {dialect: bash}", "defaults.dialect", false},
		{"another analysed dialect", "defaults: {dialect: zsh}", "defaults: {dialect: bash}", "defaults.dialect", true},
		{"a dialect without analysis", "agents: {a: {dialect: bash}}", "agents: {a: {dialect: fish}}", "agents.a.dialect", true},
		{"persistent_shell", "agents: {a: {persistent_shell: true}}", "agents: {a: {persistent_shell: false}}", "agents.a.persistent_shell", false},
		{"a profile that asks", "defaults: {profile: {ask: ['tool:.*']}}", "defaults: {}", "defaults.profile", false},
		{"a profile that allows", "agents: {a: {profile: locked}}", "agents: {}", "agents.a.profile", false},
		{"a wider profile", "agents: {a: {profile: locked}}", "agents: {a: {profile: standard}}", "agents.a.profile", false},
		{"another profile", "agents: {a: {profile: standard}}", "agents: {a: {profile: {allow: ['tool:bash:ls']}}}", "agents.a.profile", true},
		{"a profile that does not exist", "agents: {a: {profile: nowhere}}", "agents: {a: {profile: locked}}", "agents.a.profile", false},
		{"an allow pattern", "{profiles: {p: {allow: [a]}}, agents: {a: {profile: p}}}", "{profiles: {p: {allow: [a, b]}}, agents: {a: {profile: p}}}", "profiles.p", false},
		{"an ask pattern instead", "profiles: {p: {ask: [a]}}", "profiles: {p: {allow: [a]}}", "profiles.p", false},
		{"a deny pattern", "profiles: {p: {allow: [a], deny: [b]}}", "profiles: {p: {allow: [a]}}", "profiles.p", false},
		{"a profile that nobody has", "profiles: {}", "profiles: {p: {ask: [a]}}", "profiles.p", false},
		{"a profile by another name", "{profiles: {p: {allow: [a]}}, agents: {a: {profile: p}}}", "{profiles: {p: {allow: [a]}}, agents: {a: {profile: open}}}", "agents.a.profile", false},
		{"a callback", "defaults: {}", "defaults: {callback: {url: 'https://h/', secret_file: /s}}", "defaults.callback", false},
		{"another callback", "agents: {a: {callback: {url: 'https://h/', secret_file: /s}}}", "agents: {a: {callback: {url: 'https://i/', secret_file: /s}}}", "agents.a.callback", true},
		{"a callback's secret", "agents: {a: {callback: {url: 'https://h/', secret_file: /s}}}", "agents: {a: {callback: {url: 'https://h/', secret_file: /t}}}", "agents.a.callback", true},
		{"a callback's time", "agents: {a: {callback: {url: 'https://h/', secret_file: /s, timeout: 1s}}}", "agents: {a: {callback: {url: 'https://h/', secret_file: /s, timeout: 2s}}}", "agents.a.callback", false},
		{"a sub-agent's mode", "agents: {a: {sub_agents: {x: {mode: explore}}}}", "agents: {a: {sub_agents: {x: {mode: default}}}}", "agents.a.sub_agents.x.mode", false},
		{"a sub-agent", "defaults: {sub_agents: {x: {disallowed_tools: [Bash]}}}", "defaults: {}", "defaults.sub_agents.x", false},
		{"a sub-agent's tools", "agents: {a: {sub_agents: {x: {allowed_tools: [Read]}}}}", "agents: {a: {sub_agents: {x: {allowed_tools: [Read, Bash]}}}}", "agents.a.sub_agents.x.allowed_tools", false},
		{"a sub-agent's directories", "agents: {a: {sub_agents: {x: {working_directories: [/a]}}}}", "agents: {a: {sub_agents: {x: {working_directories: [/a, /b]}}}}", "agents.a.sub_agents.x.working_directories", false},
		{"a sub-agent of its own", "agents: {a: {sub_agents: {'*': {disallowed_tools: [Bash]}}}}", "agents: {a: {sub_agents: {'*': {disallowed_tools: [Bash]}, x: {}}}}", "agents.a.sub_agents.x", false},
		{"a skill's tools", "agents: {a: {skills: {x: [Read]}}}", "agents: {a: {skills: {x: [Read, Bash]}}}", "agents.a.skills.x", false},
		{"a skill", "defaults: {skills: {x: []}}", "defaults: {}", "defaults.skills.x", false},
		{"a webhook", "webhooks: []", "webhooks: [{url: 'https://h/', secret_file: /s}]", "webhooks", true},
		{"defaults.tools", "defaults: {tools: {Bash: {config: {dialect: bash}}}}", "defaults: {tools: {Bash: {config: {dialect: zsh}}}}", "defaults.tools.Bash.config", true},
		{"an agent's tools", "agents: {a: {tools: {Bash: {config: {a: 1}}}}}", "agents: {a: {}}", "agents.a.tools.Bash.config", true},
		{"tools", "tools: {}", "tools: {WebFetch: {config: {read_only_hosts: [x]}}}", "tools.WebFetch.config", true},
		{"an approver", "defaults: {ask_approvers: {users: [a]}}", "defaults: {ask_approvers: {users: [a, b]}}", "defaults.ask_approvers", false},
		{"everybody", "agents: {a: {ask_approvers: {roles: [a]}}}", "agents: {a: {}}", "agents.a.ask_approvers", false},
		{"a role in place of a user", "defaults: {ask_approvers: {users: [a]}}", "defaults: {ask_approvers: {roles: [a]}}", "defaults.ask_approvers", true},
		{"a quorum", "defaults: {ask_approvers: {quorum: 2}}", "defaults: {ask_approvers: {}}", "defaults.ask_approvers", false},
		{"the requester", "tools: {Bash: {ask_approvers: {exclude_requester: true}}}", "tools: {Bash: {ask_approvers: {}}}", "tools.Bash.ask_approvers", false},
		{"a passkey", "tools: {Bash: {ask_approvers: {passkey: true}}}", "tools: {Bash: {ask_approvers: {passkey_for_rules: true}}}", "tools.Bash.ask_approvers", false},
		{"a passkey for rules", "tools: {Bash: {ask_approvers: {passkey_for_rules: true}}}", "tools: {Bash: {ask_approvers: {}}}", "tools.Bash.ask_approvers", false},
		{"a passkey for safety checks", "defaults: {ask_approvers: {safety_checks: {passkey: true}}}", "defaults: {ask_approvers: {safety_checks: {}}}", "defaults.ask_approvers", false},
		{"a looser tool", "defaults: {ask_approvers: {quorum: 2}}", "{defaults: {ask_approvers: {quorum: 2}}, tools: {Bash: {ask_approvers: {}}}}", "tools.Bash.ask_approvers", false},
		{"an agent's looser tool", "tools: {Bash: {ask_approvers: {quorum: 2}}}", "{tools: {Bash: {ask_approvers: {quorum: 2}}}, agents: {a: {tools: {Bash: {ask_approvers: {quorum: 1}}}}}}", "agents.a.tools.Bash.ask_approvers", false},
		{"who answers safety checks", "defaults: {ask_approvers: {safety_checks: {roles: [a]}}}", "defaults: {ask_approvers: {safety_checks: {roles: [a, b]}}}", "defaults.ask_approvers", false},
		{"everybody answers safety checks", "agents: {a: {ask_approvers: {safety_checks: {users: [a]}}}}", "agents: {a: {}}", "agents.a.ask_approvers", false},
		{"a quorum of safety checks", "tools: {Bash: {ask_approvers: {safety_checks: {quorum: 2}}}}", "tools: {Bash: {ask_approvers: {safety_checks: {quorum: 1}}}}", "tools.Bash.ask_approvers", false},
		{"a tool whose safety checks are freed", "defaults: {ask_approvers: {safety_checks: {quorum: 2}}}", "{defaults: {ask_approvers: {safety_checks: {quorum: 2}}}, tools: {Bash: {ask_approvers: {safety_checks: {}}}}}", "tools.Bash.ask_approvers", false},
		{"an account", "people: {ann: {}}", "people: {ann: {discord: 212345678901234567}}", "people.ann.discord", true},
		{"another account", "people: {ann: {discord: 212345678901234567}}", "people: {ann: {discord: 212345678901234568}}", "people.ann.discord", true},
		{"discord.server", inDiscord(""), strings.Replace(inDiscord(""), "server: 3", "server: 4", 1), "discord.server", true},
		{"discord.token_file", inDiscord(""), inDiscord("token_file: /t"), "discord.token_file", true},
		{"discord.api_url", inDiscord(""), inDiscord("api_url: 'http://127.0.0.1:81'"), "discord.api_url", true},
		{"discord.reactions", inDiscord(""), inDiscord("reactions: true"), "discord.reactions", true},
		{"discord.interactions", inDiscord(""), inDiscord(endpoint), "discord.interactions.listen discord.interactions.public_key", true},
		{"discord.gateway", inDiscord(endpoint), inDiscord(endpoint + ", gateway: false"), "discord.gateway", true},
		{"an agent's channel", inDiscord("") + "agents: {a: {}}\n", inDiscord("") + "agents: {a: {discord: {channel: 412345678901234568}}}\n", "agents.a.discord", true},
		{"an agent without Discord", inDiscord("") + "agents: {a: {}}\n", inDiscord("") + "agents: {a: {discord: {}}}\n", "agents.a.discord", true},
		{"threads", inDiscord("") + "agents: {a: {}}\n", inDiscord("") + "agents: {a: {discord: {threads: session}}}\n", "agents.a.discord", true},
		{"pings", inDiscord("") + "agents: {a: {}}\n", inDiscord("") + "agents: {a: {discord: {mention_roles: [512345678901234568]}}}\n", "agents.a.discord", true},
		{"an escalation", inDiscord("") + "agents: {a: {}}\n", inDiscord("") + "agents: {a: {discord: {escalate: {after: 30s, channel: 412345678901234569}}}}\n", "agents.a.discord", true},
		{"a role", "people: {ann: {roles: [a]}}", "people: {ann: {roles: [a, b]}}", "people.ann.roles", false},
		{"a person with a role", "people: {bob: {}}", "people: {bob: {}, ann: {roles: [a]}}", "people.ann.roles", false},
		{"nobody is named", "people: {ann: {roles: [a]}}", "people: {}", "people", true},
		{"an administrator", "people: {ann: {roles: [a]}}", "people: {ann: {roles: [a], administrator: true}}", "people.ann.administrator", false},
		{"a grant of a role's", "permission_grants: {a: [locked]}", "permission_grants: {a: [locked, open]}", "permission_grants.a", false},
		{"a role that grants", "permission_grants: {}", "permission_grants: {a: [locked]}", "permission_grants.a", false},
		{"a mode that asks less", "permission_grants: {a: [\"mode:plan\"]}", "permission_grants: {a: [\"mode:default\"]}", "permission_grants.a", false},
		{"administrators in place of roles", "permission_grants: {}", "people: {}", "permission_grants", false},
		{"administrators or a role", "people: {}", "permission_grants: {a: [open]}", "permission_grants", true},
		{"paths.protected", "paths: {protected: [infra/**]}", "paths: {}", "paths.protected", true},
		{"paths.unprotected", "paths: {}", "paths: {unprotected: [.vscode/**]}", "paths.unprotected", true},
		{"an allow rule", "rules: []", "rules: [allow: Write]", "rules[0]", false},
		{"a wider allow rule", `rules: [allow: "Bash(npm run:*)"]`, "rules: [allow: Bash]", "rules[0]", true},
		{"a deny rule", "rules: [deny: Write]", "rules: []", "rules", false},
		{"an ask rule", `rules: [ask: "Bash(git push:*)"]`, "rules: []", "rules", false},
		{"ask for deny", `rules: [deny: "Bash(git push:*)"]`, `rules: [ask: "Bash(git push:*)"]`, "rules", false},
		{"an agent's deny rule", "agents: {a: {rules: [deny: Write]}}", "agents: {a: {}}", "agents.a.rules", false},
		{"an agent's allow rule for all", "agents: {a: {rules: [allow: Write]}}", "rules: [allow: Write]", "rules[0]", false},
		{"a deny rule for one", "rules: [deny: Write]", "agents: {a: {rules: [deny: Write]}}", "rules", false},
		{"allowed for longer", "rules: [{allow: Write, expires_at: 2027-01-01}]", "rules: [allow: Write]", "rules[0]", false},
		{"denied for less long", "rules: [deny: Write]", "rules: [{deny: Write, expires_at: 2027-01-01}]", "rules", false},
		{"may_allow", "modules: {grants: {m: {}}}", "modules: {grants: {m: {may_allow: true}}}", "modules.grants.m.may_allow", false},
		{"may_read_only", "modules: {grants: {m: {}}}", "modules: {grants: {m: {may_read_only: true}}}", "modules.grants.m.may_read_only", false},
		{"a grant", "modules: {grants: {}}", "modules: {grants: {m: {}}}", "modules.grants.m", true},
		{"names", "modules: {grants: {m: {names: [A]}}}", "modules: {grants: {m: {names: [A, B]}}}", "modules.grants.m.names", true},
		{"a grant's config", "modules: {grants: {m: {config: {a: 1}}}}", "modules: {grants: {m: {config: {a: 2}}}}", "modules.grants.m.config", true},
		{"a limit of the sandbox's", "modules: {grants: {m: {limits: {memory_mib: 1}}}}", "modules: {grants: {m: {}}}", "modules.grants.m.limits.memory_mib", false},
		{"beyond the sandbox's", "modules: {grants: {m: {}}}", "modules: {grants: {m: {limits: {memory_mib: 65}}}}", "modules.grants.m.limits.memory_mib", false},
		{"a limit of all, left out by a grant", "modules: {limits: {fuel: 2000000}, grants: {m: {}}}", "modules: {grants: {m: {}}}", "modules.limits.fuel", false},
		{"a limit of all for one", "modules: {limits: {fuel: 2000000}, grants: {m: {}}}", "modules: {limits: {fuel: 2000000}, grants: {m: {limits: {fuel: 3000000}}}}", "modules.grants.m.limits.fuel", false},
		{"a limit of all, not for one", "modules: {limits: {fuel: 2000000}, grants: {m: {limits: {fuel: 5000000}}}}", "modules: {limits: {fuel: 3000000}, grants: {m: {limits: {fuel: 4000000}}}}", "modules.limits.fuel modules.grants.m.limits.fuel", true},
		{"modules.memory_mib", "modules: {memory_mib: 200}", "modules: {}", "modules.memory_mib", false},
		{"modules.dir", "modules: {dir: /a}", "modules: {dir: /b}", "modules.dir", true},
		{"modules.dev", "modules: {dev: false}", "modules: {dev: true}", "modules.dev", false},
		{"a key", "modules: {}", "modules: {keys: {acme: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}}", "modules.keys.acme", false},
		{"another key", "modules: {keys: {acme: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}}", "modules: {keys: {acme: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=}}", "modules.keys.acme", true},
		{"no signatures", "modules: {require_signature: true}", "modules: {}", "modules.require_signature", false},
		{"fewer signatures", "modules: {require_signature: true}", "modules: {require_signature: [a]}", "modules.require_signature", false},
		{"one signature less", "modules: {require_signature: [a, b]}", "modules: {require_signature: [b]}", "modules.require_signature", false},
		{"other signatures", "modules: {require_signature: [a]}", "modules: {require_signature: [b]}", "modules.require_signature", true},
		{"asks.timeout", "asks: {timeout: 1s}", "asks: {timeout: 2s}", "asks.timeout", false},
		{"asks.per_session", "asks: {per_session: 1}", "asks: {per_session: 2}", "asks.per_session", false},
		{"asks.per_agent", "asks: {per_agent: 1}", "asks: {per_agent: 2}", "asks.per_agent", false},
		{"asks.repeat_denial", "asks: {repeat_denial: 2m}", "asks: {repeat_denial: 1m}", "asks.repeat_denial", false},
		{"asks.checks", "asks: {checks: 64}", "asks: {checks: 65}", "asks.checks", false},
		{"asks.pause_after", "asks: {pause_after: 1}", "asks: {pause_after: 2}", "asks.pause_after", false},
		{"audit.keep", "audit: {keep: 90d}", "audit: {keep: 30d}", "audit.keep", false},
		{"gateway.listen", "", "gateway: {listen: '127.0.0.1:9465'}", "gateway.listen", true},
		{"hooks.probe_every", "", "hooks: {probe_every: 5m}", "hooks.probe_every", true},
		{"telemetry.metrics", "", "telemetry: {metrics: '127.0.0.1:9464'}", "telemetry.metrics", true},
		{"telemetry.traces", "", "telemetry: {traces: 'https://traces.example.org'}", "telemetry.traces", true},
		{"console.listen", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console: {listen: '0.0.0.0:8444', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console.listen", true},
		{"console.origin", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console: {listen: '0.0.0.0:8443', origin: 'https://h.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console.origin", true},
		{"console.tls.cert_file", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /d, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console.tls.cert_file", true},
		{"console.tls.key_file", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /l}, oidc: {issuer: 'https://i', client_id: c}}", "console.tls.key_file", true},
		{"console.oidc.issuer", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://j', client_id: c}}", "console.oidc.issuer", true},
		{"console.oidc.client_id", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: d}}", "console.oidc.client_id", true},
		{"console.oidc.client_secret_file", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "console: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c, client_secret_file: /s}}", "console.oidc.client_secret_file", true},
		{"console.passkeys", "people: {ann: {}}\nconsole: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}}", "people: {ann: {}}\nconsole: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, passkeys: true}", "console.passkeys", true},
		{"a subject", "people: {ann: {}}\nconsole: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "people: {ann: {oidc: u1}}\nconsole: {listen: '0.0.0.0:8443', origin: 'https://g.example.org', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i', client_id: c}}", "people.ann.oidc", false},
		{"audit.witnesses", "", "audit: {witnesses: [{url: 'https://witness.example.org', key: witness.example.org+da27d341+BEQpkwZQBKoeTEj03QFYGUwCNJvMZkzZbkAOommRio1R}]}", "audit.witnesses", true},
		{"audit.keep for ever", "", "audit: {keep: 30d}", "audit.keep", false},
		{"asks.approval_lifetime", "asks: {approval_lifetime: 1m}", "asks: {approval_lifetime: 2m}", "asks.approval_lifetime", false},
		{"listen", "listen: /a", "listen: /b", "listen", true},
		{"store", "store: /a", "store: /b", "store", true},
		{"boundary", "listen: /run/callgate/c.sock", "{listen: /run/callgate/c.sock, boundary: {agent_accounts: [1]}}", "boundary.agent_accounts", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := widenings(t, tt.tighter, tt.looser)
			if keysOf(got) != tt.where {
				t.Errorf("%s to %s: got %+v, want a widening of %s alone", tt.tighter, tt.looser, got, tt.where)
			}
			back := widenings(t, tt.looser, tt.tighter)
			if (len(back) > 0) != tt.incomparable {
				t.Errorf("%s to %s: got %+v, want some: %t", tt.looser, tt.tighter, back, tt.incomparable)
			}
			for _, same := range []string{tt.tighter, tt.looser} {
				if got := widenings(t, same, "# a comment\n"+same); len(got) > 0 {
					t.Errorf("a comment above %s: got %+v, want none", same, got)
				}
			}
		})
	}
}

// TestWidenings_everyLimit: more of any limit waits, for all modules and for one;
// less holds at once, and so does the lower of both where one is more, one less.
func TestWidenings_everyLimit(t *testing.T) {
	t.Parallel()
	for _, s := range sandbox.Settings() {
		for _, where := range []string{"modules.limits", "modules.grants.m.limits"} {
			t.Run(where+"."+s.Name, func(t *testing.T) {
				t.Parallel()
				text := func(value int64) string {
					limit := s.Name + ": " + s.Text(value)
					if where == "modules.limits" {
						return "modules: {limits: {" + limit + "}, grants: {m: {}}}"
					}
					return "modules: {grants: {m: {limits: {" + limit + "}}}}"
				}
				more, less := text(s.Least+s.Least), text(s.Least)
				want := []wire.PendingChange{{Where: where + "." + s.Name, Line: 1, Was: s.Text(s.Least), Will: s.Text(2 * s.Least)}}
				if got := widenings(t, less, more); !slices.Equal(got, want) {
					t.Errorf("more: got %+v, want %+v", got, want)
				}
				if got := widenings(t, more, less); len(got) > 0 {
					t.Errorf("less: got %+v, want none", got)
				}
				for _, c := range []*config.Config{inForce(parse(t, less), parse(t, more)), inForce(parse(t, more), parse(t, less))} {
					m := c.Modules
					if got := s.Of(m.LimitsOf(m.Grants["m"])); got != s.Least {
						t.Errorf("both: got %d, want %d", got, s.Least)
					}
				}
			})
		}
	}
}

// TestWidenings_everyKey: a key added to the file is compared from the first day. The table
// above shows how; this test that it is there at all.
func TestWidenings_everyKey(t *testing.T) {
	t.Parallel()
	for typ, want := range map[reflect.Type]string{
		reflect.TypeFor[config.Config](): "defaults agents rules profiles tools people permission_grants webhooks discord paths modules asks audit telemetry console gateway hooks listen boundary store",
		reflect.TypeFor[config.Settings](): "mode working_directories home user kind allowed_tools disallowed_tools respect_denylist profile timeout resume_asks reads " +
			"follow_client_mode dialect persistent_shell callback sub_agents skills ask_approvers discord tools",
		reflect.TypeFor[config.Callback]():            "url secret_file timeout",
		reflect.TypeFor[config.SubAgent]():            "mode allowed_tools disallowed_tools working_directories",
		reflect.TypeFor[config.Block]():               "rules",
		reflect.TypeFor[config.Rule]():                "allow ask deny tool content behavior reason expires_at match not_match",
		reflect.TypeFor[config.Tool]():                "config ask_approvers",
		reflect.TypeFor[config.Paths]():               "protected unprotected secret not_secret",
		reflect.TypeFor[config.Approvers]():           "users roles quorum exclude_requester passkey passkey_for_rules safety_checks",
		reflect.TypeFor[config.SafetyChecks]():        "users roles quorum passkey",
		reflect.TypeFor[config.Discord]():             "token_file server api_url reactions gateway interactions",
		reflect.TypeFor[config.DiscordInteractions](): "listen public_key",
		reflect.TypeFor[config.DiscordRoute]():        "channel threads direct_messages mention_roles escalate",
		reflect.TypeFor[config.DiscordEscalation]():   "after channel mention_roles direct_messages",
		reflect.TypeFor[config.Person]():              "roles administrator discord oidc",
		reflect.TypeFor[config.Console]():             "listen origin tls oidc passkeys",
		reflect.TypeFor[config.ConsoleTLS]():          "cert_file key_file",
		reflect.TypeFor[config.OIDC]():                "issuer client_id client_secret_file",
		reflect.TypeFor[config.Modules]():             "dir memory_mib limits grants dev keys require_signature",
		reflect.TypeFor[config.Grant]():               "names may_allow may_read_only config limits",
		reflect.TypeFor[config.Limits](): "module_kib functions globals table_entries compile_time compile_mib memory_mib stack_kib fuel timeout " +
			"input_kib output_kib log_lines log_kib error_bytes instances",
		reflect.TypeFor[config.Audit]():     "keep witnesses",
		reflect.TypeFor[config.Telemetry](): "metrics traces",
		reflect.TypeFor[config.Gateway]():   "listen",
		reflect.TypeFor[config.Hooks]():     "probe_every",
		reflect.TypeFor[config.Asks]():      "timeout per_session per_agent repeat_denial pause_after approval_lifetime checks",
	} {
		var keys []string
		for f := range typ.Fields() {
			if key := f.Tag.Get("yaml"); key != "" && key != "-" {
				keys = append(keys, key)
			}
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%s: got %s, want %s: give the new key its rows in TestWidenings, then name it here", typ, got, want)
		}
	}
}

// TestWidenings_places: a widening gives its place, the old value and the new one.
func TestWidenings_places(t *testing.T) {
	t.Parallel()
	got := widenings(t, "defaults: {mode: plan}\nrules:\n  - deny: \"Bash(rm:*)\"\n", `
defaults:
  mode: bypass
rules:
  - allow: "Bash(npm run:*)"
    expires_at: 2027-01-31
agents:
  a:
    allowed_tools: [Read]
`)
	want := []wire.PendingChange{
		{Where: "defaults.mode", Line: 3, Was: "explore", Will: "bypass"},
		{Where: "rules[0]", Line: 5, Will: "allow Bash(npm run:*) until 2027-02-01T00:00:00Z"},
		{Where: "rules", Line: 5, Was: "deny Bash(rm:*)"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

// TestStricter_mixed: of a change with a tightening and a widening, the first holds and the
// second does not.
func TestStricter_mixed(t *testing.T) {
	t.Parallel()
	was := parse(t, `
defaults: {mode: accept_edits, working_directories: [/a, /b], disallowed_tools: [X]}
tools: {Bash: {config: {dialect: bash}}}
modules: {grants: {m: {names: [M], may_allow: true, may_read_only: true}}}
rules:
  - allow: "Bash(npm run:*)"
  - deny: "Bash(rm:*)"
agents:
  gone: {mode: explore, rules: [deny: Gone]}
asks: {per_session: 2, repeat_denial: 5m}
listen: /run/a.sock
`)
	will := parse(t, `
defaults: {mode: bypass, working_directories: [/a, /c], disallowed_tools: [Y], kind: background}
tools: {Bash: {config: {dialect: zsh}}}
modules: {grants: {m: {names: [M, N], may_allow: false, may_read_only: true}}}
rules:
  - deny: "Bash(curl:*)"
  - allow: Write
asks: {per_session: 9, repeat_denial: 9m}
listen: /run/b.sock
`)
	both := inForce(was, will)
	a := both.Agent("any")
	if a.Mode != engine.AcceptEdits || a.Kind != engine.Background || !reflect.DeepEqual(a.WorkingDirectories, []string{"/a", "/b"}) ||
		!reflect.DeepEqual(a.Lists.Disallowed, []string{"X", "Y"}) || fmt.Sprint(a.Rules.All()) != "[Bash(curl:*) Bash(rm:*)]" {
		t.Errorf("any agent: got %+v", a)
	}
	if g := both.Agent("gone"); g.Mode != engine.Explore || fmt.Sprint(g.Rules.All()) != "[Bash(curl:*) Bash(rm:*) Gone]" {
		t.Errorf("an agent that is gone: got %+v", g)
	}
	if got := string(both.ToolConfig("any", "", "Bash")); got != `{"dialect":"bash"}` {
		t.Errorf("tool config: got %s, want the accepted one", got)
	}
	if g := both.Modules.Grants["m"]; g.MayAllow || !g.MayReadOnly || len(g.Names) != 1 {
		t.Errorf("grant: got %+v", g)
	}
	if got := both.Asks; got.PerSession != 2 || got.RepeatDenial != will.Asks.RepeatDenial {
		t.Errorf("asks: got %+v", got)
	}
	if got := fmt.Sprint(both.AllRules()); got != "[Bash(curl:*) Bash(rm:*) Gone]" {
		t.Errorf("all rules: got %s", got)
	}
}

// TestWidenings_emptyBoundary: empty lists equal absent ones, as in the example.
func TestWidenings_emptyBoundary(t *testing.T) {
	t.Parallel()
	if got := widenings(t, "defaults: {}\n", "boundary:\n  agent_accounts: []\n  approver_accounts: []\n"); len(got) > 0 {
		t.Errorf("got %+v, want none", got)
	}
}
