package convert

import (
	"regexp"
	"strings"

	"github.com/callgate/callgate/engine"
)

// claudeModes are the values of defaultMode.
var claudeModes = map[string]engine.Mode{
	"default": engine.DefaultMode, "manual": engine.DefaultMode, "acceptEdits": engine.AcceptEdits,
	"plan": engine.Explore, "bypassPermissions": engine.Bypass, "dontAsk": engine.DontAsk,
}

// whyClaude are keys with a reason of their own.
var whyClaude = map[string]string{
	"hooks":                      "not carried: `callgate hook claude-code --install` sets up Callgate's own hook; its value is not shown",
	"env":                        "not carried: an environment may hold secrets; its values are not shown",
	"sandbox":                    "not carried: Callgate judges calls and contains nothing: leave the sandbox on in Claude Code",
	"enabledMcpjsonServers":      "not carried: which servers run is Claude Code's business; a call of one is asked about until a rule such as mcp__NAME says otherwise",
	"disabledMcpjsonServers":     "not carried: a server that does not run has no calls; deny mcp__NAME if it might",
	"disableAllHooks":            "not carried: true would switch off Callgate's hook, too: take it out",
	"allowManagedHooksOnly":      "not carried: about Claude Code's own hooks",
	"enableAllProjectMcpServers": "not carried: which servers run is Claude Code's business",
}

func readClaude(b *builder, data []byte) error {
	root, err := b.readJSON(data)
	if err != nil {
		return err
	}
	if !b.is(root, "", object) {
		return nil
	}
	b.rest(root, "", []string{"permissions", "$schema"}, whyClaude)
	p := root.get("permissions")
	if !b.is(p, "permissions", object) {
		return nil
	}
	b.rest(p, "permissions", []string{"allow", "ask", "deny", "defaultMode", "additionalDirectories", "disableBypassPermissionsMode", "disableAutoMode"}, nil)
	b.claudeMode(p.get("defaultMode"))
	for _, key := range []string{"disableBypassPermissionsMode", "disableAutoMode"} {
		if m := p.member(key); m != nil {
			b.entry(m.at, "permissions."+key).says("holds anyway: a mode that the client reports may only tighten, unless follow_client_mode is set")
		}
	}
	b.claudeDirectories(p.get("additionalDirectories"))
	for _, behavior := range []engine.Behavior{engine.Deny, engine.Ask, engine.Allow} {
		field := "permissions." + behavior.String()
		for _, n := range b.texts(p.get(behavior.String()), field) {
			b.entry(n.at, field+": "+n.text).claudeRule(behavior, n.text)
		}
	}
	return nil
}

func (b *builder) claudeMode(n *node) {
	if !b.is(n, "permissions.defaultMode", text) {
		return
	}
	e := b.entry(n.at, "permissions.defaultMode: "+n.text)
	mode, known := claudeModes[n.text]
	switch {
	case n.text == "auto":
		e.is(LeftOut, "not carried: %v; without a mode, default asks", engine.ErrAutoReserved)
		return
	case !known:
		b.errorf(n.at, "permissions.defaultMode", "unknown mode %q: want default, acceptEdits, plan, dontAsk or bypassPermissions", n.text)
		return
	}
	e.mode(mode)
	switch mode {
	case engine.DefaultMode, engine.AcceptEdits:
		if mode == engine.DefaultMode {
			e.is(Tighter, "reading files is asked about here, too: `callgate recipes show team-default` has the rule that allows it inside the working directory")
		} else if b.options.Dir == "" {
			e.is(Tighter, "edits are allowed inside the working directories only: name them with --dir")
		}
	case engine.Bypass:
		e.says("deny rules, ask rules and a tool's own denial still hold")
	}
}

func (b *builder) claudeDirectories(n *node) {
	list := b.texts(n, "permissions.additionalDirectories")
	if n == nil || n.kind != array {
		b.givenDir()
		return
	}
	var dirs []string
	for _, item := range list {
		dirs = append(dirs, item.text)
	}
	b.entry(n.at, "permissions.additionalDirectories: "+strings.Join(dirs, ", ")).directories(dirs...)
}

// editing are the tools covered by Claude Code's rules for Edit.
var editing = []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}

// claudeParam is a rule over one parameter of a tool, as Agent(model:opus).
var claudeParam = regexp.MustCompile(`^(command|description|file_path|isolation|model|name|notebook_path|old_string|path|pattern|prompt|query|run_in_background|subagent_type|timeout|url):[^*]`)

