package convert

import (
	"regexp"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// openCodeTools are OpenCode's permissions by the tools here; the first one stands for all of them
// in a deny or ask rule, because it holds for every tool touching the same file.
var openCodeTools = map[string][]string{
	"read": {"Read"}, "edit": {"Edit", "Write", "MultiEdit", "ApplyPatch"}, "write": {"Write"}, "glob": {"Glob"}, "grep": {"Grep"}, "list": {"LS"},
	"bash": {bash}, "task": {"Agent"}, "skill": {"Skill"}, "todowrite": {"TodoWrite"}, "webfetch": {"WebFetch"}, "websearch": {"WebSearch"}, "question": {"AskUserQuestion"},
}

// openCodeOwn are permissions without a tool here.
var openCodeOwn = []string{"external_directory", "doom_loop", "lsp", "codesearch", "todoread", "plan_enter", "plan_exit"}

// grantItem is one permission of the file: a tool, a pattern and an action.
type grantItem struct {
	at                  strictyaml.Position
	tool, pattern, word string
	behavior            engine.Behavior
	// dead is the line of a later entry wholly overriding this one.
	dead int
	// excepted reports whether a later entry of the same tool is less strict.
	excepted bool
}

func (g grantItem) whole() bool { return strings.Trim(g.pattern, "*") == "" }

func readOpenCode(b *builder, data []byte) error {
	root, err := b.readJSON(data)
	if err != nil {
		return err
	}
	if !b.is(root, "", object) {
		return nil
	}
	b.rest(root, "", []string{"$schema", "permission", "tools", "agent", "mode"}, map[string]string{
		"mcp": "not carried: which servers run is OpenCode's business; its values are not shown", "provider": "not carried: it may hold secrets; its values are not shown",
	})
	for _, key := range []string{"agent", "mode"} {
		b.openCodeAgents(key, root.get(key))
	}
	if t := root.get("tools"); b.is(t, "tools", object) {
		for _, m := range t.keys {
			e := b.entry(m.at, "tools."+m.name+": "+m.value.text)
			if m.value.text == "false" {
				e.openCodeWithout(m.name)
			} else {
				e.is(LeftOut, "not carried: that a tool is offered allows nothing here")
			}
		}
	}
	items := b.openCodeItems(root.get("permission"))
	b.openCode(items)
	b.givenDir()
	return nil
}

func (b *builder) openCodeAgents(key string, n *node) {
	if !b.is(n, key, object) {
		return
	}
	for _, a := range n.keys {
		for _, own := range []string{"permission", "tools"} {
			if m := a.value.member(own); m != nil {
				b.entry(m.at, key+"."+a.name+"."+own).is(Weaker, "not carried: put it into a file of its own as %s and import that with --agent NAME", own)
			}
		}
	}
}

// openCodeNames are the tools behind one of OpenCode's names.
func openCodeNames(name string) []string {
	if t, ok := openCodeTools[name]; ok {
		return t
	}
	if server, ok := strings.CutSuffix(name, "_*"); ok && server != "" && !strings.ContainsAny(server, "*?") {
		return []string{mcpName(server, "")}
	}
	return []string{name}
}

// openCodeEdits are the keys of tools: for OpenCode's permission edit.
var openCodeEdits = []string{"write", "edit", "patch", "multiedit"}

// openCodeWithout disallows a tool switched off under tools:.
func (e *entry) openCodeWithout(name string) {
	if has(openCodeEdits, name) {
		name = "edit"
	}
	e.disallow(openCodeNames(name)...)
	e.disallow(e.openCodeServers(name)...)
}

// openCodeServers are the possible MCP tools of a name, SERVER_TOOL in OpenCode; none for a
// built-in tool.
func (e *entry) openCodeServers(name string) []string {
	if _, builtin := openCodeTools[name]; builtin || strings.Trim(name, "*") == "" || has(openCodeOwn, name) {
		return nil
	}
	names := underscored(name)
	if len(names) > 0 {
		e.is(Tighter, "OpenCode calls the tools of MCP servers SERVER_TOOL: every tool here that may be called so is meant")
	}
	return names
}

func (b *builder) openCodeItems(n *node) []grantItem {
	if n == nil {
		return nil
	}
	var out []grantItem
	add := func(at strictyaml.Position, field, tool, pattern string, action *node) {
		behavior, known := map[string]engine.Behavior{"allow": engine.Allow, "ask": engine.Ask, "deny": engine.Deny}[action.text]
		if action.kind != text || !known {
			b.errorf(action.at, field, "want allow, ask or deny")
			return
		}
		out = append(out, grantItem{at: at, tool: tool, pattern: pattern, word: action.text, behavior: behavior})
	}
	if n.kind == text {
		add(n.at, "permission", "*", "*", n)
		return out
	}
	if !b.is(n, "permission", object) {
		return nil
	}
	for _, m := range n.keys {
		field := "permission." + m.name
		if m.value.kind != object {
			add(m.at, field, m.name, "*", m.value)
			continue
		}
		for _, p := range m.value.keys {
			add(p.at, field+"."+p.name, m.name, p.name, p.value)
		}
	}
	return out
}

// openCode turns the entries into rules. There the last match wins, here deny
// beats ask beats allow: an entry for all of a tool with later, looser ones after
// it becomes the mode.
func (b *builder) openCode(items []grantItem) {
	asks, byMode := false, false
	for i := range items {
		x := &items[i]
		for j := i + 1; j < len(items); j++ {
			y := items[j]
			if y.tool != x.tool && y.tool != "*" && x.tool != "*" {
				continue
			}
			if y.whole() && (y.tool == x.tool || y.tool == "*") {
				x.dead = max(x.dead, y.at.Line)
			}
			x.excepted = x.excepted || strictness(y.behavior) < strictness(x.behavior) && !has(openCodeOwn, y.tool)
		}
	}
	for _, x := range items {
		if x.dead == 0 && !has(openCodeOwn, x.tool) {
			asks = asks || x.behavior == engine.Ask
			byMode = byMode || x.whole() && x.behavior != engine.Allow && (x.excepted || x.tool == "*")
		}
	}
	mode := engine.DefaultMode
	if !asks && byMode {
		mode = engine.DontAsk
	}
	outside := openCodeOutside(items)
	for i, x := range items {
		e := b.entry(x.at, "permission."+x.tool+" "+x.pattern+": "+x.word)
		e.wins = i
		switch {
		case x.dead != 0:
			e.is(LeftOut, "not carried: line %d comes later and means every such call: the last one counts there", x.dead)
		case has(openCodeOwn, x.tool):
			e.openCodeOwn(x)
		case x.tool == "*" && x.whole():
			e.openCodeAll(x, mode)
		case x.whole() && x.behavior != engine.Allow && x.excepted:
			e.openCodeByMode(x, mode)
		default:
			e.openCodeRule(x, outside)
		}
	}
	b.shadowed()
}

// openCodeOutside tells whether paths outside the project are allowed.
func openCodeOutside(items []grantItem) bool {
	allowed := false
	for _, x := range items {
		if x.tool == "external_directory" || x.tool == "*" {
			allowed = x.tool == "external_directory" && x.whole() && x.behavior == engine.Allow
		}
	}
	return allowed
}

func (e *entry) openCodeOwn(x grantItem) {
	switch {
	case x.tool == "external_directory" && x.behavior == engine.Allow:
		e.is(LeftOut, "not carried: a directory outside is a working directory or it is not: give those the agent works in with --dir and working_directories")
	case x.tool == "external_directory":
		e.says("what is allowed of files is allowed inside the working directories only; commands that OpenCode would ask about for their paths are not carried")
	case x.tool == "doom_loop":
		e.is(LeftOut, "not carried: a call equal to one denied in the last ten minutes is denied here; repeats of an allowed one are not counted")
	default:
		e.left(x.behavior, "not carried: Callgate knows no tool %s", x.tool)
	}
}

func (e *entry) openCodeAll(x grantItem, mode engine.Mode) {
	switch {
	case x.behavior == engine.Allow:
		e.is(LeftOut, "not carried: it would allow what OpenCode asks about, too; what comes near is mode: bypass")
	case x.behavior == engine.Deny && !x.excepted:
		e.becomes("allowed_tools: []")
		e.says("no tool at all, in every mode")
		e.b.main().AllowedTools = &[]string{}
	default:
		e.openCodeByMode(x, mode)
	}
}

func (e *entry) openCodeByMode(x grantItem, mode engine.Mode) {
	e.mode(mode)
	if x.tool == "bash" || x.tool == "*" {
		e.is(Weaker, "a mode leaves Bash its own say: command lines that only read (ls, git status, ...) run; for what should not, add a rule such as deny Bash(git status:*)")
	}
	switch {
	case x.behavior == engine.Ask:
		e.says("as a rule it would beat the later allow entries, so the mode says it: what no rule allows is asked about")
	case mode == engine.DontAsk:
		e.says("as a rule it would beat the later allow entries, so the mode says it: what no rule allows is denied")
	default:
		e.is(Weaker, "as a rule it would beat the later entries, so the mode says it: but the file has entries that ask, too, so what no rule allows is asked about instead of denied")
	}
}

// pathCommands are the commands with paths checked by OpenCode (external_directory).
var pathCommands = []string{"cd", "rm", "cp", "mv", "mkdir", "touch", "chmod", "chown", "cat", "pushd"}

// touchesOutside reports whether a pattern may match a command with paths checked by OpenCode.
func touchesOutside(pattern string) bool {
	for _, c := range pathCommands {
		word, _, _ := strings.Cut(pattern, " ")
		head, _, star := strings.Cut(word, "*")
		if word == c || star && (strings.HasPrefix(c, head)) || strings.Contains(word, "?") {
			return true
		}
	}
	return false
}

func (e *entry) openCodeRule(x grantItem, outside bool) {
	allow := x.behavior == engine.Allow
	tools := openCodeNames(x.tool)
	switch x.tool {
	case "bash":
		if allow && !outside && touchesOutside(x.pattern) {
			e.is(LeftOut, "not carried: for these commands OpenCode asks about paths outside the project (external_directory), a rule does not; if that is fine: callgate rules add allow 'Bash%s'", inParentheses(x.pattern))
			return
		}
		e.starred(x.behavior, x.pattern, false, true)
		return
	case "read", "edit", "write":
		e.openCodePath(x, tools, outside)
		return
	case "webfetch":
		if !x.whole() {
			e.openCodeURL(x)
			return
		}
	case "glob", "grep", "list":
		if allow && !outside {
			e.is(LeftOut, "not carried: OpenCode asks about directories outside the project; allowed in the mode accept_edits; or: callgate rules add allow '%s(path:./**)'", tools[0])
			return
		}
	}
	switch {
	case x.whole():
		if !allow {
			tools = append(tools[:len(tools):len(tools)], e.openCodeServers(x.tool)...)
		}
		for _, t := range tools {
			e.rule(x.behavior, t, "")
		}
	case strings.ContainsAny(x.pattern, "*?") || len(tools) != 1 || !has([]string{"task", "skill"}, x.tool):
		e.left(x.behavior, "not carried: a rule of %s has no pattern that means the same", tools[0])
	default:
		e.rule(x.behavior, tools[0], x.pattern)
	}
	if strings.HasPrefix(tools[0], "mcp__") {
		e.says("OpenCode's %s, taken for the MCP server of that name", x.tool)
	}
}

func inParentheses(pattern string) string {
	if strings.Trim(pattern, "*") == "" {
		return ""
	}
	return "(" + pattern + ")"
}

func (e *entry) openCodePath(x grantItem, tools []string, outside bool) {
	pattern := x.pattern
	if rest, ok := strings.CutPrefix(pattern, "$HOME"); ok {
		pattern = "~" + rest
	}
	if x.whole() && x.behavior == engine.Deny {
		e.disallow(tools...)
		return
	}
	if x.behavior != engine.Allow {
		tools = tools[:1]
		e.is(Tighter, "holds for every tool and command that touches such a file")
	} else if strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") || strings.Contains(pattern, "..") {
		e.is(LeftOut, "not carried: OpenCode compares paths relative to the project, so this allows nothing there")
		return
	}
	content := crossing(x.behavior, pattern, false)
	if x.behavior == engine.Allow && content == "" && !outside {
		content = "./**"
		if e.b.options.Dir == "" {
			e.says("the first working directory is meant: name it with --dir")
		}
	}
	if strings.Contains(content, "?") && x.behavior == engine.Allow {
		e.says("? is no slash here")
	}
	for _, t := range tools {
		e.rule(x.behavior, t, content)
	}
}

// pageURL is a pattern over addresses with a literal host.
var pageURL = regexp.MustCompile(`^(https?)://([a-z0-9.-]+)(/[A-Za-z0-9_./-]*)?(\*?)$`)

func (e *entry) openCodeURL(x grantItem) {
	m := pageURL.FindStringSubmatch(x.pattern)
	if m == nil || m[4] == "" || m[3] == "" {
		e.left(x.behavior, "not carried: want a pattern of one host, such as https://HOST/*")
		return
	}
	content := m[2]
	if m[3] != "/" {
		content += m[3] + "*"
	}
	if x.behavior == engine.Allow {
		if m[1] != "https" || m[3] != "/" {
			e.is(LeftOut, "not carried: a rule of WebFetch names a host: callgate rules add allow 'WebFetch(%s)'", content)
			return
		}
		content = m[2] + ":443"
	} else {
		e.is(Tighter, "holds for http and https, and for commands that name the host")
	}
	e.rule(x.behavior, "WebFetch", content)
}
