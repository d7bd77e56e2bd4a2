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
	// EventAskAnswered: somebody answered an ask in a chat; it says where and how.
	EventAskAnswered Event = "ask_answered"
	// EventAnswerUndone: the rules that an answer stored were taken back.
	EventAnswerUndone Event = "answer_undone"
	// EventCardChanged: somebody changed the card of an ask in a chat. Threat T27.
	EventCardChanged Event = "card_changed"
	// EventAnswerRefused: somebody answered an ask who may not.
	EventAnswerRefused Event = "answer_refused"
)
