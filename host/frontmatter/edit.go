package frontmatter

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The keys of a chat's lists.
const (
	KeyAllow = "permissions_allow"
	KeyAsk   = "permissions_ask"
	KeyDeny  = "permissions_deny"
	keyMode  = "permission_mode"
)

// modeKeys are the keys under which a chat's mode stands, the canonical one first.
var modeKeys = []string{keyMode, "permissions_mode"}

// ErrByHand marks a head that is well formed and that is not edited: its lists are
// written in a way that an edit would have to lay out anew.
var ErrByHand = errors.New("edit it by hand")

// Edit returns the text of a chat with its lists and mode as want has them. Only
// the lines of what changed are touched: comments, order, quoting, line ends, the
// other keys and the body stay byte for byte. A list that is not there is written
// before the end of the head, and a text without a head gets one. Removing what was
// added gives the same bytes again, but for a key or a head that was not there. An
// empty want.Mode leaves the mode. ErrByHand says where an edit is not possible.
func Edit(text string, want Result) (string, error) {
	have, err := Parse(Chat, text)
	if err != nil {
		return "", err
	}
	out := text
	for _, l := range []struct {
		key        string
		have, want []string
	}{{KeyAllow, have.Allow, want.Allow}, {KeyAsk, have.Ask, want.Ask}, {KeyDeny, have.Deny, want.Deny}} {
		if out, err = editList(out, l.key, l.have, l.want); err != nil {
			return "", fmt.Errorf("chat front matter: %w", err)
		}
	}
	mode := have.Mode
	if given, _ := ChatMode(text); want.Mode != "" && want.Mode != given {
		mode = want.Mode
		if out, err = setMode(out, want.Mode); err != nil {
			return "", fmt.Errorf("chat front matter: %w", err)
		}
	}
	got, err := Parse(Chat, out)
	if err != nil || got.Mode != mode || !slices.Equal(got.Allow, want.Allow) || !slices.Equal(got.Ask, want.Ask) || !slices.Equal(got.Deny, want.Deny) || !sameRest(text, out) {
		return "", fmt.Errorf("chat front matter: its lists are written in a way that cannot be changed line by line: %w", ErrByHand)
	}
	return out, nil
}

// ChatMode is the mode that a chat names, as it spells it; empty when it names none.
func ChatMode(text string) (string, error) {
	head, err := split(text)
	if err != nil {
		return "", err
	}
	f, err := readFields(head)
	if err != nil {
		return "", err
	}
	return f.mode(modeKeys...)
}

// LineOf is the line of one entry of a chat's list, or of the list's key when there
// is no such entry; 0 when the text has no such key.
func LineOf(text, key string, i int) int {
	head, err := split(text)
	if err != nil {
		return 0
	}
	f, err := readFields(head)
	if err != nil || f[key].value == nil {
		return 0
	}
	if seq, ok := f[key].value.(*ast.SequenceNode); ok && i >= 0 && i < len(seq.Values) {
		return line(seq.Values[i])
	}
	return f[key].line
}

// sameRest reports whether two texts say the same beside a chat's lists and mode.
func sameRest(a, b string) bool {
	rest := func(text string) (map[string]string, bool) {
		head, err := split(text)
		if err != nil {
			return nil, false
		}
		f, err := readFields(head)
		out := map[string]string{}
		for key, v := range f {
			if key != KeyAllow && key != KeyAsk && key != KeyDeny && !slices.Contains(modeKeys, key) {
				out[key] = v.value.String()
			}
		}
		return out, err == nil
	}
	ra, okA := rest(a)
	rb, okB := rest(b)
	if !okA || !okB || len(ra) != len(rb) {
		return false
	}
	for key, v := range ra {
		if w, there := rb[key]; !there || w != v {
			return false
		}
	}
	return true
}

// file is a text as lines, each with its end.
type file struct {
	mark  string
	lines []string
}

func lines(text string) file {
	rest := strings.TrimPrefix(text, "\ufeff")
	return file{mark: text[:len(text)-len(rest)], lines: strings.SplitAfter(rest, "\n")}
}

