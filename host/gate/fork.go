package gate

import (
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/store"
)

// forkMode is the mode of a call: that of the session's interactive forks for their
// calls, where a person gave them one, else base. That a call is a fork's only its
// client knows, so that a Checker's forks get the stricter of both (threat T02).
func forkMode(caller Caller, agent config.Agent, kind engine.Kind, known store.Session, claimed *engine.Mode, base engine.Mode) engine.Mode {
	if kind != engine.InteractiveFork || known.ForkMode == nil {
		return base
	}
	mode := modeOf(caller, agent, known.ForkMode, claimed)
	if !caller.believed() {
		return engine.Stricter(base, mode)
	}
	return mode
}

// withoutGrants are the rules that hold for a call of this kind: to a background
// session nobody has granted anything, what was granted to the conversation beside
// it included. Source: the Discord seed, which denies in a background fork before it
// looks at what was unlocked.
func withoutGrants(kind engine.Kind, stored []engine.Rule) []engine.Rule {
	grant := func(r engine.Rule) bool { return r.Scope == engine.Session && r.Behavior == engine.Allow }
	if kind != engine.Background || !slices.ContainsFunc(stored, grant) {
		return stored
	}
	return slices.DeleteFunc(slices.Clone(stored), grant)
}
