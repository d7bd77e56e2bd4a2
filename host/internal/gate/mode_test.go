package gate_test

import (
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/wire"
)

// The mode of a decision: the session's own before the agent's, and the client's report on top.
// A session's mode was lost when the agent's was explore or dont_ask, and when the agent
// follows its client.
func TestModeOfACall(t *testing.T) {
	t.Parallel()
	none := ""
	integrator := authority.Caller{Token: "hub", Kind: authority.Integrator}
	cases := map[string]struct {
		agent, session, client string
		caller                 authority.Caller
		want                   engine.Mode
	}{
		"agent's":                             {"accept_edits", none, none, worker, engine.AcceptEdits},
		"session loosens explore":             {"explore", "accept_edits", none, worker, engine.AcceptEdits},
		"session loosens dont_ask":            {"dont_ask", "default", none, worker, engine.DefaultMode},
		"session tightens":                    {"bypass", "explore", none, worker, engine.Explore},
		"client may not loosen":               {"default", none, "bypass", worker, engine.DefaultMode},
		"client tightens the session":         {"default", "bypass", "plan", worker, engine.Explore},
		"followed client":                     {"default, follow_client_mode: true", none, "bypass", worker, engine.Bypass},
		"followed client that says nothing":   {"default, follow_client_mode: true", "explore", none, worker, engine.Explore},
		"integrator":                          {"default", none, "bypass", integrator, engine.Bypass},
		"integrator against the session":      {"default", "explore", "bypass", integrator, engine.Explore},
		"integrator that tightens":            {"default", "bypass", "dontAsk", integrator, engine.DontAsk},
		"integrator that has nothing to say":  {"default", "trusted", none, integrator, engine.Trusted},
		"a session without a mode of its own": {"trusted", none, none, integrator, engine.Trusted},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "defaults: {mode: "+c.agent+"}\nrules: [{deny: Probe(open)}]\n")
			r := call("open")
			if _, err := w.Gate.Check(t.Context(), c.caller, r, nil); err != nil { // opens the session
				t.Fatal(err)
			}
			if c.session != none {
				mode, err := engine.ParseMode(c.session)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Gate.SetMode(t.Context(), "s1", &mode, "ann"); err != nil {
					t.Fatal(err)
				}
			}
			r = call("x")
			r.Context.Mode = c.client
			res, err := w.Gate.Evaluate(t.Context(), c.caller, r)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.modeSeen(res); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// modeSeen is the deciding mode: from the tool's context, or in explore, where the tool does
// not run, from the decision.
func (w *world) modeSeen(res wire.Result) engine.Mode {
	if res.Decision.Code == engine.CodeMutation {
		return engine.Explore
	}
	return w.Tool.Last().Mode
}
