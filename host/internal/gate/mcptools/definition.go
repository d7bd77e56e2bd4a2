package mcptools

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// The bounds of a request.
const (
	maxTools   = 4096
	maxName    = 1024
	maxBytes   = 2 << 20
	maxProgram = 200
)

// definition is a tool as its server defines it now.
type definition struct {
	name, digest string
	// text is the definition in one spelling.
	text json.RawMessage
}

// read reads the definitions of a request. Its errors name the faulty one.
func read(tools []json.RawMessage) ([]definition, error) {
	if len(tools) > maxTools {
		return nil, fmt.Errorf("tools: %d: at most %d are read", len(tools), maxTools)
	}
	var out []definition
	size := 0
	for i, raw := range tools {
		text, err := strictjson.Object(raw)
		if err != nil {
			return nil, fmt.Errorf("tools.%d: %w", i, err)
		}
		d := definition{text: text}
		var name struct {
			Name *string `json:"name"`
		}
		if err := json.Unmarshal(text, &name); err != nil || name.Name == nil || *name.Name == "" || len(*name.Name) > maxName {
			return nil, fmt.Errorf("tools.%d.name: want a string of 1 to %d bytes", i, maxName)
		}
		if size += len(text); size > maxBytes {
			return nil, fmt.Errorf("tools: more than %d bytes", maxBytes)
		}
		sum := sha256.Sum256(text)
		d.name, d.digest = *name.Name, hex.EncodeToString(sum[:])
		if slices.ContainsFunc(out, func(o definition) bool { return o.name == d.name }) {
			return nil, fmt.Errorf("tools.%d.name: %.80q stands there twice", i, d.name)
		}
		out = append(out, d)
	}
	return out, nil
}

// differing are the members that differ between two definitions.
func differing(was, now json.RawMessage) []string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(now, &b) != nil {
		return nil
	}
	var out []string
	for name, value := range b {
		if old, ok := a[name]; !ok || !bytes.Equal(old, value) {
			out = append(out, name)
		}
	}
	for name := range a {
		if _, ok := b[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// orders are words that definitions use to command the model past its user. Their absence proves
// nothing: they are a warning on the card and decide nothing.
var orders = []string{
	"ignore previous", "ignore all previous", "ignore the previous", "do not tell the user", "don't tell the user", "without telling the user",
	"do not mention", "<important>", "system prompt", "before using any other tool", "you must always call",
}

// warnings are the suspicious words and characters of a definition.
func warnings(text json.RawMessage) []string {
	var out []string
	in := jsontext.NewDecoder(bytes.NewReader(text))
	var words strings.Builder
	for {
		t, err := in.ReadToken()
		if err != nil {
			break // the end: read has read it
		}
		if t.Kind() == '"' {
			words.WriteString(t.String() + "\n")
		}
	}
	lower := strings.ToLower(words.String())
	for _, o := range orders {
		if strings.Contains(lower, o) {
			out = append(out, fmt.Sprintf("it says %q", o))
		}
	}
	hidden := map[rune]bool{}
	for _, r := range words.String() {
		if r != '\n' && r != '\t' && r != '\r' && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Co, r)) && !hidden[r] && len(hidden) < 5 {
			hidden[r] = true
			out = append(out, fmt.Sprintf("it has the invisible character U+%04X", r))
		}
	}
	return out
}
