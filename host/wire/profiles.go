package wire

import "time"

// Profiles are the existing ones, and those of the named agents.
type Profiles struct {
	Profiles []Profile      `json:"profiles"`
	Agents   []AgentProfile `json:"agents"`
}

// Profile is a possible profile of agents.
type Profile struct {
	Name string `json:"name"`
	// Preset marks a built-in one.
	Preset bool     `json:"preset"`
	Allow  []string `json:"allow"`
	Ask    []string `json:"ask"`
	Deny   []string `json:"deny"`
}

// AgentProfile is the profile of one agent.
type AgentProfile struct {
	Agent string `json:"agent"`
	// Profile is the one in force, Configured the configuration's: a name, or lists in place of
	// one; empty for none.
	Profile    string `json:"profile"`
	Configured string `json:"configured"`
	// Given tells who gave it; nil when it is the configuration's.
	Given *GivenProfile `json:"given,omitempty"`
}

// GivenProfile is an agent's profile in place of the configuration's.
type GivenProfile struct {
	Agent   string `json:"agent"`
	Profile string `json:"profile"`
	// Replaces is the configuration's choice at that time: a name, or a text identifying lists in
	// place of one; empty for no profile.
	Replaces string `json:"replaces"`
	// By is who triggered the change, ApprovedBy who approved the agent's call.
	By         string    `json:"by"`
	ApprovedBy string    `json:"approved_by,omitempty"`
	At         time.Time `json:"at"`
}
