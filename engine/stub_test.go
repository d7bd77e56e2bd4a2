package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/callgate/callgate/engine"
)

// errVerb is a scripted verb's failure.
var errVerb = errors.New("out of fuel")

// stub is a tool with the test's script and a record of its questions. Not safe for concurrent
// use.
type stub struct {
	verdict    engine.Verdict
	verdictErr error

	readOnly    bool
	readOnlyErr error

	// hits are the matching rule contents.
	hits []string
	// matchErr fails match_rule for one behavior.
	matchErr map[engine.Behavior]error
	// indices, when set, is answered as it stands.
	indices []int
	// covers, when set, makes the tool a compound one: an allow stage matches
	// only when all these contents are among its rules.
	covers []string

	proposals  []engine.SuggestedRule
	suggestErr error

	asked []string
	texts []engine.RuleText
}

var _ engine.Tool = (*stub)(nil)

func (s *stub) CheckPermissions(context.Context, *engine.Call) (engine.Verdict, error) {
	s.asked = append(s.asked, "check_permissions")
	return s.verdict, s.verdictErr
}

func (s *stub) CheckReadOnly(context.Context, *engine.Call) (engine.ReadOnly, error) {
	s.asked = append(s.asked, "check_read_only")
	return engine.ReadOnly{ReadOnly: s.readOnly}, s.readOnlyErr
}

func (s *stub) MatchRule(_ context.Context, _ *engine.Call, b engine.Behavior, rules []engine.RuleText) ([]int, error) {
	s.asked = append(s.asked, "match_rule "+b.String())
	s.texts = append(s.texts, rules...)
	if err := s.matchErr[b]; err != nil {
		return nil, err
	}
	if s.indices != nil {
		return s.indices, nil
	}
	if s.covers != nil && b == engine.Allow {
		return covering(s.covers, rules), nil
	}
	var out []int
	for i, r := range rules {
		if slices.Contains(s.hits, r.Content) {
			out = append(out, i)
		}
	}
	return out, nil
}

// covering returns the rules of a cover, or none when a part has no rule.
func covering(parts []string, rules []engine.RuleText) []int {
	var out []int
	for _, part := range parts {
		i := slices.IndexFunc(rules, func(r engine.RuleText) bool { return r.Content == part })
		if i < 0 {
			return nil
		}
		out = append(out, i)
	}
	return out
}

func (s *stub) GenerateSuggestions(context.Context, *engine.Call) ([]engine.SuggestedRule, error) {
	s.asked = append(s.asked, "generate_suggestions")
	return s.proposals, s.suggestErr
}

// request is a call of the tool named Tool with all grants.
func request(mode engine.Mode, s *stub, rules ...engine.Rule) engine.Request {
	return engine.Request{
		Call:  &engine.Call{Tool: "Tool", Input: json.RawMessage(`{}`), Context: engine.Context{Mode: mode}},
		Entry: engine.Entry{Name: "Tool", Aliases: []string{"alias"}, Tool: s, Own: true, MayAllow: true, MayReadOnly: true},
		Rules: rules,
	}
}

func rule(b engine.Behavior, text string) engine.Rule {
	r, err := engine.ParseRule(text)
	if err != nil {
		panic(err) // the test's own text
	}
	r.Behavior = b
	return r
}

func projectRule(b engine.Behavior, text string) engine.Rule {
	r := rule(b, text)
	r.Source = engine.SourceProjectFile
	return r
}

func decide(t *testing.T, req engine.Request) engine.Decision {
	t.Helper()
	d := engine.Decide(t.Context(), req)
	if d.Behavior == engine.Passthrough {
		t.Errorf("Decide answered passthrough: %+v", d)
	}
	if d.Behavior == engine.Deny && d.Message == "" {
		t.Errorf("denial without a message: %+v", d)
	}
	return d
}

// check compares the common parts of all tests.
func check(t *testing.T, d engine.Decision, b engine.Behavior, stage engine.Stage, code string) {
	t.Helper()
	if d.Behavior != b || d.Stage != stage || d.Code != code {
		t.Errorf("got %s at %s, code %s (%s)\nwant %s at %s, code %s", d.Behavior, d.Stage, d.Code, d.Reason, b, stage, code)
	}
}

func content(s string) *string { return &s }
