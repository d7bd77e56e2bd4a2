// Package finding describes the result of one check of the installation: `callgate doctor`
// and `callgate discord setup` return lists of them.
package finding

// State is the result of a check.
type State string

// The states. An Error makes Callgate fail or leaves calls unchecked; a Warning is a limit or a
// risk of the installation; Skipped marks an impossible check, or one without anything to check.
const (
	Passed  State = "passed"
	Warning State = "warning"
	Error   State = "error"
	Skipped State = "skipped"
)

// Finding is the result of one check.
type Finding struct {
	// Check is the stable name of the check.
	Check string `json:"check"`
	State State  `json:"state"`
	// Text is the result, Fix the way to repair it. Both contain names chosen by others:
	// print them through card.Line.
	Text string `json:"text"`
	Fix  string `json:"fix,omitempty"`
	// Effect is Claude Code's treatment of a call in this case: "blocked" or "RUNS". Only doctor's
	// canaries have one.
	Effect string `json:"effect,omitempty"`
}

// Worst returns the worst state among findings: Error, Warning or Passed.
func Worst(findings []Finding) State {
	worst := Passed
	for _, f := range findings {
		if f.State == Error || f.State == Warning && worst == Passed {
			worst = f.State
		}
	}
	return worst
}
