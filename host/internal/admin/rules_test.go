package admin_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/store"
)

// All rules in force are visible: the configuration's beside the stored ones.
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
	if _, _, err := w.Gate.AddRule(t.Context(), "ann", stored); err != nil {
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
		rules, err := w.Gate.Rules(t.Context(), c.f)
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
	if err := w.Gate.RemoveRule(t.Context(), "ann", "test.yaml:3"); !errors.Is(err, ruletest.ErrBadRule) {
		t.Errorf("remove a rule of the configuration: got %v, want %v", err, ruletest.ErrBadRule)
	}
}

// The raw input of an ask is erased when it ends; the example kept by its rule must not keep a
// secret.
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
			w := newWorld(t, fmt.Sprintf(twoDirs, t.TempDir()))
			r := call("")
			r.Input = []byte(c.input)
			shown, done := w.Start(worker, r)
			answered := w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve, Sets: []int{1}, ConfirmID: shown.ID})
			<-done
			if len(answered.Rules) != 1 || !slices.Equal(answered.Rules[0].Match, c.want) {
				t.Errorf("got %+v, want one rule with the examples %q", answered.Rules, c.want)
			}
		})
	}
}
