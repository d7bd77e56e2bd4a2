package store

// The events about what people may grant and what agents were given.
const (
	// EventGrantRefused: somebody was to grant what their roles do not cover.
	EventGrantRefused Event = "grant_refused"
	// EventProfileGiven: an agent has another profile than the configuration's.
	EventProfileGiven Event = "profile_given"
	EventProfileReset Event = "profile_reset"
	// EventAskVoted: one of several who have to approve did.
	EventAskVoted Event = "ask_voted"
	// EventAnswerRefused: somebody answered an ask who may not.
	EventAnswerRefused Event = "answer_refused"
)
