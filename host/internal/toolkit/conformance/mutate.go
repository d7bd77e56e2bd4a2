package conformance

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/text/jsonschema"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// mutated is an input with one to four changes. It is as strict as the host hands
// inputs on; where the changes made something else, the input stays.
func (f *fuzzer) mutated(t *toolTrial, input []byte) []byte {
	value, err := jsonschema.Decode(input)
	if err != nil {
		return input
	}
	for range 1 + f.random.IntN(4) {
		value = mutation{f.random, t}.value("", value, 0)
	}
	if strict, err := strictjson.Object(encoded(value)); err == nil && len(strict) < 64<<10 {
		return strict
	}
	return input
}

// mutation changes values.
type mutation struct {
	*rand.Rand
	tool *toolTrial
}

func (m mutation) value(name string, value any, depth int) any {
	switch v := value.(type) {
	case map[string]any:
		return m.object(v, depth)
	case []any:
		return m.list(name, v, depth)
	case string:
		if m.IntN(16) > 0 {
			return m.text(name, v)
		}
	}
	return m.any(name)
}

func (m mutation) object(v map[string]any, depth int) any {
	v = maps.Clone(v)
	names := sortedKeys(v)
	known := sortedKeys(m.tool.schema.properties())
	switch kind := m.IntN(12); {
	case kind == 0 && len(names) > 0:
		delete(v, names[m.IntN(len(names))])
	case kind == 1 && len(known) > 0:
		name := known[m.IntN(len(known))]
		v[name] = m.tool.schema.make(m.Rand, m.tool.schema.properties()[name], name, 1)
	case kind == 2:
		v[strange[m.IntN(len(strange))]] = m.any("")
	case kind == 3 && len(names) > 0:
		name := names[m.IntN(len(names))]
		v[name] = m.any(name)
	case len(names) > 0:
		name := names[m.IntN(len(names))]
		v[name] = m.value(name, v[name], depth+1)
	}
	return v
}

// strange are names of members with a special meaning in programs.
var strange = []string{"zq", "", "__proto__", "constructor", "Command", "path", "file_path", "url", "cwd", "env", "\u017f"}

func (m mutation) list(name string, v []any, depth int) any {
	v = slices.Clone(v)
	switch {
	case len(v) == 0 || m.IntN(4) == 0:
		return append(v, m.any(name))
	case m.IntN(3) == 0:
		return slices.Delete(v, m.IntN(len(v)), len(v))
	}
	i := m.IntN(len(v))
	v[i] = m.value(name, v[i], depth+1)
	return v
}

// any is a value of any type.
func (m mutation) any(name string) any {
	switch m.IntN(9) {
	case 0:
		return nil
	case 1:
		return m.IntN(2) == 0
	case 2:
		return json.Number(numbers[m.IntN(len(numbers))])
	case 3:
		return json.Number("1e400")
	case 4:
		return []any{m.tool.schema.text(m.Rand, name)}
	case 5:
		return map[string]any{"zq": m.tool.schema.text(m.Rand, name)}
	}
	return m.tool.schema.text(m.Rand, name)
}

// pieces are put into texts.
var pieces = []string{" ", "  ", "/", "//", "/./", "/../", "*", "**", "?", "[", "]", "{a,b}", "\\", "\\\\", "'", "\"", "`", "$", "$(x)", ";", "&&", "|", ">", "<", "&", "#", "=", ":", "-", "--", "~", "@", "%", "%00", "\x00", "\r", "\n", "\t", "\u007f", "\u00a0", "\u200b", "\u202e", "\ufeff", "é", "ſ", "İ", "K", "😀", "a", "A", "0", ".", "..", "!", "^"}

func (m mutation) text(name, v string) string {
	runes := []rune(v)
	at := m.IntN(len(runes) + 1)
	piece := pieces[m.IntN(len(pieces))]
	switch m.IntN(10) {
	case 0:
		return string(runes[:at])
	case 1:
		return string(runes[at:])
	case 2:
		return string(runes[:at]) + string(runes[min(at+1+m.IntN(3), len(runes)):])
	case 3:
		return v + strings.Repeat(piece, 1+m.IntN(40))
	case 4:
		return string(runes[:at]) + m.tool.schema.text(m.Rand, name) + string(runes[at:])
	case 5:
		return strings.ToUpper(v)
	case 6:
		return m.tool.schema.text(m.Rand, name)
	}
	return string(runes[:at]) + piece + string(runes[at:])
}
