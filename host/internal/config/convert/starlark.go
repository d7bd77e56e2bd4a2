package convert

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// maxRulesFile bounds a .rules file: Starlark's parser recurses over operators, too, and a count of
// brackets does not bound them.
const maxRulesFile = 256 << 10

// maxAlternatives bounds the prefixes of one pattern.
const maxAlternatives = 64

// readCodexRules reads the calls of prefix_rule and network_rule, with literal
// arguments. Nothing is run: other Starlark is reported and not carried.
func readCodexRules(b *builder, data []byte) (err error) {
	if len(data) > maxRulesFile {
		return &strictyaml.Error{File: b.file, Msg: fmt.Sprintf("%d bytes: at most %d of a .rules file are read", len(data), maxRulesFile)}
	}
	file, err := (&syntax.FileOptions{TopLevelControl: true, Set: true, While: true}).Parse(b.file, data, 0)
	if err != nil {
		e := &strictyaml.Error{File: b.file, Msg: "not Starlark: " + err.Error()}
		var at syntax.Error
		if errors.As(err, &at) {
			e.Position = strictyaml.Position{Line: int(at.Pos.Line), Column: int(at.Pos.Col)}
			e.Msg = "not Starlark: " + at.Msg + ": correct it in Codex"
		}
		return e
	}
	for _, s := range file.Stmts {
		start, _ := s.Span()
		at := strictyaml.Position{Line: int(start.Line), Column: int(start.Col)}
		call := callOf(s)
		if call == nil {
			if isDocstring(s) {
				continue
			}
			b.entry(at, "a statement that is no call").is(Weaker, "not carried: only calls with literal arguments are read, nothing is run; it may have forbidden something: write each rule out as prefix_rule(...)")
			continue
		}
		b.codexCall(at, call)
	}
	return nil
}

func isDocstring(s syntax.Stmt) bool {
	x, ok := s.(*syntax.ExprStmt)
	if !ok {
		return false
	}
	_, ok = x.X.(*syntax.Literal)
	return ok
}

func callOf(s syntax.Stmt) *syntax.CallExpr {
	x, ok := s.(*syntax.ExprStmt)
	if !ok {
		return nil
	}
	call, ok := x.X.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	if _, ok := call.Fn.(*syntax.Ident); !ok {
		return nil
	}
	return call
}

func (b *builder) codexCall(at strictyaml.Position, call *syntax.CallExpr) {
	name := call.Fn.(*syntax.Ident).Name
	args, ok := literalArgs(call, map[string][]string{
		"prefix_rule":  {"pattern", "decision", "match", "not_match", "justification"},
		"network_rule": {"host", "protocol", "decision", "justification"},
	}[name])
	e := b.entry(at, name+"(...)")
	switch {
	case name == "host_executable":
		e.is(LeftOut, "not carried: a program named with its path is covered by no allow rule for its name here")
	case name != "prefix_rule" && name != "network_rule":
		e.is(Weaker, "not carried: Codex's rules have no %s that Callgate knows; it may have forbidden something", name)
	case !ok:
		e.is(Weaker, "not carried: an argument is not literal, or not known; nothing is run: write it out")
	case name == "network_rule":
		e.codexNetwork(args)
	default:
		e.codexPrefix(at, args)
	}
}

// codexDecision reads a decision: ok is false for an unknown word.
func codexDecision(v any) (behavior engine.Behavior, ok bool) {
	switch v {
	case nil, "allow":
		return engine.Allow, true
	case "prompt":
		return engine.Ask, true
	case "forbidden", "deny":
		return engine.Deny, true
	}
	return engine.Deny, false
}

func (e *entry) codexNetwork(args map[string]any) {
	behavior, known := codexDecision(args["decision"])
	host, ok := args["host"].(string)
	e.entry().Source = fmt.Sprintf("network_rule(host = %q, decision = %q)", host, args["decision"])
	switch {
	case !known || !ok || args["decision"] == nil:
		e.is(Weaker, "not carried: want host and decision as texts")
	case behavior == engine.Allow:
		e.is(LeftOut, "not carried: it opens Codex's sandbox for commands; to let pages of that host be fetched: callgate rules add allow 'WebFetch(%s)'", host)
	default:
		e.rule(behavior, "WebFetch", host)
	}
}

