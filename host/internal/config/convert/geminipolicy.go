package convert

import (
	"strings"

	"github.com/callgate/callgate/engine"
)

// geminiAll are the modes of a rule for all of a person's modes.
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

// number1000 reads a priority; anything else counts as zero.
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
		e.is(Weaker, "not carried: no rule matches every tool; the mode dont_ask denies calls without an allow rule")
	default:
		e.is(LeftOut, "not carried: no rule matches every tool; what comes near is mode: bypass")
	}
}
