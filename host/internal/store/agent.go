package store

// The events about grants by people and profiles of agents.
const (
	// EventGrantRefused: a person's roles did not cover a grant.
	EventGrantRefused Event = "grant_refused"
	// EventProfileGiven: an agent has another profile than the configuration's.
	EventProfileGiven Event = "profile_given"
	EventProfileReset Event = "profile_reset"
	// EventAskVoted: one of several who have to approve did.
	EventAskVoted Event = "ask_voted"
	// EventAskAnswered: a person answered an ask in a chat; with place and means.
	EventAskAnswered Event = "ask_answered"
	// EventAskSigned: a person's device signed an approval; the row's Evidence is the signature.
	EventAskSigned Event = "ask_signed"
	// EventInputChanged: a person changed the input of a call and approved that; with both.
	EventInputChanged Event = "input_changed"
	// EventAnswerUndone: the rules stored by an answer were removed.
	EventAnswerUndone Event = "answer_undone"
	// EventCardChanged: another account changed the card of an ask in a chat. Threat T27.
	EventCardChanged Event = "card_changed"
	// EventAnswerRefused: a person answered an ask without the right to.
	EventAnswerRefused Event = "answer_refused"
	// EventFolderTrusted: a person trusted a project folder for an agent.
	EventFolderTrusted   Event = "folder_trusted"
	EventFolderForgotten Event = "folder_forgotten"
	// EventMCPAccepted: definitions of MCP tools were accepted for an agent.
	EventMCPAccepted  Event = "mcp_tools_accepted"
	EventMCPForgotten Event = "mcp_tools_forgotten"
)