func (f file) text() string { return f.mark + strings.Join(f.lines, "") }

// end is how the file's lines end.
func (f file) end() string {
	if strings.HasSuffix(f.lines[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// insert puts lines before the line of index i.
func (f *file) insert(i int, texts ...string) {
	end := f.end()
	for k, t := range texts {
		texts[k] = t + end
	}
	f.lines = slices.Insert(f.lines, i, texts...)
}

// closing is the index of the line that ends the head; with none, the head that is
// written for it.
func (f *file) closing() int {
	if strings.TrimRight(f.lines[0], " \t\r\n") != "---" {
		f.insert(0, "---", "---")
		return 1
	}
	for i, l := range f.lines[1:] {
		if strings.TrimRight(l, " \t\r\n") == "---" {
			return i + 1
		}
	}
	return -1 // never: the text was read before
}

// value is a key's value in a text, and the index of the key's line; -1 for a key
// that is not there.
func value(text, key string) (ast.Node, int, error) {
	head, err := split(text)
	if err != nil {
		return nil, -1, err
	}
	f, err := readFields(head)
	if err != nil || f[key].value == nil {
		return nil, -1, err
	}
	return f[key].value, f[key].line - 1, nil
}

// editList makes one list say want: entries that go are taken out, entries that
// come are put at its end.
func editList(text, key string, have, want []string) (string, error) {
	left := slices.Clone(have)
	for i := len(have) - 1; i >= 0; i-- {
		if count(left, have[i]) > count(want, have[i]) {
			var err error
			if text, err = takeOut(text, key, i); err != nil {
				return "", err
			}
			left = slices.Delete(left, i, i+1)
		}
	}
	if len(want) < len(left) || !slices.Equal(left, want[:len(left)]) {
		return "", fmt.Errorf("%s: its entries would change places: %w", key, ErrByHand)
	}
	for _, entry := range want[len(left):] {
		var err error
		if text, err = putIn(text, key, entry); err != nil {
			return "", err
		}
	}
	return text, nil
}

func count(list []string, entry string) (n int) {
	for _, e := range list {
		if e == entry {
			n++
		}
	}
	return n
}

// takeOut takes the entry of index i out of a list.
func takeOut(text, key string, i int) (string, error) {
	node, at, err := value(text, key)
	seq, ok := node.(*ast.SequenceNode)
	if err != nil || !ok || i >= len(seq.Values) {
		return "", fmt.Errorf("%s: no entry %d: %w", key, i, ErrByHand)
	}
	f := lines(text)
	if seq.IsFlowStyle {
		return f.flow(key, at, func(l string, open int, items []span) string {
			from, to := items[i].from, items[i].to
			switch {
			case i > 0:
				from = items[i-1].to
			case len(items) > 1:
				to = items[1].from
			}
			return l[:from] + l[to:]
		})
	}
	n := line(seq.Values[i]) - 1
	f.lines = slices.Delete(f.lines, n, n+1)
	return f.text(), nil
}

// putIn puts an entry at the end of a list.
func putIn(text, key, entry string) (string, error) {
	node, at, err := value(text, key)
	if err != nil {
		return "", err
	}
	f := lines(text)
	seq, isList := node.(*ast.SequenceNode)
	switch {
	case isList && seq.IsFlowStyle:
		return f.flow(key, at, func(l string, open int, items []span) string {
			if len(items) == 0 {
				return l[:open+1] + quoted(entry, true) + l[open+1:]
			}
			end := items[len(items)-1].to
			return l[:end] + ", " + quoted(entry, true) + l[end:]
		})
	case isList && len(seq.Values) > 0:
		n := line(seq.Values[len(seq.Values)-1]) - 1
		f.insert(n+1, dash.FindString(f.lines[n])+quoted(entry, false))
	case at >= 0:
		f.insert(at+1, f.indent()+quoted(entry, false))
	default:
		end := f.closing()
		f.insert(end, key+":", f.indent()+quoted(entry, false))
	}
	return f.text(), nil
}

// dash is what stands before an entry of a list.
var dash = regexp.MustCompile(`^[ \t]*- +`)

// indent is what the entries of the head's lists begin with: as those of another
// list, else two blanks.
func (f file) indent() string {
	for i, l := range f.lines {
		if strings.HasPrefix(l, "permissions_") && i+1 < len(f.lines) {
			if found := dash.FindString(f.lines[i+1]); found != "" {
				return found
			}
		}
	}
	return "  - "
}

// quoted is an entry as YAML: plain where that reads as the same text.
func quoted(entry string, flow bool) string {
	source := "- " + entry + "\n- x\n"
	if flow {
		source = "[x, " + entry + ", x]\n"
	}
	if parsed, err := parser.ParseBytes([]byte(source), 0); err == nil && len(parsed.Docs) == 1 {
		if seq, ok := parsed.Docs[0].Body.(*ast.SequenceNode); ok {
			at, want := 0, 2
			if flow {
				at, want = 1, 3
			}
			if s, ok := seq.Values[at].(*ast.StringNode); ok && len(seq.Values) == want && s.Value == entry {
				return entry
			}
		}
	}
	return "'" + strings.ReplaceAll(entry, "'", "''") + "'"
}

// span is where one item of a flow list stands in its line.
type span struct{ from, to int }

// flow edits a list that is written [in, one, line].
func (f file) flow(key string, at int, edit func(l string, open int, items []span) string) (string, error) {
	l := f.lines[at]
	open := strings.Index(l, "[")
	items, closed := flowItems(l, open)
	if open < 0 || !closed {
		return "", fmt.Errorf("line %d: %s: a list in brackets over several lines: %w", at+1, key, ErrByHand)
	}
	f.lines[at] = edit(l, open, items)
	return f.text(), nil
}

// flowItems are the items between the bracket at open and the one that closes it.
func flowItems(l string, open int) (items []span, closed bool) {
	if open < 0 {
		return nil, false
	}
	from, to := -1, -1
	quote := byte(0)
	flush := func() {
		if from >= 0 {
			items = append(items, span{from, to})
		}
		from = -1
	}
	for i := open + 1; i < len(l); i++ {
		c := l[i]
		switch {
		case quote == '"' && c == '\\':
			i++
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			}
			to = i + 1
			continue
		case c == ']':
			flush()
			return items, true
		case c == ',':
			flush()
			continue
		case c == ' ' || c == '\t':
			continue
		case from < 0 && (c == '"' || c == '\''):
			quote = c
		case c == '\n' || c == '\r':
			return nil, false
		}
		if from < 0 {
			from = i
		}
		to = i + 1
	}
	return nil, false
}

// modeLine is a line with a mode: the key, the blanks and quote before the value,
// the value, and what follows it.
var modeLine = regexp.MustCompile(`^("?permissions?_mode"?[ \t]*:[ \t]*)(["']?)([A-Za-z_]*)(["']?)([ \t]*(?:#.*)?\r?\n?)$`)

// setMode writes a mode where the chat has one, else before the end of the head.
func setMode(text, mode string) (string, error) {
	f, done := lines(text), false
	for _, key := range modeKeys {
		node, at, err := value(text, key)
		if err != nil {
			return "", err
		}
		if node == nil {
			continue
		}
		m := modeLine.FindStringSubmatch(f.lines[at])
		if m == nil || m[2] != m[4] {
			return "", fmt.Errorf("line %d: %s: %w", at+1, key, ErrByHand)
		}
		before := m[1]
		if strings.HasSuffix(before, ":") {
			before += " "
		}
		after := m[5]
		if strings.HasPrefix(after, "#") {
			after = " " + after
		}
		f.lines[at], done = before+m[2]+mode+m[4]+after, true
	}
	if !done {
		end := f.closing()
		f.insert(end, keyMode+": "+mode)
	}
	return f.text(), nil
}
