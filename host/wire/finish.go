package wire

import "encoding/json"

// Finished is the end of a call, as its client reports it.
type Finished struct {
	// CallID is the client's own id of the call; required, but with AllEnded.
	CallID string `json:"call_id,omitempty"`
	// Tool and Input are the actual ones.
	Tool  string          `json:"tool,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// Context names the call's owner, as in the request.
	Context CallContext `json:"context,omitzero"`
	// Failed marks a call without a result.
	Failed bool `json:"failed,omitempty"`
	// AllEnded means none of the session's calls is under way any more, in place of CallID, Tool
	// and Input: a client reports no end for an interrupted call, or for one denied by another
	// hook. It holds for the calls of Context.SubAgent alone, the main agent for "": others may run
	// in the background.
	AllEnded bool `json:"all_ended,omitempty"`
}

// FinishResult reports whether the actual call is the judged one. The zero value says no.
type FinishResult struct {
	Match bool `json:"match"`
	// Reason describes the difference.
	Reason string `json:"reason,omitempty"`
}
