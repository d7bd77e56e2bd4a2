package config_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
)

// TestRules_forACallAreThoseThatDecide: a call is decided alike with all rules of an agent and
// with the relevant ones, of one configuration and of two.
func TestRules_forACallAreThoseThatDecide(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		was, will := draw(r, "was"), draw(r, "will")
		agent := rapid.SampledFrom([]string{"", "one", "two"}).Draw(r, "agent")
		tool := rapid.SampledFrom([]string{"A", "a", "B", "CD", "Nothing"}).Draw(r, "tool")
		call := engine.Call{Tool: tool, Input: []byte(`{"text": "x"}`)}
		req := engine.Request{Call: &call, Entry: engine.Entry{Name: tool, Tool: prefixTool{}, Own: true, MayAllow: true}}
		for _, rules := range []config.Rules{was.Agent(agent).Rules, inForce(was, will).Agent(agent).Rules} {
			all, some := req, req
			all.Rules, some.Rules = rules.All(), rules.For(req.About())
			if got, want := engine.Decide(t.Context(), some), engine.Decide(t.Context(), all); !reflect.DeepEqual(got, want) {
				r.Fatalf("with %v: got %+v\nwith %v: %+v", some.Rules, got, all.Rules, want)
			}
		}
	})
}

// TestTighten_comparesEveryAgent: the result for all agents at once equals each one's own.
func TestTighten_comparesEveryAgent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		was, will := draw(r, "was"), draw(r, "will")
		both, waiting := was.Tighten(will)
		type said struct{ text, scope, key, id string }
		saidBy := func(x engine.Rule) said {
			return said{x.Behavior.String() + " " + x.String(), string(x.Scope), x.ScopeKey, x.ID}
		}
		want, widened := map[said]bool{}, map[string]bool{}
		for _, agent := range []string{"", "one", "two"} {
			for _, x := range both.Agent(agent).Rules.All() {
				want[saidBy(x)] = true
			}
			for text := range widenedRules(was.Agent(agent), will.Agent(agent)) {
				widened[text] = true
			}
		}
		got := map[said]bool{}
		for _, x := range both.AllRules() {
			if got[saidBy(x)] {
				r.Fatalf("%v is listed twice", saidBy(x))
			}
			got[saidBy(x)] = true
		}
		if !maps.Equal(got, want) {
			r.Fatalf("got rules %v, want %v", got, want)
		}
		told := map[string]bool{}
		for _, w := range waiting {
			if strings.HasPrefix(w.Will, "allow ") {
				told[w.Will] = true
			} else if isRule(w.Was) {
				told[w.Was] = true
			}
		}
		if !maps.Equal(told, widened) {
			r.Fatalf("told %v, want %v", slices.Sorted(maps.Keys(told)), slices.Sorted(maps.Keys(widened)))
		}
	})
}

func isRule(text string) bool {
	for _, b := range []string{"allow ", "ask ", "deny "} {
		if len(text) > len(b) && text[:len(b)] == b {
			return true
		}
	}
	return false
}

// widenedRules compares two agents rule by rule: each new or longer allow rule, and each
// removed or shorter deny or ask rule, as shown.
func widenedRules(was, will config.Agent) map[string]bool {
	out := map[string]bool{}
	forever := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	end := func(x engine.Rule) time.Time {
		if x.ExpiresAt.IsZero() {
			return forever
		}
		return x.ExpiresAt
	}
	line := func(x engine.Rule) string {
		text := x.Behavior.String() + " " + x.String()
		if !x.ExpiresAt.IsZero() {
			text += " until " + x.ExpiresAt.Format(time.RFC3339)
		}
		return text
	}
	same := func(rules []engine.Rule, x engine.Rule, behaviors ...engine.Behavior) (last time.Time) {
		for _, y := range rules {
			if y.String() != x.String() || !slices.Contains(behaviors, y.Behavior) {
				continue
			}
			if end(y).After(last) {
				last = end(y)
			}
		}
		return last
	}
	before, after := was.Rules.All(), will.Rules.All()
	for _, x := range after {
		if x.Behavior == engine.Allow {
			if same(before, x, engine.Allow).Before(end(x)) {
				out[line(x)] = true
			}
		}
	}
	for _, x := range before {
		stands := []engine.Behavior{engine.Deny}
		if x.Behavior == engine.Ask {
			stands = append(stands, engine.Ask)
		}
		if x.Behavior != engine.Allow {
			if same(after, x, stands...).Before(end(x)) {
				out[line(x)] = true
			}
		}
	}
	return out
}
