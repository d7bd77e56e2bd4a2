package gate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
)

// TestLists: ExAthena's lists in each mode, from the configuration to the answer, with the
// words for the model.
func TestLists(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, agent, code, says string }{
		{"disallowed in default", "{mode: default, disallowed_tools: [Probe]}", engine.CodeDisallowed, "Probe was denied: Probe is on disallowed_tools."},
		{"disallowed in accept_edits", "{mode: accept_edits, disallowed_tools: [Probe]}", engine.CodeDisallowed, "on disallowed_tools"},
		{"disallowed in plan", "{mode: plan, disallowed_tools: [Probe]}", engine.CodeDisallowed, "on disallowed_tools"},
		{"disallowed in trusted", "{mode: trusted, disallowed_tools: [Probe]}", engine.CodeDisallowed, "on disallowed_tools"},
		{"disallowed in bypass", "{mode: bypass_permissions, disallowed_tools: [Probe]}", engine.CodeDisallowed, "on disallowed_tools"},
		{"lifted in trusted", "{mode: trusted, disallowed_tools: [Probe], respect_denylist: false}", engine.CodeModeAllow, ""},
		{"the denylist before the allow list", "{mode: bypass, disallowed_tools: [Probe], allowed_tools: [Probe]}", engine.CodeDisallowed, "on disallowed_tools"},
		{"outside in bypass", "{mode: bypass, allowed_tools: [Read]}", engine.CodeNotInAllowlist, "Probe was denied: Probe is not on allowed_tools; allowed tools are Read."},
		{"outside in trusted", "{mode: trusted, respect_denylist: false, allowed_tools: [Read]}", engine.CodeNotInAllowlist, "not on allowed_tools"},
		{"an empty list", "{mode: bypass, allowed_tools: []}", engine.CodeNotInAllowlist, "no tool is allowed"},
		{"inside grants nothing", "{mode: dont_ask, allowed_tools: [Probe]}", engine.CodeModeDeny, "mode dont_ask denies calls without an allow rule"},
		{"inside in trusted", "{mode: trusted, allowed_tools: [Probe]}", engine.CodeModeAllow, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "agents: {worker: "+tc.agent+"}\n")
			w.withCallback(answers(allowing)) // a callback overrules no list
			res := w.Check(worker, call("x"))
			if res.Decision.Code != tc.code || !strings.Contains(res.Decision.Message, tc.says) || (tc.says == "") != (res.Decision.Behavior == engine.Allow) {
				t.Errorf("got %s %s (%s), want %s saying %q", res.Decision.Behavior, res.Decision.Code, res.Decision.Message, tc.code, tc.says)
			}
		})
	}
}

// TestAutoIsReserved: naming the mode auto gives an error, in the configuration and in a call;
// an invalid mode leaves nothing looser.
func TestAutoIsReserved(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"defaults: {mode: auto}", "agents: {a: {mode: auto}}", "permission_grants: {a: ['mode:auto']}"} {
		_, err := config.Parse("callgate.yaml", []byte(text), config.Dirs{Home: "/home/dev"})
		if err == nil || !strings.Contains(err.Error(), `callgate.yaml:1:`) || !strings.Contains(err.Error(), `"auto" is reserved`) {
			t.Errorf("%s: got %v, want that auto is reserved, with the place", text, err)
		}
	}
	for _, text := range []string{"agents: {a: {mode: default, respect_denylist: false}}", "defaults: {respect_denylist: false}"} {
		if _, err := config.Parse("callgate.yaml", []byte(text), config.Dirs{Home: "/home/dev"}); err == nil || !strings.Contains(err.Error(), "only valid with mode: trusted") {
			t.Errorf("%s: got %v, want only valid with mode: trusted", text, err)
		}
	}
	w := newWorld(t, "agents: {worker: {mode: bypass}}\n")
	r := call("x")
	r.Context.Mode = "auto"
	if res, err := w.Gate.Check(t.Context(), worker, r, nil); !errors.Is(err, authority.ErrBadRequest) || !strings.Contains(err.Error(), "reserved") || res.Decision.Behavior != engine.Deny {
		t.Errorf("a call: got %s, %v, want a bad request that says that it is reserved", res.Decision.Behavior, err)
	}
}
