package protocol

import (
	"time"

	"github.com/callgate/callgate/host/wire"
)

// Health is how the daemon stands. Without a token only Status and Proof are
// told, to a check or integrator token Version as well.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
	// Proof answers the parameters key and nonce.
	Proof     string    `json:"proof,omitempty"`
	StartedAt time.Time `json:"started_at,omitzero"`
	// Checks are under way, Asks wait for a human, Surfaces are where one is.
	Checks   *int     `json:"checks,omitempty"`
	Asks     *int     `json:"asks,omitempty"`
	Surfaces []string `json:"surfaces,omitempty"`
	// AgentAccounts are the accounts of agents, by UID, which may use the socket for checks alone.
	AgentAccounts []int `json:"agent_accounts,omitempty"`
	// RefusedRules are the ids of stored allow rules not in use, because they were changed outside
	// Callgate; ModuleProblems name unusable module files, with the reason.
	RefusedRules   []string `json:"refused_rules,omitempty"`
	ModuleProblems []string `json:"module_problems,omitempty"`
	// Sandbox are the system's features for the sandbox; nil where the caller may not know them.
	Sandbox *wire.Sandbox `json:"sandbox,omitempty"`
	// Discord is the state of the connection to Discord; nil where the caller may not know it.
	Discord *DiscordHealth `json:"discord,omitempty"`
}
