package exchange

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
		field string
		n     *node
	}{{"tools.exclude", tools.get("exclude")}, {"excludeTools", root.get("excludeTools")}} {
		for _, n := range b.texts(l.n, l.field) {
			b.entry(n.at, l.field+": "+n.text).geminiTool(engine.Deny, n.text)
		}
	}
	for _, l := range []struct {
		field string
		n     *node
	}{{"tools.allowed", tools.get("allowed")}, {"allowedTools", root.get("allowedTools")}} {
		for _, n := range b.texts(l.n, l.field) {
			b.entry(n.at, l.field+": "+n.text).geminiTool(engine.Allow, n.text)
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

// geminiExclude disallows a tool. A name that none of the built-in tools has is one
// of an MCP server's tools, or SERVER__TOOL.
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

// geminiTrust allows the tools of a trusted server, those it includes when it
// says which.
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

// geminiAll are the modes of a rule that holds in every mode a person works in.
var geminiAll = []string{"default", "autoEdit", "yolo"}

func readGeminiPolicy(b *builder, data []byte) error {
	root, err := b.readTOML(data)
	if err != nil {
		return err
	}
	b.rest(root, "", []string{"rule"}, map[string]string{"safety_checker": "not carried: a program that judges calls; Callgate asks its tool modules"})
	rules := root.get("rule")
	if rules == nil {
		return nil
	}
	if !b.is(rules, "rule", array) {
		return nil
	}
	for i, r := range rules.list {
		if b.is(r, "rule", object) {
			b.geminiRule(r, i)
		}
	}
	b.shadowed()
	return nil
}

func (b *builder) geminiRule(r *node, index int) {
	decision := r.get("decision")
	if decision == nil || decision.kind != text {
		b.errorf(r.at, "rule.decision", "want allow, deny or ask_user")
		return
	}
	behavior, known := map[string]engine.Behavior{"allow": engine.Allow, "deny": engine.Deny, "ask_user": engine.Ask}[decision.text]
	if !known {
		b.errorf(decision.at, "rule.decision", "unknown decision %q: want allow, deny or ask_user", decision.text)
		return
	}
	e := b.entry(r.at, "[[rule]] "+decision.text)
	e.wins = -index
	if p := r.get("priority"); p != nil {
		e.wins = number1000(p.text) - index
	}
	e.entry().Source += " " + strings.Join(append(b.words(r.get("mcpName")), append(b.words(r.get("toolName")), b.words(r.get("commandPrefix"))...)...), " ")
	if !e.geminiConditions(behavior, r) {
		return
	}
	before := len(b.main().Rules)
	e.geminiMatch(behavior, r)
	if m := r.get("deny_message"); m != nil && m.kind == text && !strings.ContainsFunc(m.text, hidden) {
		for i := before; i < len(b.main().Rules); i++ {
			b.main().Rules[i].Reason = m.text
		}
	}
}

// number1000 reads a priority; what is none counts as zero.
func number1000(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1e6 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n * 1000
}

// words reads a text or a list of texts.
func (b *builder) words(n *node) []string {
	switch {
	case n == nil:
		return nil
	case n.kind == text:
		return []string{n.text}
	}
	var out []string
	for _, item := range b.texts(n, "rule") {
		out = append(out, item.text)
	}
	return out
}

// geminiConditions tells whether a rule can be carried at all.
func (e *entry) geminiConditions(behavior engine.Behavior, r *node) bool {
	for _, key := range []string{"argsPattern", "commandRegex", "toolAnnotations", "subagent"} {
		if r.get(key) != nil {
			e.left(behavior, "not carried: %s has no counterpart in a rule: a profile takes regular expressions (profiles:, tool:bash:...)", key)
			return false
		}
	}
	if m := r.get("modes"); m != nil {
		modes := e.b.words(m)
		for _, all := range geminiAll {
			if has(modes, all) {
				continue
			}
			if behavior == engine.Allow {
				e.is(LeftOut, "not carried: it holds in the modes %s only, a rule here in every mode", strings.Join(modes, ", "))
				return false
			}
			e.is(Tighter, "holds in every mode here, there in %s", strings.Join(modes, ", "))
			break
		}
	}
	if i := r.get("interactive"); i != nil {
		if behavior == engine.Allow {
			e.is(LeftOut, "not carried: it holds only when interactive is %s", i.text)
			return false
		}
		e.is(Tighter, "holds here whether somebody is there or not")
	}
	for _, m := range r.keys {
		if !has([]string{"toolName", "mcpName", "commandPrefix", "decision", "priority", "modes", "interactive", "deny_message", "denyMessage", "name", "description", "allow_redirection", "allowRedirection"}, m.name) {
			e.left(behavior, "not carried: %s is not known here and may narrow the rule", m.name)
			return false
		}
	}
	return true
}

func (e *entry) geminiMatch(behavior engine.Behavior, r *node) {
	tools, servers, prefixes := e.b.words(r.get("toolName")), e.b.words(r.get("mcpName")), e.b.words(r.get("commandPrefix"))
	switch {
	case len(prefixes) > 0:
		for _, t := range tools {
			if geminiTool(t) != bash {
				e.left(behavior, "not carried: commandPrefix is for run_shell_command, not for %s", t)
				return
			}
		}
		for _, p := range prefixes {
			e.prefix(behavior, p, true)
		}
	case len(servers) > 0:
		if len(tools) == 0 {
			tools = []string{""}
		}
		for _, s := range servers {
			for _, t := range tools {
				if t == "*" {
					t = ""
				}
				if s == "*" {
					e.geminiWhole(behavior, mcpName(s, t)) // any server, there as well
				} else {
					e.mcp(behavior, s, t)
				}
			}
		}
	case len(tools) == 0:
		e.geminiWhole(behavior, "*")
	default:
		for _, t := range tools {
			if server, tool, ok := strings.Cut(t, "__"); ok && !strings.HasPrefix(t, "mcp_") {
				t = mcpName(server, strings.TrimSuffix(tool, "*"))
				t = strings.TrimSuffix(t, "__")
				if tool != "*" && strings.HasSuffix(tool, "*") {
					t += "*"
				}
			}
			if rest, ok := strings.CutPrefix(t, "mcp_"); ok && !strings.HasPrefix(t, "mcp__") {
				e.left(behavior, "not carried: where the server's name ends in mcp_%s cannot be told: write it with mcpName", rest)
				continue
			}
			if behavior == engine.Allow && strings.Trim(t, "*") != "" && strings.ContainsAny(strings.TrimSuffix(strings.TrimPrefix(t, "mcp__"), "__*"), "*?") {
				e.is(LeftOut, "not carried: here %s may mean more tools than in Gemini CLI: name them", t)
				continue
			}
			e.geminiWhole(behavior, geminiTool(t))
		}
	}
}

func (e *entry) geminiWhole(behavior engine.Behavior, tool string) {
	if strings.Trim(tool, "*?") != "" {
		e.rule(behavior, tool, "")
		return
	}
	switch behavior {
	case engine.Ask:
		e.is(Weaker, "not carried: no rule matches every tool; the mode default asks about what no rule allows")
	case engine.Deny:
		e.is(Weaker, "not carried: no rule matches every tool; the mode dont_ask denies what no rule allows")
	default:
		e.is(LeftOut, "not carried: no rule matches every tool; what comes near is mode: bypass")
	}
}
