package opencode

import "github.com/callgate/callgate/host/internal/hook/runner"

// Verdict is the plugin's reaction to the outcome of its program: everything but the allow throws,
// and opencode does not run the call then (measured with version 1.18.33).
func Verdict(o runner.Outcome) runner.Effect {
	if !o.Failed() && o.Exit == 0 && string(o.Stdout) == allow {
		return runner.Allowed
	}
	return runner.Blocked
}
