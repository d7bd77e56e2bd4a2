package config

import "time"

// Hooks says how the hooks of the agents' clients are watched.
type Hooks struct {
	// ProbeEvery is how often the daemon sends a call that it always denies through each installed
	// hook of its account, such as 30m: at least 1m. When the call would have run, the approvers get
	// a message. Where agents have an account of their own (boundary.agent_accounts), the daemon
	// starts nothing and expects callgate agents --probe of that account as often. Left out: never.
	ProbeEvery Duration `yaml:"probe_every"`
}

// hooks checks the interval.
func (ck *checker) hooks(h Hooks) {
	if _, given := ck.places["hooks.probe_every"]; !given {
		return
	}
	if h.ProbeEvery < Duration(time.Minute) || h.ProbeEvery > Duration(day) {
		ck.add("hooks.probe_every", "%v: want 1m to 24h; leave the key out for no probe", time.Duration(h.ProbeEvery))
	}
}