func (e *entry) codexPrefix(at strictyaml.Position, args map[string]any) {
	behavior, known := codexDecision(args["decision"])
	if !known || args["decision"] == "deny" {
		e.b.errorf(at, "prefix_rule.decision", "unknown decision %q: want allow, prompt or forbidden", args["decision"])
		return
	}
	prefixes, ok := expand(args["pattern"])
	e.entry().Source = fmt.Sprintf("prefix_rule(%s, %s)", strings.Join(firstOf(prefixes), " "), map[engine.Behavior]string{engine.Allow: "allow", engine.Ask: "prompt", engine.Deny: "forbidden"}[behavior])
	if !ok {
		e.left(behavior, "not carried: want pattern as a list of words or of lists of words, which stand for at most %d prefixes", maxAlternatives)
		return
	}
	if len(prefixes) > 1 {
		e.says("one rule for each alternative")
	}
	reason, _ := args["justification"].(string)
	match, okMatch := examples(args["match"])
	not, okNot := examples(args["not_match"])
	for _, p := range prefixes {
		if slices.ContainsFunc(p, func(word string) bool { return word == "" || strings.ContainsAny(word, " \t") }) {
			e.left(behavior, "not carried: a word of %q holds a blank: write a rule by hand", p)
			continue
		}
		r := e.prefix(behavior, strings.Join(p, " "), false)
		if r.Text == "" {
			continue
		}
		r.Reason = strings.Join(strings.Fields(reason), " ")
		r.Match = linesOf(match, p, true)
		r.NotMatch = linesOf(not, p, false)
	}
	if !okMatch || !okNot {
		e.says("an example is not a plain line of words and is not carried")
	}
}

func firstOf(prefixes [][]string) []string {
	if len(prefixes) == 0 {
		return nil
	}
	return prefixes[0]
}

// expand returns the prefixes of a pattern.
func expand(v any) (out [][]string, ok bool) {
	list, isList := v.([]any)
	if !isList || len(list) == 0 {
		return nil, false
	}
	out = [][]string{nil}
	for _, item := range list {
		words, ok := wordsOf(item)
		if !ok || len(words)*len(out) > maxAlternatives {
			return out, false
		}
		var next [][]string
		for _, p := range out {
			for _, w := range words {
				next = append(next, append(slices.Clone(p), w))
			}
		}
		out = next
	}
	return out, true
}

// wordsOf reads a word, or a list of words.
func wordsOf(v any) ([]string, bool) {
	if s, ok := v.(string); ok {
		return []string{s}, true
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, false
	}
	var out []string
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

// examples reads lists of example commands, each a text or a list of words; ok is false when one is
// left out because it needs quotes.
func examples(v any) (out [][]string, ok bool) {
	list, _ := v.([]any)
	ok = true
	for _, item := range list {
		words, isText := strings.Fields(textOf(item)), true
		if textOf(item) == "" {
			words, isText = wordsOf(item)
		}
		if !isText || !plainPrefix.MatchString(strings.Join(words, " ")) {
			ok = false
			continue
		}
		out = append(out, words)
	}
	return out, ok
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

// linesOf picks the examples with a prefix, or those without.
func linesOf(examples [][]string, prefix []string, want bool) []string {
	var out []string
	for _, x := range examples {
		if begins := len(x) >= len(prefix) && slices.Equal(x[:len(prefix)], prefix); begins == want {
			out = append(out, strings.Join(x, " "))
		}
	}
	return out
}

// literalArgs returns a call's arguments by name: texts and lists. names are the
// parameters in order; ok is false when one is anything else.
func literalArgs(call *syntax.CallExpr, names []string) (map[string]any, bool) {
	out := map[string]any{}
	for i, arg := range call.Args {
		name, value := "", arg
		if kw, ok := arg.(*syntax.BinaryExpr); ok && kw.Op == syntax.EQ {
			id, isID := kw.X.(*syntax.Ident)
			if !isID {
				return nil, false
			}
			name, value = id.Name, kw.Y
		} else if i < len(names) {
			name = names[i]
		}
		v, ok := literalOf(value)
		if _, twice := out[name]; !ok || twice || !slices.Contains(names, name) {
			return nil, false
		}
		out[name] = v
	}
	return out, true
}

func literalOf(x syntax.Expr) (any, bool) {
	switch x := x.(type) {
	case *syntax.Literal:
		s, ok := x.Value.(string)
		return s, ok && x.Token == syntax.STRING
	case *syntax.ParenExpr:
		return literalOf(x.X)
	case *syntax.ListExpr:
		out := []any{}
		for _, item := range x.List {
			v, ok := literalOf(item)
			if !ok {
				return nil, false
			}
			out = append(out, v)
		}
		return out, true
	}
	return nil, false
}
