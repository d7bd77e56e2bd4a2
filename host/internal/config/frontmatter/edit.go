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

// modeKeys are the keys of a chat's mode, the canonical one first.
var modeKeys = []string{keyMode, "permissions_mode"}

// ErrByHand marks a well-formed head without a safe edit: its lists would need a new layout.
var ErrByHand = errors.New("edit it by hand")

// Edit returns the text of a chat with its lists and mode as want has them. Only changed lines are
// touched: comments, order, quoting, line ends, the other keys and the body stay byte for byte. A
// missing list is written before the end of the head, and a text without a head gets one. Removing
// an addition gives the same bytes again, except for a new key or a new head. An empty want.Mode
// leaves the mode. ErrByHand says where an edit is not possible.
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

// ChatMode is the mode in a chat, in its spelling; empty when it names none.
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

// value is a key's value in a text, and the index of the key's line; -1 for a missing key.
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

// editList makes one list equal to want: it removes entries, and adds new ones at the end.
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
		return f.flow(key, at, func(l string, _ int, items []span) string {
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
		f.insert(n+1, dash(f.lines[n])+quoted(entry, false))
	case at >= 0:
		f.insert(at+1, f.indent()+quoted(entry, false))
	default:
		end := f.closing()
		f.insert(end, key+":", f.indent()+quoted(entry, false))
	}
	return f.text(), nil
}

// quoted is an entry as YAML: plain where YAML reads it as the same text.
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

// modeLine is a line with a mode: the key, the blanks and quote before the value,
// the value, and what follows it. A variable would link regexp's tables into the hook.
func modeLine() *regexp.Regexp {
	return regexp.MustCompile(`^("?permissions?_mode"?[ \t]*:[ \t]*)(["']?)([A-Za-z_]*)(["']?)([ \t]*(?:#.*)?\r?\n?)$`)
}

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
		m := modeLine().FindStringSubmatch(f.lines[at])
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
