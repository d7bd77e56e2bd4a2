package convert

import (
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/engine"
)

// whyCodex are keys with a reason of their own.
var whyCodex = map[string]string{
	"shell_environment_policy": "not carried: an environment may hold secrets; its values are not shown",
	"projects":                 "not carried: trust in a directory is Codex's business; working_directories tells where an agent works",
	"hooks":                    "not carried: a hook is the client's; its value is not shown",
	"model_providers":          "not carried: it may hold secrets; its values are not shown",
	"profiles":                 "not carried: import the file once more with `profile = \"NAME\"` in it for the one you use",
	"default_permissions":      "not carried: Codex's own permission profiles describe its sandbox",
	"permissions":              "not carried: Codex's own permission profiles describe its sandbox",
}

// readCodex reads config.toml, or, by the file's name, a .rules file.
func readCodex(b *builder, data []byte) error {
	switch filepath.Ext(b.file) {
	case ".rules", ".codexpolicy":
		return readCodexRules(b, data)
	}
	root, err := b.readTOML(data)
	if err != nil {
		return err
	}
	known := []string{"approval_policy", "sandbox_mode", "sandbox_workspace_write", "mcp_servers", "profile", "web_search", "tools", "$schema"}
	why := whyCodex
	settings := root
	if chosen := root.get("profile"); b.is(chosen, "profile", text) {
		if p := root.get("profiles").get(chosen.text); p == nil {
			b.errorf(chosen.at, "profile", "there is no [profiles.%s]", chosen.text)
		} else if b.is(p, "profiles."+chosen.text, object) {
			settings = over(root, p)
			b.entry(chosen.at, "profile: "+chosen.text).says("its keys replace those outside")
		}
	}
	b.rest(root, "", known, why)
	b.codexMode(settings.member("approval_policy"), settings.member("sandbox_mode"))
	b.codexSandbox(root.get("sandbox_workspace_write"))
	b.codexSearch(settings.member("web_search"), settings.get("tools"))
	if servers := root.get("mcp_servers"); b.is(servers, "mcp_servers", object) {
		for _, m := range servers.keys {
			if b.is(m.value, "mcp_servers."+m.name, object) {
				b.codexServer(m)
			}
		}
	}
	return nil
}

// over puts the members of top over those of below.
func over(below, top *node) *node {
	out := &node{kind: object, at: below.at, keys: append([]member(nil), top.keys...)}
	for _, m := range below.keys {
		if top.get(m.name) == nil {
			out.keys = append(out.keys, m)
		}
	}
	return out
}

// codexMode joins the two keys: Codex asks depending on its sandbox, and Callgate has none.
func (b *builder) codexMode(approval, sandbox *member) {
	if approval != nil && approval.value.kind == object {
		b.entry(approval.at, "approval_policy: {...}").is(Tighter, "not carried: without a mode, default asks about all that no rule allows")
		approval = nil
	}
	policy, box := b.word(approval, "approval_policy"), b.word(sandbox, "sandbox_mode")
	if approval == nil {
		if sandbox != nil {
			b.entry(sandbox.at, "sandbox_mode: "+box).is(LeftOut, "not carried: without approval_policy Codex asks by its own lights; here the mode default asks")
		}
		b.givenDir()
		return
	}
	e := b.entry(approval.at, "approval_policy: "+policy)
	if sandbox != nil {
		b.entry(sandbox.at, "sandbox_mode: "+box).says("decides, together with approval_policy, about the mode; the sandbox itself is Codex's: leave it on")
	}
	b.givenDir()
	switch policy {
	case "never":
		switch box {
		case "danger-full-access":
			e.mode(engine.Bypass)
			e.says("deny rules, ask rules and a tool's own denial still hold")
		case "workspace-write":
			e.mode(engine.DontAsk)
			e.is(Tighter, "there everything runs inside Codex's sandbox; Callgate has none, so what no rule allows is denied: allow by rules what should run")
		default:
			e.mode(engine.Explore)
			e.is(Tighter, "there everything runs and may write nothing; here only what provably changes nothing runs")
		}
	case "on-request", "on-failure":
		switch box {
		case "workspace-write":
			e.mode(engine.AcceptEdits)
			e.is(Tighter, "edits and reading are allowed; commands that Codex runs in its sandbox without asking are asked about")
		default:
			e.mode(engine.DefaultMode)
			e.is(Tighter, "what Codex runs in its sandbox, or because the model does not ask, is asked about")
		}
	case "untrusted":
		e.mode(engine.DefaultMode)
	default:
		b.errorf(approval.value.at, "approval_policy", "unknown value %q: want never, on-request, on-failure or untrusted", policy)
	}
}

