package convert

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config/frontmatter"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

func readVibing(b *builder, data []byte) error {
	head, err := frontmatter.Parse(frontmatter.Chat, string(data))
	if err != nil {
		return &strictyaml.Error{File: b.file, Msg: err.Error()}
	}
	lines := vibingLines(data)
	at := func(key string, i int) strictyaml.Position {
		if l := lines[key]; i < len(l) {
			return strictyaml.Position{Line: l[i], Column: 1}
		}
		return strictyaml.Position{Line: 1, Column: 1}
	}
	for _, key := range []string{"permission_mode", "permissions_mode"} {
		if _, there := lines[key]; !there {
			continue
		}
		mode, err := engine.ParseMode(head.Mode)
		if err != nil {
			return err
		}
		e := b.entry(at(key, 0), key+": "+head.Mode)
		e.mode(mode)
		if mode == engine.AcceptEdits && b.options.Dir == "" {
			e.is(Tighter, "edits are allowed inside the working directories only: name them with --dir")
		}
	}
	if head.Resumed {
		b.entry(at("session_id", 0), "session_id").says("a resumed session: there an ask rule denies; here it asks while somebody can answer, unless resume_asks: deny")
	}
	for _, l := range []struct {
		key      string
		behavior engine.Behavior
		rules    []string
		wins     int
	}{{"permissions_deny", engine.Deny, head.Deny, 2}, {"permissions_ask", engine.Ask, head.Ask, 0}, {"permissions_allow", engine.Allow, head.Allow, 1}} {
		for i, rule := range l.rules {
			e := b.entry(at(l.key, i), l.key+": "+rule)
			e.wins = l.wins
			e.vibingRule(l.behavior, rule)
		}
	}
	for key, l := range lines {
		if !strings.HasPrefix(key, "permission") && key != "session_id" {
			b.entry(strictyaml.Position{Line: l[0]}, key).is(LeftOut, "not carried: Callgate knows no such setting; its value is not shown")
		}
	}
	b.givenDir()
	b.shadowed()
	return nil
}

// vibingLines maps each key of the head, and each item of its list, to its line. frontmatter has
// accepted the head before.
func vibingLines(data []byte) map[string][]int {
	out := map[string][]int{}
	all := strings.Split(strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n"), "\n")
	if strings.TrimRight(all[0], " \t") != "---" {
		return out
	}
	for i := 1; i < len(all); i++ {
		if strings.TrimRight(all[i], " \t") != "---" {
			continue
		}
		tree, err := strictyaml.Parse("", []byte("\n"+strings.Join(all[1:i], "\n")))
		if err != nil {
			return out
		}
		for _, doc := range tree.Docs {
			m, ok := doc.Body.(ast.MapNode)
			if !ok {
				continue
			}
			for it := m.MapRange(); it.Next(); {
				if key, ok := it.Key().(*ast.StringNode); ok {
					out[key.Value] = itemLines(key, it.Value())
				}
			}
		}
		return out
	}
	return out
}

// itemLines are the lines of a list's items, or the one of its key where it has none
// or the value is no list.
func itemLines(key *ast.StringNode, value ast.Node) (lines []int) {
	if list, ok := value.(*ast.SequenceNode); ok {
		for _, item := range list.Values {
			lines = append(lines, item.GetToken().Position.Line)
		}
	}
	if lines == nil {
		lines = []int{key.GetToken().Position.Line}
	}
	return lines
}

func (e *entry) vibingRule(b engine.Behavior, rule string) {
	r, err := engine.ParseRule(rule)
	if err != nil {
		e.left(b, "not carried: %v", err)
		return
	}
	content := ""
	if !r.WholeTool() {
		content = *r.Content
	}
	switch {
	case r.Tool == bash && content == ":*":
		e.left(b, "not carried: it would mean every command line: write Bash")
		return
	case r.Tool == bash && b == engine.Allow:
		e.b.note(readingNote)
	case r.Tool == "WebSearch" && content != "":
		e.left(b, "not carried: a search has no address; there the rule never matches")
		return
	}
	e.rule(b, r.Tool, content)
}
