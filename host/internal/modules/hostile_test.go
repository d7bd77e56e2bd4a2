package modules_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/hostiletest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// TestHostile puts the hostile suite into an operator's directory, with all possible grants. An
// unusable one is a failing entry; a running one never allows by a failed or invalid answer,
// and names its limit.
func TestHostile(t *testing.T) {
	t.Parallel()
	dir, all := t.TempDir(), attacks(t)
	grants := map[string]modules.Rights{}
	for _, a := range all {
		write(t, dir, a.Name+".wasm", a.Wasm)
		grants[a.Name] = modules.Rights{
			Names: []string{a.Name}, MayAllow: true, MayReadOnly: true,
			Limits: sandbox.Limits{
				Fuel: max(20_000_000, a.Limits["fuel"]), MemoryPages: uint32(max(256, a.Limits["memory_pages"])), Timeout: time.Minute,
			},
		}
	}
	write(t, dir, "deploy.wasm", wasm(t, "deploy"))
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Fallback: "echo", Dir: dir, Settings: modules.Settings{Grants: grants}})
	for _, a := range all {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			e := c.Lookup(a.Name)
			if !a.Loads() || !a.Of(sandbox.Describe).Is(hostiletest.OK) {
				if e.Err == nil {
					t.Errorf("got %+v; want an entry that fails", e)
				}
				return
			}
			if e.Err != nil {
				t.Fatal(e.Err)
			}
			judge(t, a, e)
		})
	}
	t.Cleanup(func() {
		if v, err := c.Lookup("Deploy").Tool.CheckPermissions(context.Background(), call(`{"target":"production/web"}`)); err != nil || v.Behavior != engine.Ask {
			t.Errorf("the good module among them: got %+v, %v; want ask", v, err)
		}
	})
}

// attacks are the hostile modules of a size suitable for a directory; under the race detector
// every third.
func attacks(t *testing.T) []*hostiletest.Attack {
	t.Helper()
	all, err := hostiletest.Suite(hostile)
	if err != nil {
		t.Fatal(err)
	}
	var some []*hostiletest.Attack
	for i, a := range all {
		if len(a.Wasm) < 4<<20 && (!raceflag.Enabled || i%3 == 0) {
			some = append(some, a)
		}
	}
	return some
}

// judge asks a tool everything once. The modules' harmless answers neither allow
// nor match, so any such answer is an attack's.
func judge(t *testing.T, a *hostiletest.Attack, e modules.Entry) {
	t.Helper()
	in := call(`{}`)
	v, err := e.Tool.CheckPermissions(t.Context(), in)
	verdict(t, a, sandbox.CheckPermissions, err, v.Behavior == engine.Allow, v == engine.Verdict{})
	r, err := e.Tool.CheckReadOnly(t.Context(), in)
	verdict(t, a, sandbox.CheckReadOnly, err, r.ReadOnly, r == engine.ReadOnly{})
	m, err := e.Tool.MatchRule(t.Context(), in, engine.Allow, []engine.RuleText{{Content: "x"}})
	verdict(t, a, sandbox.MatchRule, err, len(m) != 0, m == nil)
	s, err := e.Tool.GenerateSuggestions(t.Context(), in)
	verdict(t, a, sandbox.GenerateSuggestions, err, len(s) != 0, s == nil)
	d, err := e.Describe(t.Context(), in)
	verdict(t, a, sandbox.DescribeCall, err, len(d.Targets)+len(d.Actions) != 0, d.Action == "" && d.Targets == nil)
}

// verdict judges one answer: whether there was an error, whether the answer says
// yes, and whether there is none at all.
func verdict(t *testing.T, a *hostiletest.Attack, verb string, err error, yes, none bool) {
	t.Helper()
	want, after := a.Of(verb), a.Catalog[verb]
	good := want.Is(hostiletest.OK) || want.Is(hostiletest.Text) && after != hostiletest.Refused
	if err == nil && !good {
		t.Errorf("%s: got no error; want %v, %s", verb, want.Kinds, after)
	}
	if err != nil && good && len(want.Kinds) == 1 {
		t.Errorf("%s: got %v; want an answer", verb, err)
	}
	if err != nil && !none {
		t.Errorf("%s: got an answer beside the error %v", verb, err)
	}
	if yes && !want.Is(hostiletest.Text) {
		t.Errorf("%s: says yes; want %v", verb, want.Kinds)
	}
	var e *sandbox.Error
	if errors.As(err, &e) && e.Kind == sandbox.KindFuel && e.Limit != "fuel" {
		t.Errorf("%s: got %v without the limit's name", verb, err)
	}
}
