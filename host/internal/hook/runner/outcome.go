package runner

// Outcome is how the process of a hook ended, as its client sees it.
type Outcome struct {
	// Exit is the exit code; 127 of a shell means the program is missing.
	Exit int
	// Signal is set when a signal ended it, TimedOut when its client's patience
	// did, NotStarted when there was nothing to start.
	Signal     bool
	TimedOut   bool
	NotStarted bool
	// Stdout and Stderr are its whole output.
	Stdout []byte
	Stderr []byte
}

// Effect is the client's reaction to an outcome.
type Effect uint8

// The effects. The zero value is the worst one for a gate before a call.
const (
	// Runs: the hook decided nothing. The client goes on by itself, as without a hook.
	Runs Effect = iota
	// Allowed: the call runs without a prompt.
	Allowed
	// Asks: the client asks its own user; without one it denies.
	Asks
	// Defers: a session without a person ends with the call undone.
	Defers
	// Blocked: the call does not run.
	Blocked
	// Told: the call has run, and the model reads the hook's words about it.
	Told
)

// String returns the effect in a word; Runs is in capitals because it is the one
// to look for.
func (e Effect) String() string {
	switch e {
	case Runs:
		return "RUNS"
	case Allowed:
		return "allowed"
	case Asks:
		return "asks"
	case Defers:
		return "defers"
	case Blocked:
		return "blocked"
	case Told:
		return "told"
	}
	return "RUNS"
}

// Failed reports whether there is no exit code of the hook's own.
func (o Outcome) Failed() bool { return o.NotStarted || o.TimedOut || o.Signal }
