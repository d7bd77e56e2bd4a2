package tool

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns a JSON value in the spelling of such rules: object members sorted by name, no
// blanks, strings unescaped as far as JSON allows. Numbers stay as written, so 9007199254740993 is
// not mistaken for its neighbour. The error means raw is not one strict JSON value.
func Canonical(raw json.RawMessage) (string, error) {
	value := jsontext.Value(strings.Clone(string(raw)))
	err := value.Compact(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false),
		jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false))
	return string(value), err
}

// MatchParameters is the default Spec.Match, for tools alone in understanding their input. A rule's
// content is the input as JSON (compared in Canonical form) or "param:value", with "*" in value for
// any run of characters.
//
// As an allow rule "param:value" speaks of one text, number or other plain value; a list or an
// object it covers only as a whole, written as JSON, or with the value "*". As a deny or ask rule
// it also holds for elements of lists and objects, for a name in another case, for a number written
// otherwise (2, 2.0 and 0.2e1; equal as float64), and for an input with a member such as
// "__proto__", a stand-in for any other. A content of neither form allows nothing and denies
// everything, so no slip voids a deny rule. Source: threat T25.
func MatchParameters(raw json.RawMessage, behavior Behavior, rules []Rule) []int {
	whole, err := Canonical(raw)
	if err != nil {
		return nil
	}
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal([]byte(whole), &members); err != nil {
		return nil
	}
	in := parameters{whole: whole, members: members, behavior: behavior, inherits: inherits(members)}
	in.rounded = sync.OnceValue(func() string { return rounded(jsontext.Value(whole)) })
	return Indices(rules, in.match)
}

// parameters are an input as rules are compared with it.
type parameters struct {
	whole string
	// rounded is the whole for deny and ask rules, its numbers in one spelling.
	rounded  func() string
	members  map[string]jsontext.Value
	behavior Behavior
	// inherits means a member may replace others.
	inherits bool
}

func (in parameters) match(rule Rule) bool {
	if exact, err := Canonical(json.RawMessage(rule.Content)); err == nil {
		return exact == in.whole || in.behavior != Allow && rounded(jsontext.Value(exact)) == in.rounded()
	}
	param, pattern, ok := strings.Cut(rule.Content, ":")
	if in.behavior == Allow {
		value, present := in.members[param]
		return ok && present && !in.inherits && allowsValue(value, pattern)
	}
	if !ok || in.inherits {
		return true
	}
	for name, value := range in.members {
		if strings.EqualFold(name, param) && catchesValue(value, pattern) {
			return true
		}
	}
	return false
}

// inherits reports whether a member's name has a meaning for a program merging objects: its content
// may become a member of the input.
func inherits(members map[string]jsontext.Value) bool {
	for _, name := range []string{"__proto__", "constructor", "prototype"} {
		if _, ok := members[name]; ok {
			return true
		}
	}
	return false
}

func allowsValue(value jsontext.Value, pattern string) bool {
	if kind := value.Kind(); (kind == '[' || kind == '{') && pattern != "*" {
		return string(value) == pattern
	}
	return Wildcard(pattern, plainText(value))
}

func catchesValue(value jsontext.Value, pattern string) bool {
	if Wildcard(pattern, plainText(value)) {
		return true
	}
	switch value.Kind() {
	case '0':
		return number(pattern) == number(string(value))
	case '[':
		var items []jsontext.Value
		_ = jsonv2.Unmarshal(value, &items) // cannot fail: value was cut from decoded JSON
		return slices.ContainsFunc(items, func(item jsontext.Value) bool { return catchesValue(item, pattern) })
	case '{':
		var members map[string]jsontext.Value
		_ = jsonv2.Unmarshal(value, &members) // as above
		for _, member := range members {
			if catchesValue(member, pattern) {
				return true
			}
		}
	}
	return false
}

// rounded is a canonical JSON value with every number rounded to a float64: some programs read no
// more of it.
func rounded(value jsontext.Value) string {
	switch value.Kind() {
	case '0':
		return number(string(value))
	case '[':
		var items []jsontext.Value
		_ = jsonv2.Unmarshal(value, &items) // cannot fail: value is canonical JSON
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = rounded(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case '{':
		var members map[string]jsontext.Value
		_ = jsonv2.Unmarshal(value, &members) // as above
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(members)) {
			parts = append(parts, strconv.Quote(name)+":"+rounded(members[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return string(value)
}

// number is the one spelling of a number; another text stays.
func number(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return text
	}
	return strconv.FormatFloat(f+0, 'g', -1, 64) // -0 + 0 is 0
}

// plainText returns a string's characters, or any other value as JSON.
func plainText(value jsontext.Value) string {
	if value.Kind() != '"' {
		return string(value)
	}
	text, _ := jsontext.AppendUnquote(nil, value) // cannot fail: value was cut from decoded JSON
	return string(text)
}

// maxSuggestion bounds the bytes of a suggested rule: people do not read a longer one.
const maxSuggestion = 2000

func suggestParameters(env *envelope) []Suggestion {
	var list []Suggestion
	if exact, err := Canonical(json.RawMessage(env.Input)); err == nil && len(exact) <= maxSuggestion {
		list = append(list, Propose(exact, "exactly this input"))
	}
	return append(list, ProposeTool("every call of "+env.Tool))
}
