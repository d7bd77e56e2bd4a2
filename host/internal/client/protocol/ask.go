package protocol

import (
	"encoding/json"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/wire"
)

// AskView is an ask with the broker's own knowledge of it.
type AskView struct {
	ask.Ask
	// Position is its place in the queue; 0 when it is not queued.
	Position int `json:"position,omitempty"`
	// NeedsConfirmation requires the ask's id as confirm_id in every approval; one storing a rule
	// beyond the session always needs it.
	NeedsConfirmation bool `json:"needs_confirmation"`
	// OffersWholeTool reports whether a session grant on the whole tool is offered.
	OffersWholeTool bool `json:"offers_whole_tool"`
	// Card is the ask as Callgate's own surfaces draw it, in its order.
	Card []wire.CardLine `json:"card"`
	// Limits says which limits are near: how many asks may wait, and the pause after refusals.
	Limits []string `json:"limits,omitempty"`
	// Quorum is how many different people have to approve, at least 1.
	Quorum int `json:"quorum"`
	// WhoMayAnswer says it in words; empty when everybody may who reaches it.
	WhoMayAnswer string `json:"who_may_answer,omitempty"`
	// Progress says who has approved where several have to: "1 of 2 approved: ann".
	Progress string `json:"progress,omitempty"`
}

// AskList lists asks.
type AskList struct {
	Asks []AskView `json:"asks"`
}

// Answer is ask.Answer as it may be sent: when it was given is ours to say.
type Answer struct {
	Verdict   *ask.Verdict `json:"verdict"`
	Sets      []int        `json:"sets,omitempty"`
	Session   bool         `json:"for_session,omitempty"`
	WholeTool bool         `json:"whole_tool,omitempty"`
	// Folder trusts the ask's folder, from now on: "read" or "edit".
	Folder    *wire.FolderAccess `json:"folder,omitempty"`
	Scope     *engine.Scope      `json:"scope,omitempty"`
	ExpiresAt time.Time          `json:"expires_at,omitzero"`
	// Together is the place of this answer, from 1, among those given to several asks at once.
	Together int `json:"together,omitempty"`
	// Input is the whole input to run instead of the call's own, where its client takes one.
	Input  json.RawMessage `json:"input,omitempty"`
	Reason string          `json:"reason,omitempty"`
	By     string          `json:"by,omitempty"`
	// Roles and Administrator are of by; left out, the configuration's people say it.
	// They count only from an admin: an approver token speaks for itself.
	Roles         []string `json:"roles,omitempty"`
	Administrator bool     `json:"administrator,omitempty"`
	Surface       string   `json:"surface,omitempty"`
	ConfirmID     string   `json:"confirm_id,omitempty"`
	// Assertion is the device's answer to the challenge for this very answer, as the browser's
	// toJSON gives it. Then the PIN is not wanted.
	Assertion json.RawMessage `json:"assertion,omitempty"`
}

// Seen names the approver who was shown an ask's card.
type Seen struct {
	Approver string `json:"approver"`
}
