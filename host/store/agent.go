package store

// The events about what people may grant and who may answer.
const (
	// EventGrantRefused: somebody was to grant what their roles do not cover.
	EventGrantRefused Event = "grant_refused"
)
