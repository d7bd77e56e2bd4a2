package claudecode

// Event is the client's name of the moment at which it runs the hook.
type Event string

// The events that are answered. Any other is denied.
const (
	PreToolUse         Event = "PreToolUse"
	PermissionRequest  Event = "PermissionRequest"
	PostToolUse        Event = "PostToolUse"
	PostToolUseFailure Event = "PostToolUseFailure"
)

// Events lists them, in the order in which the client runs them.
func Events() []Event {
	return []Event{PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure}
}

// known reports whether the event is one of Events.
func (e Event) known() bool { return e.before() || e.after() }

// before reports whether the call has not run yet.
func (e Event) before() bool { return e == PreToolUse || e == PermissionRequest }

// after reports whether the call has ended.
func (e Event) after() bool { return e == PostToolUse || e == PostToolUseFailure }
