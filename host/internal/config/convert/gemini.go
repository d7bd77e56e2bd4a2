package convert

import (
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/engine"
)

// geminiTools are Gemini CLI's tools by the names of the same tools here.
var geminiTools = map[string]string{
	"run_shell_command": bash, "ShellTool": bash, "read_file": "Read", "ReadFileTool": "Read", "read_many_files": "ReadMany", "ReadManyFilesTool": "ReadMany",
	"write_file": "Write", "WriteFileTool": "Write", "replace": "Edit", "EditTool": "Edit", "glob": "Glob", "GlobTool": "Glob",
	"search_file_content": "Grep", "grep_search": "Grep", "GrepTool": "Grep", "list_directory": "LS", "LSTool": "LS",
	"web_fetch": "WebFetch", "WebFetchTool": "WebFetch", "google_web_search": "WebSearch", "WebSearchTool": "WebSearch",
}

func geminiTool(name string) string {
	if t, ok := geminiTools[name]; ok {
		return t
	}
	return name
}

// geminiModes are the approval modes.
var geminiModes = map[string]engine.Mode{
	"default": engine.DefaultMode, "auto_edit": engine.AcceptEdits, "autoEdit": engine.AcceptEdits, "plan": engine.Explore, "yolo": engine.Bypass,
}

// readGemini reads settings.json, or, by the file's name, a policy file.
func readGemini(b *builder, data []byte) error {
	if filepath.Ext(b.file) == ".toml" {
		return readGeminiPolicy(b, data)
	}
	root, err := b.readJSON(data)
	if err != nil {
		return err
	}
	if !b.is(root, "", object) {
		return nil
	}
	b.rest(root, "", []string{"$schema", "general", "tools", "mcp", "mcpServers", "security", "context", "coreTools", "excludeTools", "allowedTools", "autoAccept", "includeDirectories", "defaultApprovalMode", "approvalMode"}, map[string]string{
		"hooks": "not carried: a hook is the client's; its value is not shown",
	})
	section := func(name string, known ...string) *node {
		n := root.get(name)
		if !b.is(n, name, object) {
			return nil
		}
		b.rest(n, name, known, map[string]string{"sandbox": "not carried: Callgate judges calls and contains nothing: leave the sandbox on"})
		return n
	}
	general := section("general", "defaultApprovalMode")
	tools := section("tools", "core", "exclude", "allowed", "autoAccept", "approvalMode")
	mcp := section("mcp", "allowed", "excluded")
	security := section("security", "disableYoloMode")
	context := section("context", "includeDirectories")
	for _, m := range []*member{general.member("defaultApprovalMode"), tools.member("approvalMode"), root.member("defaultApprovalMode"), root.member("approvalMode")} {
		b.geminiMode(m)
	}
	if m := security.member("disableYoloMode"); m != nil {
		b.entry(m.at, "security.disableYoloMode: "+m.value.text).says("holds anyway: a mode that the client reports may only tighten, unless follow_client_mode is set")
	}
	for _, m := range []*member{tools.member("autoAccept"), root.member("autoAccept")} {
		if m != nil {
			b.entry(m.at, m.name+": "+m.value.text).is(LeftOut, "not carried: which calls are safe enough is the client's own list; the mode accept_edits allows what only reads")
		}
	}
	b.geminiCore(first(tools.get("core"), root.get("coreTools")))
	for _, l := range []struct {
		field    string
		n        *node
		behavior engine.Behavior
	}{
		{"tools.exclude", tools.get("exclude"), engine.Deny},
		{"excludeTools", root.get("excludeTools"), engine.Deny},
		{"tools.allowed", tools.get("allowed"), engine.Allow},
		{"allowedTools", root.get("allowedTools"), engine.Allow},
	} {
		for _, n := range b.texts(l.n, l.field) {
			b.entry(n.at, l.field+": "+n.text).geminiTool(l.behavior, n.text)
		}
	}
	b.geminiServers(root.get("mcpServers"), mcp)
	b.geminiDirectories(first(context.get("includeDirectories"), root.get("includeDirectories")))
	return nil
}

func first(nodes ...*node) *node {
	for _, n := range nodes {
		if n != nil {
			return n
		}
	}
	return nil
}

func (b *builder) geminiMode(m *member) {
	if m == nil || !b.is(m.value, m.name, text) {
		return
	}
	e := b.entry(m.at, m.name+": "+m.value.text)
	mode, known := geminiModes[m.value.text]
	if !known {
		b.errorf(m.value.at, m.name, "unknown mode %q: want default, auto_edit, plan or yolo", m.value.text)
		return
	}
	e.mode(mode)
	switch mode {
	case engine.DefaultMode:
		e.is(Tighter, "reading files is asked about here, too: `callgate recipes show team-default` has the rule that allows it inside the working directory")
	case engine.AcceptEdits:
		if b.options.Dir == "" {
			e.is(Tighter, "edits are allowed inside the working directories only: name them with --dir")
		}
	case engine.Bypass:
		e.says("deny rules, ask rules and a tool's own denial still hold")
	}
}