// unread are the tools with path patterns accepted and ignored by Claude Code.
var unread = []string{"Write", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob", "Grep", "LS"}

// hostGlob is a host's name, or one with a star for subdomains.
var hostGlob = regexp.MustCompile(`^[A-Za-z0-9*._-]+$`)

// serverGlob is a tool's name with stars, as Claude Code reads it in an allow rule.
var serverGlob = regexp.MustCompile(`^mcp__[^_*?]+(_[^_*?]+)*__[^?]*$`)

func (e *entry) claudeRule(b engine.Behavior, rule string) {
	tool, content, there := strings.Cut(strings.TrimSpace(rule), "(")
	if there {
		inner, closed := strings.CutSuffix(content, ")")
		if !closed {
			e.left(b, "not carried: the parenthesis is not closed; Claude Code does not use it either")
			return
		}
		content = inner
	}
	if there && strings.HasPrefix(tool, "mcp__") {
		e.left(b, "not carried: Claude Code skips a rule of an MCP tool with parentheses: write %s without them", tool)
		return
	}
	if content == "*" {
		content = ""
	}
	switch {
	case b == engine.Allow && tool != "*" && strings.ContainsAny(tool, "*?") && !serverGlob.MatchString(tool):
		e.is(LeftOut, "not carried: in an allow rule Claude Code reads a star only behind mcp__SERVER__, so this allows nothing there")
	case tool == "*":
		e.claudeEverything(b)
	case tool == "Monitor":
		e.left(b, "not carried: Monitor runs commands, which the rules of Bash hold for here; this one would hold for Bash as well")
	case content == "":
		e.claudeTool(b, tool)
	case claudeParam.MatchString(content) && tool != "WebFetch":
		e.left(b, "not carried: a rule of %s has no form for one parameter", tool)
	case tool == bash:
		e.claudeCommand(b, content)
	case tool == "Read" || tool == "Edit":
		e.claudePath(b, tool, content)
	case has(unread, tool):
		if b == engine.Allow {
			e.is(LeftOut, "not carried: Claude Code accepts a path for %s and never looks at it, so this allows nothing there; if it should: callgate rules add allow '%s(%s)'", tool, tool, content)
			return
		}
		e.is(Tighter, "Claude Code never looks at a path for %s; here the rule holds", tool)
		e.rule(b, tool, content)
	case tool == "WebFetch":
		host, ok := strings.CutPrefix(content, "domain:")
		if !ok {
			e.left(b, "not carried: Claude Code reads only WebFetch(domain:HOST)")
			return
		}
		if b == engine.Allow && host != "*" && !hostGlob.MatchString(host) {
			e.is(LeftOut, "not carried: Claude Code compares whole host names, and %q is none", host)
			return
		}
		e.rule(b, tool, host)
	case tool == "Agent", tool == "Task":
		e.rule(b, "Agent", content)
	case tool == "Skill":
		if strings.Contains(content, "*") && b == engine.Allow {
			e.is(LeftOut, "not carried: a rule of Skill names one skill")
			return
		}
		e.rule(b, tool, content)
	default:
		e.left(b, "not carried: what the content of a rule of %s means there is not known here: write it as JSON or as param:value, see docs/rules.md", tool)
	}
}

func (e *entry) claudeEverything(b engine.Behavior) {
	switch b {
	case engine.Deny:
		e.becomes("allowed_tools: []")
		e.says("no tool at all, in every mode")
		e.b.main().AllowedTools = &[]string{}
	case engine.Ask:
		e.is(Weaker, "not carried: no rule matches every tool: the mode default asks about what no rule allows; take out the allow rules")
	default:
		e.is(LeftOut, "not carried: no rule matches every tool; what comes near is mode: bypass")
	}
}

func (e *entry) claudeTool(b engine.Behavior, tool string) {
	switch {
	case tool == "Task":
		tool = "Agent"
	case tool == bash && b == engine.Allow:
		e.says("every command line that is not asked about for safety")
	case tool == "Edit" && b != engine.Allow:
		e.is(Tighter, "holds for all that changes a file here: other editing tools, and commands that write")
	case tool == "Read" && b != engine.Allow:
		e.is(Tighter, "holds for all that reads a file here: other tools, and commands that read")
	}
	e.rule(b, tool, "")
}

func (e *entry) claudeCommand(b engine.Behavior, content string) {
	content = strings.TrimSpace(content)
	words, prefix := strings.CutSuffix(content, ":*")
	switch {
	case prefix && strings.Trim(words, "* ") == "":
		e.left(b, "not carried: it would mean every command line: write Bash")
	case strings.Trim(content, "* ") == "":
		e.rule(b, bash, "")
	case strings.Contains(content, `\`) && b == engine.Allow:
		e.is(LeftOut, "not carried: a backslash takes the meaning of what follows here: write a rule by hand, see docs/rules.md")
	case strings.Contains(content, `\`):
		e.says("with the backslash as itself, and as what takes the star its meaning")
		e.rule(b, bash, content)
		e.rule(b, bash, strings.ReplaceAll(content, `\`, `\\`))
	default:
		if b == engine.Allow {
			e.b.note(readingNote)
		} else if !strings.Contains(content, "*") {
			e.is(Tighter, "there exactly this command; here these words in this order, in any command")
		}
		e.rule(b, bash, content)
	}
}

func (e *entry) claudePath(b engine.Behavior, tool, pattern string) {
	contents, why := ignoring(b, pattern, e.b.options.Dir)
	if why != "" {
		e.left(b, "not carried: %s", why)
		return
	}
	for _, c := range contents {
		tools := []string{tool}
		if tool == "Edit" && b == engine.Allow {
			tools = editing
		}
		for _, t := range tools {
			e.rule(b, t, c)
		}
	}
	switch {
	case len(contents) > 1:
		e.is(Tighter, "braces are themselves there; here they are alternatives as well")
	case strings.ContainsAny(pattern, "{}"):
		e.says("braces are themselves there: write one rule for each alternative")
	}
}
