package recipe

import (
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/callgate/callgate/host/internal/text/strictyaml"
	"github.com/callgate/callgate/host/internal/text/yamltext"
)

// merger finds the lines one text lacks to say the same as another. It looks at the syntax trees
// and adds whole lines, or entries before a closing bracket, because printing a tree loses blank
// lines and moves comments.
type merger struct {
	file     string
	old      []string
	fragment []string
	oldRoot  ast.Node
	newRoot  ast.Node
	added    []addition
	inserted []*insertion
}

// addition is a block of lines to stand behind line after (0: at the top).
type addition struct {
	after int
	lines []string
}

func newMerger(file string, existing, fragment []byte) (*merger, error) {
	m := &merger{file: file, old: lines(existing), fragment: lines(fragment)}
	var err error
	if m.oldRoot, err = root(file, existing); err != nil {
		return nil, err
	}
	m.newRoot, err = root("recipe", fragment)
	return m, err
}

func root(file string, data []byte) (ast.Node, error) {
	tree, err := strictyaml.Parse(file, data)
	if err != nil {
		return nil, err
	}
	for _, doc := range tree.Docs {
		if doc.Body != nil && (len(yamltext.Pairs(doc.Body)) > 0 || flowEnd(doc.Body) != nil) {
			return doc.Body, nil
		}
	}
	return nil, nil
}

// lines splits a text; each line keeps its line feed but perhaps the last.
func lines(data []byte) []string { return slices.Collect(strings.Lines(string(data))) }

func (m *merger) merge() error {
	if m.oldRoot == nil {
		m.add(len(m.old), m.fragment)
		return nil
	}
	return m.mapping("", len(m.old), m.oldRoot, m.newRoot, len(m.fragment))
}

// mapping adds the missing parts of want to the mapping have; new keys go behind line at, want ends
// before line end of the fragment.
func (m *merger) mapping(field string, at int, have, want ast.Node, end int) error {
	wanted := yamltext.Pairs(want)
	for i, w := range wanted {
		last := end
		if i+1 < len(wanted) {
			last = m.start(wanted[i+1])
		}
		name := strings.TrimPrefix(field+"."+yamltext.KeyText(w), ".")
		h := find(yamltext.Pairs(have), yamltext.KeyText(w))
		if h == nil && flowEnd(have) != nil {
			if err := m.insert(name, have, flowPair(w)); err != nil {
				return err
			}
			continue
		}
		if h == nil {
			column := yamltext.Pairs(have)[0].Key.GetToken().Position.Column
			m.add(at, m.shift(m.start(w), last, w.Key.GetToken().Position.Column, column))
			continue
		}
		if err := m.value(name, h, w, last); err != nil {
			return err
		}
	}
	return nil
}

// value joins two values of the same key.
func (m *merger) value(field string, have, want *ast.MappingValueNode, end int) error {
	line := have.Key.GetToken().Position.Line
	if same(have.Value, want.Value) {
		return nil
	}
	if len(yamltext.Pairs(want.Value)) > 0 && isMapping(have.Value) {
		return m.mapping(field, line, have.Value, want.Value, end)
	}
	haveList, ok := have.Value.(*ast.SequenceNode)
	wantList, wanted := want.Value.(*ast.SequenceNode)
	if ok && wanted && joins(field) {
		if contains(haveList, wantList) {
			return nil
		}
		return m.rules(field, line, haveList, wantList, end)
	}
	return m.conflict(line, field, "is set already, to something else: remove it, or choose another agent")
}

// joins lists the mergeable lists: their order has no meaning, and an agent may have them from
// several sources.
func joins(field string) bool {
	return strings.HasSuffix("."+field, ".rules") || strings.HasSuffix("."+field, ".disallowed_tools")
}

// contains reports whether a list has all items of another one.
func contains(have, want *ast.SequenceNode) bool {
	for _, item := range want.Values {
		if !slices.ContainsFunc(have.Values, func(n ast.Node) bool { return same(n, item) }) {
			return false
		}
	}
	return true
}

func (m *merger) rules(field string, at int, have, want *ast.SequenceNode, end int) error {
	column := have.Start.Position.Column
	for i, item := range want.Values {
		if slices.ContainsFunc(have.Values, func(n ast.Node) bool { return same(n, item) }) {
			continue
		}
		if flowEnd(have) != nil {
			if err := m.insert(field, have, flow(item)); err != nil {
				return err
			}
			continue
		}
		from, to := itemLine(item)-1, end
		if i+1 < len(want.Values) {
			to = itemLine(want.Values[i+1]) - 1
		}
		m.add(at, m.shift(from, to, want.Start.Position.Column, column))
	}
	return nil
}

func (m *merger) conflict(line int, field, msg string) error {
	return &strictyaml.Error{File: m.file, Position: strictyaml.Position{Line: line, Column: 1}, Field: field, Msg: msg}
}

// start is the index of a pair's first line in the fragment. No comment stands
// before a key there.
func (m *merger) start(pair *ast.MappingValueNode) int { return pair.Key.GetToken().Position.Line - 1 }

// shift returns lines of the fragment moved from one column to another.
func (m *merger) shift(from, to, column, wanted int) []string {
	var out []string
	for _, line := range m.fragment[from:to] {
		line = strings.TrimPrefix(line, strings.Repeat(" ", column-1))
		out = append(out, strings.Repeat(" ", wanted-1)+line)
	}
	return out
}

func (m *merger) add(after int, block []string) {
	m.added = append(m.added, addition{after, block})
}

func isMapping(n ast.Node) bool {
	_, ok := n.(*ast.MappingNode)
	return ok || len(yamltext.Pairs(n)) > 0
}

func find(in []*ast.MappingValueNode, key string) *ast.MappingValueNode {
	for _, pair := range in {
		if yamltext.KeyText(pair) == key {
			return pair
		}
	}
	return nil
}

// itemLine is the line of a list's item: of its mapping's first key.
func itemLine(n ast.Node) int {
	if p := yamltext.Pairs(n); len(p) > 0 {
		return p[0].Key.GetToken().Position.Line
	}
	return n.GetToken().Position.Line
}

func same(a, b ast.Node) bool {
	var x, y any
	if yaml.NodeToValue(a, &x) != nil || yaml.NodeToValue(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}