func (b *builder) geminiDirectories(n *node) {
	if n == nil {
		b.givenDir()
		return
	}
	var dirs []string
	for _, d := range b.texts(n, "includeDirectories") {
		dirs = append(dirs, d.text)
	}
	b.entry(n.at, "includeDirectories: "+strings.Join(dirs, ", ")).directories(dirs...)
}

// geminiCore makes the list of built-in tools allowed_tools. Those of MCP servers
// are not meant there, so they stay.
func (b *builder) geminiCore(n *node) {
	if n == nil || !b.is(n, "tools.core", array) {
		return
	}
	allowed := []string{"mcp__*"}
	for _, item := range b.texts(n, "tools.core") {
		e := b.entry(item.at, "tools.core: "+item.text)
		name, content, part := strings.Cut(item.text, "(")
		name = geminiTool(name)
		if !engine.IsToolName(name) || strings.Trim(name, "*?") == "" {
			e.is(Weaker, "not carried: %q is no tool's name", name)
			continue
		}
		if !has(allowed, name) {
			allowed = append(allowed, name)
		}
		e.becomes("allowed_tools: %s", name)
		if part {
			e.is(Weaker, "that only %q may run is not carried: other commands are asked about in the mode default, and denied in dont_ask", strings.TrimSuffix(content, ")"))
		}
	}
	b.entry(n.at, "tools.core").says("allowed_tools restricts and grants nothing; tools of MCP servers (mcp__*) stay, as there")
	b.main().AllowedTools = &allowed
}

// geminiTool is an entry of exclude or allowed: a tool, or run_shell_command with
// the beginning of a command.
func (e *entry) geminiTool(b engine.Behavior, item string) {
	name, content, part := strings.Cut(item, "(")
	content, closed := strings.CutSuffix(content, ")")
	name = geminiTool(name)
	switch {
	case part && !closed:
		e.left(b, "not carried: the parenthesis is not closed")
	case !part && b == engine.Deny:
		e.geminiExclude(name)
	case !part && strings.ContainsAny(name, "*?"):
		e.is(LeftOut, "not carried: Gemini CLI takes the star for itself here")
	case !part:
		e.rule(b, name, "")
	case name == bash:
		e.prefix(b, content, true)
	default:
		e.left(b, "not carried: Gemini CLI has contents for run_shell_command only")
	}
}

// geminiExclude disallows a tool. A name outside the built-in tools is a tool of an MCP server, or
// SERVER__TOOL.
func (e *entry) geminiExclude(name string) {
	e.disallow(name)
	for _, known := range geminiTools {
		if name == known {
			return
		}
	}
	if strings.HasPrefix(name, "mcp__") || !engine.IsToolName(name) {
		return
	}
	if server, tool, both := strings.Cut(name, "__"); both {
		e.mcp(engine.Deny, server, tool)
	}
	e.mcp(engine.Deny, "*", name)
	e.is(Tighter, "a tool of that name of any MCP server is meant")
}

func (b *builder) geminiServers(servers, mcp *node) {
	for _, n := range b.texts(mcp.get("excluded"), "mcp.excluded") {
		b.entry(n.at, "mcp.excluded: "+n.text).mcp(engine.Deny, n.text, "")
	}
	if m := mcp.member("allowed"); m != nil {
		b.entry(m.at, "mcp.allowed").is(Weaker, "not carried: other servers are not started there; here their calls are asked about in the mode default: deny them by name, or restrict the agent with allowed_tools")
	}
	if !b.is(servers, "mcpServers", object) {
		return
	}
	for _, s := range servers.keys {
		field := "mcpServers." + s.name
		if !b.is(s.value, field, object) {
			continue
		}
		b.rest(s.value, field, []string{"trust", "includeTools", "excludeTools"}, map[string]string{
			"env": "not carried: an environment may hold secrets; its values are not shown", "headers": "not carried: headers may hold secrets; their values are not shown",
			"command": "not carried: which program a server is, is the client's business", "args": "not carried: which program a server is, is the client's business; its values are not shown",
		})
		for _, n := range b.texts(s.value.get("excludeTools"), field+".excludeTools") {
			b.entry(n.at, field+".excludeTools: "+n.text).mcp(engine.Deny, s.name, strings.TrimSuffix(n.text, "()"))
		}
		b.geminiTrust(field, s)
	}
}

// geminiTrust allows the tools of a trusted server; only the included ones when it lists them.
func (b *builder) geminiTrust(field string, s member) {
	include, trust := s.value.member("includeTools"), s.value.get("trust")
	trusted := b.is(trust, field+".trust", boolean) && trust.text == "true"
	var names []string
	if include != nil {
		for _, n := range b.texts(include.value, field+".includeTools") {
			names = append(names, n.text)
		}
		b.entry(include.at, field+".includeTools").is(Weaker, "not carried: other tools of the server are not offered there; here they are asked about in the mode default: deny them by name, or restrict the agent with allowed_tools")
	} else {
		names = []string{""}
	}
	if trust == nil {
		return
	}
	e := b.entry(trust.at, field+".trust: "+trust.text)
	if !trusted {
		e.says("its calls are asked about")
		return
	}
	for _, name := range names {
		e.mcp(engine.Allow, s.name, name)
	}
	b.note("A rule of an MCP server holds for whatever server has that name. One that is accepted on a card is bound to the very server.")
}