// word reads a member of type text.
func (b *builder) word(m *member, field string) string {
	if m == nil || !b.is(m.value, field, text) {
		return ""
	}
	return m.value.text
}

func (b *builder) codexSandbox(n *node) {
	if !b.is(n, "sandbox_workspace_write", object) {
		return
	}
	b.rest(n, "sandbox_workspace_write", []string{"writable_roots"}, map[string]string{
		"network_access":         "not carried: a matter of Codex's sandbox; rules of WebFetch hold for every command that names a host",
		"exclude_slash_tmp":      "not carried: a matter of Codex's sandbox; /tmp is no working directory here unless it is named",
		"exclude_tmpdir_env_var": "not carried: a matter of Codex's sandbox; $TMPDIR is no working directory here unless it is named",
	})
	if roots := n.get("writable_roots"); roots != nil {
		var dirs []string
		for _, r := range b.texts(roots, "sandbox_workspace_write.writable_roots") {
			dirs = append(dirs, r.text)
		}
		b.entry(roots.at, "sandbox_workspace_write.writable_roots: "+strings.Join(dirs, ", ")).directories(dirs...)
	}
}

func (b *builder) codexSearch(search *member, tools *node) {
	if search == nil {
		if search = tools.member("web_search"); search == nil {
			return
		}
	}
	e := b.entry(search.at, "web_search: "+search.value.text)
	if search.value.text == "disabled" || search.value.text == "false" {
		e.disallow("WebSearch")
		return
	}
	e.is(LeftOut, "not carried: that a tool is offered allows nothing here; if searching needs no question: callgate rules add allow WebSearch")
}

// mcpName writes a tool of a server as Callgate knows it.
func mcpName(server, tool string) string {
	if tool == "" {
		return "mcp__" + server
	}
	return "mcp__" + server + "__" + tool
}

func (b *builder) codexServer(m member) {
	field, s := "mcp_servers."+m.name, m.value
	if on := s.get("enabled"); on != nil && on.text == "false" {
		b.entry(on.at, field+".enabled: false").mcp(engine.Deny, m.name, "")
	}
	for _, t := range b.texts(s.get("disabled_tools"), field+".disabled_tools") {
		b.entry(t.at, field+".disabled_tools: "+t.text).mcp(engine.Deny, m.name, t.text)
	}
	offered := []string{""}
	if only := s.member("enabled_tools"); only != nil {
		offered = nil
		for _, t := range b.texts(only.value, field+".enabled_tools") {
			offered = append(offered, t.text)
		}
		b.entry(only.at, field+".enabled_tools").is(Weaker, "not carried: other tools of the server are not offered there; here they are asked about in the mode default: deny them by name, or restrict the agent with allowed_tools")
	}
	if d := s.member("default_tools_approval_mode"); d != nil {
		b.codexApproval(d, field+".default_tools_approval_mode", m.name, offered)
	}
	if tools := s.get("tools"); b.is(tools, field+".tools", object) {
		for _, t := range tools.keys {
			if a := t.value.member("approval_mode"); a != nil {
				b.codexApproval(a, field+".tools."+t.name+".approval_mode", m.name, []string{t.name})
			}
		}
	}
	b.rest(s, field, []string{"enabled", "disabled_tools", "enabled_tools", "default_tools_approval_mode", "tools"}, map[string]string{
		"env": "not carried: an environment may hold secrets; its values are not shown", "http_headers": "not carried: headers may hold secrets; their values are not shown",
		"command": "not carried: which program a server is, is the client's business", "args": "not carried: which program a server is, is the client's business; its values are not shown", "url": "not carried: where a server is, is the client's business",
	})
}

// codexApproval reads how calls of a server's tools are approved. "" stands for all
// of them.
func (b *builder) codexApproval(m *member, field, server string, tools []string) {
	value := b.word(m, field)
	e := b.entry(m.at, field+": "+value)
	switch value {
	case "approve":
		for _, t := range tools {
			e.mcp(engine.Allow, server, t)
		}
		if len(tools) == 0 {
			e.is(LeftOut, "not carried: the server offers no tool")
			return
		}
		e.b.note("A rule of an MCP server holds for whatever server has that name. One that is accepted on a card is bound to the very server.")
	case "prompt":
		tool := ""
		if len(tools) == 1 {
			tool = tools[0]
		}
		e.mcp(engine.Ask, server, tool)
	default:
		e.is(LeftOut, "not carried: a server's own word about its tools allows nothing here")
	}
}
