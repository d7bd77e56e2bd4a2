package wire

import "time"

// HookAlarm is the notice of a client whose calls no longer reach Callgate, and of its end. Its
// Reason is the client's state in words, its Code HookUnjudged or HookJudged.
const HookAlarm = "HookAlarm"

// The codes of a HookAlarm.
const (
	HookUnjudged = "hook_unjudged"
	HookJudged   = "hook_judged"
)

// HookProbe is the last probe of one client's hook by the daemon.
type HookProbe struct {
	// Client is the word after "callgate hook", File the place of its hook.
	Client string `json:"client"`
	File   string `json:"file,omitempty"`
	// Agent is the agent whose calls the hook sends; empty when unknown.
	Agent string `json:"agent,omitempty"`
	// State is judged, or what is wrong: unjudged (the client would run a call without a decision),
	// unseen (it blocks every call, because none reaches the daemon), off (something switches the
	// hook off), gone (there is no hook any more), changed (the hook is not as Callgate installs it,
	// so it is not started), silent (no canary came in time).
	State string `json:"state"`
	// Text is the state in words.
	Text string    `json:"text"`
	At   time.Time `json:"at"`
	// Session is the canary's in the audit; empty when none was sent.
	Session string `json:"session,omitempty"`
}

// Judged reports whether the hook works.
func (p HookProbe) Judged() bool { return p.State == "judged" }

// HookProbes are the last probes.
type HookProbes struct {
	// Every is the time between two probes, such as 30m0s; empty for none.
	Every string `json:"every,omitempty"`
	// Expected means that the daemon starts no hook, because agents have an account of their own:
	// it waits for the canaries of callgate agents --probe.
	Expected bool        `json:"expected,omitempty"`
	Probes   []HookProbe `json:"probes"`
}
