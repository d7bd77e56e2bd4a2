// Package finding is what an examination of the set-up says of one thing that it looked
// at: `callgate doctor`, and `callgate discord setup`.
package finding

// State is how a finding stands.
type State string

// The states. Bad is what makes the gate not hold, or not work; Warn is a limit, or a
// danger, that the set-up leaves; Skipped could not be looked at, or is not there.
const (
	OK      State = "ok"
	Warn    State = "warn"
	Bad     State = "bad"
	Skipped State = "skipped"
)

// Finding is one thing that was looked at.
type Finding struct {
	// Check names what was looked at; it is stable.
	Check string `json:"check"`
	State State  `json:"state"`
	// Text is what was found, Cure what to do about it. Names that others chose are in
	// them as they are: show them through card.Line.
	Text string `json:"text"`
	Cure string `json:"cure,omitempty"`
	// Effect is what Claude Code does with a call then: "blocked" or "RUNS".
	// Only doctor's canaries have one.
	Effect string `json:"effect,omitempty"`
}

// Worst is the worst state among findings: Bad, Warn or OK.
func Worst(findings []Finding) State {
	worst := OK
	for _, f := range findings {
		if f.State == Bad || f.State == Warn && worst == OK {
			worst = f.State
		}
	}
	return worst
}
