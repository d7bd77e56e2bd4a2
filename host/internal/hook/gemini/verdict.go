package gemini

import (
	"bytes"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/hook/runner"
)

// Verdict is Gemini CLI's reaction to a hook's outcome before a call. It was measured with version
// 0.61.0; unmeasured outcomes count as the worst consistent with it. A text on standard output
// counts more than the exit code, and a hook ended by a signal counts as code 0.
func Verdict(o runner.Outcome) runner.Effect {
	if o.Failed() {
		return runner.Runs
	}
	text := bytes.TrimSpace(o.Stdout)
	if len(text) == 0 {
		text = bytes.TrimSpace(o.Stderr)
	}
	var doc struct {
		Decision string `json:"decision"`
	}
	if len(text) > 0 && text[0] == '{' && jsonv2.Unmarshal(text, &doc) == nil {
		switch doc.Decision {
		case "deny", "block":
			return runner.Blocked
		case "allow":
			return runner.Allowed
		case "ask":
			return runner.Asks
		}
		return runner.Runs
	}
	if o.Exit >= runner.ExitDenied && len(text) > 0 {
		return runner.Blocked
	}
	return runner.Runs
}
