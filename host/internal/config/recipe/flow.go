package recipe

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/callgate/callgate/host/internal/text/yamltext"
)

// insertion is the text to insert before the closing bracket of a collection on one line or
// several, such as {profile: standard}. RATIONALE.md, "How does an import add to a file in bracket
// style?".
type insertion struct {
	// line and at are the place in the old text: the index of the line, the byte in it.
	line, at int
	// comma says that no comma follows the last entry there.
	comma   bool
	entries []string
}

// flowEnd is the closing bracket of a collection in brackets; nil for one with its entries on lines
// of their own.
func flowEnd(n ast.Node) *token.Token {
	switch n := n.(type) {
	case *ast.MappingNode:
		if n.IsFlowStyle {
			return n.End
		}
	case *ast.SequenceNode:
		if n.IsFlowStyle {
			return n.End
		}
	}
	return nil
}

// insert puts one more entry into a collection in brackets.
func (m *merger) insert(field string, n ast.Node, entry string) error {
	end := flowEnd(n)
	line, at, found := m.place(end)
	if !found {
		return m.conflict(n.GetToken().Position.Line, field, "is written in brackets whose end was not found: write each entry on its own line first")
	}
	for _, in := range m.inserted {
		if in.line == line && in.at == at {
			in.entries = append(in.entries, entry)
			return nil
		}
	}
	last := end.Prev
	for last != nil && last.Type == token.CommentType {
		last = last.Prev
	}
	comma := last != nil && last.Type != token.CollectEntryType && last.Type != token.MappingStartType && last.Type != token.SequenceStartType
	m.inserted = append(m.inserted, &insertion{line: line, at: at, comma: comma, entries: []string{entry}})
	return nil
}

// place is the place of a one-byte token in the old text. The parser counts columns in characters,
// and not always right, so the byte is compared.
func (m *merger) place(t *token.Token) (line, at int, found bool) {
	if t == nil || t.Position.Line < 1 || t.Position.Line > len(m.old) {
		return 0, 0, false
	}
	line = t.Position.Line - 1
	rest := m.old[line]
	for range t.Position.Column - 1 {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	at = len(m.old[line]) - len(rest)
	return line, at, strings.HasPrefix(rest, t.Value) && len(t.Value) == 1
}

// into returns a line of the old text with all its insertions.
func (m *merger) into(line int) string {
	text := m.old[line]
	for at := len(text) - 1; at >= 0; at-- {
		for _, in := range m.inserted {
			if in.line == line && in.at == at {
				text = in.into(text)
			}
		}
	}
	return text
}

// into puts the entries into the line. A bracket alone on its line keeps it.
func (in *insertion) into(text string) string {
	entries := strings.Join(in.entries, ", ")
	before, after := text[:in.at], text[in.at:]
	if strings.TrimLeft(before, " \t") == "" {
		if in.comma {
			entries = ", " + entries
		}
		end := "\n"
		if strings.HasSuffix(text, "\r\n") {
			end = "\r\n"
		}
		return before + "  " + entries + end + text
	}
	bare := strings.TrimRight(before, " ")
	switch {
	case in.comma:
		bare += ", "
	case strings.HasSuffix(bare, ","):
		bare += " "
	default: // an empty collection
		return bare + entries + after
	}
	return bare + entries + before[len(strings.TrimRight(before, " ")):] + after
}

// flowPair is a pair of a mapping as it stands in braces.
func flowPair(pair *ast.MappingValueNode) string {
	return yamltext.Key(yamltext.KeyText(pair)) + ": " + flow(pair.Value)
}

// flow is a value on one line, as it stands in braces or brackets.
func flow(n ast.Node) string {
	var parts []string
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, item := range n.Values {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *ast.StringNode:
		return yamltext.Key(n.Value)
	case *ast.LiteralNode:
		return yamltext.Quote(n.Value.Value)
	case *ast.MappingNode, *ast.MappingValueNode:
		for _, pair := range yamltext.Pairs(n) {
			parts = append(parts, flowPair(pair))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return n.GetToken().Value
}
