package claudecode

import "github.com/callgate/callgate/host/internal/hook/settings"

// Event is the client's name of the moment of a hook's run.
type Event string

// The answered events: the hook is installed for these. Any other is denied.
const (
	PreToolUse         Event = settings.PreToolUse
	PermissionRequest  Event = settings.PermissionRequest
	PostToolUse        Event = settings.PostToolUse
	PostToolUseFailure Event = settings.PostToolUseFailure
	UserPromptSubmit   Event = settings.UserPromptSubmit
)

// Events lists them, those of a call in the client's order.
func Events() []Event {
	var events []Event
	for _, name := range settings.Events() {
		events = append(events, Event(name))
	}
	return events
}

// known reports whether the event is one of Events.
func (e Event) known() bool { return e.before() || e.after() || e == UserPromptSubmit }

// before reports whether the call has not run yet.
func (e Event) before() bool { return e == PreToolUse || e == PermissionRequest }

// after reports whether the call has ended.
func (e Event) after() bool { return e == PostToolUse || e == PostToolUseFailure }
