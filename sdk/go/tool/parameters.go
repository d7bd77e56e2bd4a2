package tool

import (
	"encoding/json"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns a JSON value as rules of this form spell it: object members
// sorted by name, no blanks, strings unescaped as far as JSON lets them be.
// Numbers stay as they are written, so that 9007199254740993 is not mistaken
// for its neighbour. The error is that raw is not one strict JSON value.
func Canonical(raw json.RawMessage) (string, error) {
	value := jsontext.Value(strings.Clone(string(raw)))
	err := value.Compact(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false),
		jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false))
	return string(value), err
}

// MatchParameters is the default Spec.Match, for tools whose input only they
// understand. A rule's content is the input as JSON (compared in Canonical form)
// or "param:value", where value may hold "*" for any run of characters.
// A list matches "param:value" as an allow rule only as a whole, as JSON; as a
// deny or ask rule when any of its members does. A content of neither form
// allows nothing and, so that no deny rule is void by a slip, denies everything.
// Source: design section 13, "other tools' content".
func MatchParameters(raw json.RawMessage, behavior Behavior, rules []Rule) []int {
	whole, err := Canonical(raw)
	if err != nil {
		return nil
	}
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal([]byte(whole), &members); err != nil {
		return nil
	}
	return Indices(rules, func(rule Rule) bool {
		if exact, err := Canonical(json.RawMessage(rule.Content)); err == nil {
			return exact == whole
		}
		param, pattern, ok := strings.Cut(rule.Content, ":")
		if !ok {
			return behavior != Allow
		}
		value, present := members[param]
		return present && matchValue(value, pattern, behavior)
	})
}

func matchValue(value jsontext.Value, pattern string, behavior Behavior) bool {
	if wildcard(pattern, plainText(value)) {
		return true
	}
	if value.Kind() != '[' || behavior == Allow {
		return false
	}
	var items []jsontext.Value
	_ = jsonv2.Unmarshal(value, &items) // cannot fail: value was cut from decoded JSON
	for _, item := range items {
		if matchValue(item, pattern, behavior) {
			return true
		}
	}
	return false
}

// plainText returns a string's characters, or any other value as JSON.
func plainText(value jsontext.Value) string {
	if value.Kind() != '"' {
		return string(value)
	}
	text, _ := jsontext.AppendUnquote(nil, value) // cannot fail: value was cut from decoded JSON
	return string(text)
}

// maxSuggestion bounds the bytes of a suggested rule: a longer one nobody reads.
const maxSuggestion = 2000

func suggestParameters(env *envelope) []Suggestion {
	var list []Suggestion
	if exact, err := Canonical(json.RawMessage(env.Input)); err == nil && len(exact) <= maxSuggestion {
		list = append(list, Propose(exact, "exactly this input"))
	}
	return append(list, ProposeTool("every call of "+env.Tool))
}
