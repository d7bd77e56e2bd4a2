package card

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// member is one piece of an input as people read it.
type member struct {
	name string // Line'd
	text string // raw
}

// members takes an input apart, in the best order for reading: each text of the top level
// stands by itself, unchanged, so a command reads like a command; anything else is laid out as
// JSON. An input that cannot be taken apart without loss is shown as the raw bytes.
func members(input json.RawMessage) []member {
	if !faithful(input) {
		return []member{{name: "(raw)", text: string(input)}}
	}
	list, err := readMembers(input)
	if err != nil {
		return []member{{name: "(raw)", text: string(input)}}
	}
	slices.SortStableFunc(list, func(a, b member) int { return cmp.Compare(place(a.name), place(b.name)) })
	return list
}

// The subject of a call comes first, then the old text, then the new. Inputs come with their
// names sorted, with the new text of an edit before the old one, and a file's content before
// its path. The names are those of the first-party tools.
var (
	readFirst = []string{"command", "file_path", "notebook_path", "path", "url", "query", "pattern"}
	readLast  = []string{"old_string", "new_string", "content", "new_source"}
)

// place is a parameter's place among the others: before 0 those read first, above it those read
// last.
func place(name string) int {
	if i := slices.Index(readFirst, name); i >= 0 {
		return i - len(readFirst)
	}
	return slices.Index(readLast, name) + 1
}

// faithful reports whether decoding the JSON text keeps every character: it is
// UTF-8, and no escape names half of a surrogate pair.
func faithful(input []byte) bool {
	if !utf8.Valid(input) {
		return false
	}
	for i := 0; i+1 < len(input); i++ {
		if input[i] != '\\' {
			continue
		}
		i++
		if input[i] != 'u' || !surrogate(input[i:], "89abAB") && !surrogate(input[i:], "cdefCDEF") {
			continue
		}
		pair := surrogate(input[i:], "89abAB") && i+6 < len(input) && input[i+5] == '\\' && surrogate(input[i+6:], "cdefCDEF")
		if !pair {
			return false
		}
		i += 6
	}
	return true
}

// surrogate reports whether text begins with uDx.., x being one of half.
func surrogate(text []byte, half string) bool {
	return len(text) >= 5 && text[0] == 'u' && (text[1] == 'd' || text[1] == 'D') && strings.IndexByte(half, text[2]) >= 0
}

var errNotAnObject = errors.New("input is not one JSON object")

func readMembers(input json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, errNotAnObject
	}
	var list []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		m, err := readMember(fmt.Sprint(key), value)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotAnObject
	}
	return list, nil
}

// jsonSuffix follows the name of a parameter laid out as JSON. No name ends with it: one with a
// blank is quoted.
const jsonSuffix = " (JSON)"

func readMember(key string, value json.RawMessage) (member, error) {
	switch value[0] {
	case '"':
		var text string
		err := json.Unmarshal(value, &text)
		return member{name: memberName(key), text: text}, err
	case '{', '[':
	default: // laid out as it came
		return member{name: memberName(key) + jsonSuffix, text: string(value)}, nil
	}
	text, err := layOut(value)
	return member{name: memberName(key) + jsonSuffix, text: text}, err
}

// memberName is the key, quoted unless it is a plain word: no key can look like
// something else on the card. It is never shortened: names are judged as well as values.
func memberName(key string) string {
	if plainKey(key) {
		return key
	}
	return Line(quote(key))
}

// plainKey reports whether a key is 1 to 64 letters, digits, '_', '.' or '-' of ASCII. No
// pattern: it would be compiled at the start of every process.
func plainKey(key string) bool {
	return 0 < len(key) && len(key) <= 64 && !strings.ContainsFunc(key, func(r rune) bool {
		return (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r) && (r < '0' || '9' < r) && r != '_' && r != '.' && r != '-'
	})
}

// layOut writes a JSON value on lines, in its own order, with every character in its plain form
// if it has one: escapes could spell a word unreadably.
func layOut(value json.RawMessage) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var out strings.Builder
	err := writeValue(&out, dec, 0)
	return out.String(), err
}

func writeValue(out *strings.Builder, dec *json.Decoder, depth int) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return writeNested(out, dec, depth, "{", "}")
	case json.Delim('['):
		return writeNested(out, dec, depth, "[", "]")
	}
	return writeScalar(out, token)
}

func writeScalar(out *strings.Builder, token json.Token) error {
	if text, ok := token.(string); ok {
		out.WriteString(quote(text))
		return nil
	}
	if token == nil {
		out.WriteString("null")
		return nil
	}
	_, err := fmt.Fprint(out, token)
	return err
}

// writeNested writes the rest of an object or array, after its opening.
func writeNested(out *strings.Builder, dec *json.Decoder, depth int, begin, end string) error {
	out.WriteString(begin)
	empty := true
	for ; dec.More(); empty = false {
		if !empty {
			out.WriteByte(',')
		}
		out.WriteString("\n" + indent(depth+1))
		if begin == "{" {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			out.WriteString(quote(fmt.Sprint(key)) + ": ")
		}
		if err := writeValue(out, dec, depth+1); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	if !empty {
		out.WriteString("\n" + indent(depth))
	}
	out.WriteString(end)
	return nil
}

// indent is two spaces a level, and stops growing where it would be written as
// a run.
func indent(depth int) string { return strings.Repeat("  ", min(depth, maxSpaces/2)) }

var quoteEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// quote writes a JSON string with only the escapes needed by its own syntax and the lines of a
// card; Visible does the rest.
func quote(text string) string { return `"` + quoteEscapes.Replace(text) + `"` }
