package gate_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// What is in force is to be seen: the configuration's rules beside the stored
// ones.
func TestRulesAreThoseInForce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
rules:
  - deny: Probe(secret)
  - {allow: Probe(old), expires_at: 2001-01-01}
agents:
  worker:
    rules: [{ask: Probe(deploy)}]
`)
	stored := engine.Rule{Tool: "Probe", Behavior: engine.Allow, Scope: engine.Global}
	if _, _, err := w.gate.AddRule(t.Context(), "ann", stored); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		f    store.RuleFilter
		want []string
	}{
		"all":     {store.RuleFilter{}, []string{"deny Probe(secret)", "ask Probe(deploy)", "allow Probe"}},
		"agent":   {store.RuleFilter{Scope: engine.Agent, Key: "worker"}, []string{"ask Probe(deploy)"}},
		"expired": {store.RuleFilter{Expired: true}, []string{"deny Probe(secret)", "allow Probe(old)", "ask Probe(deploy)", "allow Probe"}},
	} {
		rules, err := w.gate.Rules(t.Context(), c.f)
		var got []string
		for _, r := range rules {
			got = append(got, r.Behavior.String()+" "+r.String())
			if configured := r.Source == config.Source; configured != (r.CreatedBy == "") {
				t.Errorf("%s: %+v: source and author do not fit", name, r)
			}
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
	if err := w.gate.RemoveRule(t.Context(), "ann", "test.yaml:3"); !errors.Is(err, gate.ErrBadRule) {
		t.Errorf("remove a rule of the configuration: got %v, want %v", err, gate.ErrBadRule)
	}
}

// The raw input of an ask is erased when it ends; the example that its rule keeps
// must not be where a secret stays.
func TestT14_ExamplesKeepNoSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		input string
		want  []string
	}{
		"ordinary": {`{"value":"build"}`, []string{`{"value":"build"}`}},
		"secret":   {`{"api_key":"sk-canary-4f1d0c","value":"build"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, twoDirsOf(t))
			r := call("")
			r.Input = []byte(c.input)
			shown, done := w.start(worker, r)
			answered := w.answer(shown.ID, ask.Answer{Verdict: ask.Approve, Sets: []int{1}, ConfirmID: shown.ID})
			<-done
			if len(answered.Rules) != 1 || !slices.Equal(answered.Rules[0].Match, c.want) {
				t.Errorf("got %+v, want one rule with the examples %q", answered.Rules, c.want)
			}
		})
	}
}
