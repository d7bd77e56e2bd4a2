package convert

import (
	"encoding/json"
	"strings"

	"github.com/callgate/callgate/engine"
)

func readAgentScope(b *builder, data []byte) error {
	root, err := b.readJSON(data)
	if err != nil {
		return err
	}
	if !b.is(root, "", object) {
		return nil
	}
	field, n := "", root
	if m := root.member("permission_context"); m != nil {
		b.rest(root, "", []string{"permission_context"}, nil)
		field, n = "permission_context", m.value
		if !b.is(n, field, object) {
			return nil
		}
	}
	b.rest(n, field, []string{"mode", "working_directories", "allow_rules", "ask_rules", "deny_rules"}, nil)
	if m := n.member("mode"); m != nil && b.is(m.value, join(field, "mode"), text) {
		b.agentScopeMode(join(field, "mode"), m)
	}
	b.agentScopeDirectories(join(field, "working_directories"), n.member("working_directories"))
	for _, l := range []struct {
		key      string
		behavior engine.Behavior
	}{{"deny_rules", engine.Deny}, {"ask_rules", engine.Ask}, {"allow_rules", engine.Allow}} {
		lists := n.get(l.key)
		if !b.is(lists, join(field, l.key), object) {
			continue
		}
		for _, m := range lists.keys {
			b.agentScopeRules(join(field, l.key+"."+m.name), l.behavior, m)
		}
	}
	return nil
}

func (b *builder) agentScopeMode(field string, m *member) {
	e := b.entry(m.at, field+": "+m.value.text)
	mode, err := engine.ParseMode(strings.ToLower(m.value.text))
	if err != nil {
		b.errorf(m.value.at, field, "%v", err)
		return
	}
	e.mode(mode)
	switch mode {
	case engine.AcceptEdits, engine.DontAsk:
		e.says("the directory a process happens to be in counts only when it is named in working_directories")
	case engine.Bypass:
		e.says("deny rules, ask rules and a tool's own denial still hold")
	}
}

// agentScopeDirectories reads the mapping by path, or a list of paths. The list
// is the whole one here; the first directory is where relative patterns start.
func (b *builder) agentScopeDirectories(field string, m *member) {
	var dirs []string
	switch {
	case m == nil:
		b.givenDir()
		return
	case m.value.kind == array:
		for _, n := range b.texts(m.value, field) {
			dirs = append(dirs, n.text)
		}
	case b.is(m.value, field, object):
		for _, d := range m.value.keys {
			dirs = append(dirs, d.name)
		}
	}
	if len(dirs) == 0 {
		return
	}
	e := b.entry(m.at, field+": "+strings.Join(dirs, ", "))
	if b.options.Dir == "" {
		b.options.Dir, dirs = dirs[0], dirs[1:]
		defer func() { b.options.Dir = "" }()
	}
	e.directories(dirs...)
}

func (b *builder) agentScopeRules(field string, behavior engine.Behavior, m member) {
	if !b.is(m.value, field, array) {
		return
	}
	for _, r := range m.value.list {
		var content *node
		switch {
		case r.kind == text:
			content = r
		case !b.is(r, field, object):
			continue
		default:
			content = r.get("rule_content")
		}
		if content != nil && content.kind != null && content.kind != text {
			b.errorf(content.at, field+".rule_content", "got %s, want a text or null", content.kind)
			continue
		}
		e := b.entry(r.at, field)
		pattern := ""
		if content != nil {
			pattern = content.text
		}
		if pattern != "" {
			e.entry().Source += ": " + pattern
		}
		if other := r.get("behavior"); other != nil && !strings.EqualFold(other.text, behavior.String()) {
			e.says("the rule calls itself %q; the list it stands in counts there", other.text)
		}
		e.agentScopeRule(behavior, m.name, pattern)
	}
}

func (e *entry) agentScopeRule(b engine.Behavior, tool, pattern string) {
	if b == engine.Allow && strings.ContainsAny(tool, "*?") {
		e.is(LeftOut, "not carried: AgentScope takes %s for one tool's name, here it would be more", tool)
		return
	}
	if pattern == "" || pattern == "*" {
		e.rule(b, tool, "")
		return
	}
	switch tool {
	case bash:
		e.agentScopeCommand(b, pattern)
	case "Read", "Write", "Edit":
		if b != engine.Allow {
			e.is(Tighter, "holds for every tool and command that touches such a file, however its path is written")
		}
		e.rule(b, tool, crossing(b, strings.ReplaceAll(pattern, "[!", "[^"), true))
	case "Glob", "Grep":
		if b == engine.Allow {
			e.rule(b, tool, "path:"+crossing(b, pattern, true))
			return
		}
		e.rule(b, tool, "path:"+crossing(b, pattern, true))
		e.rule(b, tool, pattern)
	default:
		if !isObject(pattern) {
			e.left(b, "not carried: the content of a rule of %s is the whole input as JSON there", tool)
			return
		}
		e.rule(b, tool, pattern)
	}
}

func isObject(s string) bool {
	var v map[string]any
	return json.Unmarshal([]byte(s), &v) == nil && v != nil
}

func (e *entry) agentScopeCommand(b engine.Behavior, pattern string) {
	words, prefix := strings.CutSuffix(pattern, ":*")
	switch {
	case prefix:
		if b == engine.Allow {
			e.is(Tighter, "there the beginning of the line is compared and what follows && or ; runs, too; here every command of it must be covered")
		}
		e.prefix(b, words, false)
	case strings.Contains(strings.NewReplacer(`\\`, "", `\*`, "").Replace(pattern), "*"):
		e.starred(b, pattern, true, false)
	case b == engine.Allow:
		e.is(Tighter, "there the text may stand anywhere in the line; here the command is exactly this one")
		e.b.note(readingNote)
		e.rule(b, bash, pattern)
	default:
		e.says("there the text may stand anywhere in the line")
		e.rule(b, bash, "*"+pattern+"*")
	}
}
