package protocol

import "github.com/callgate/callgate/host/wire"

// Command is a text command (package command) with its place: at most one of Session, Agent,
// Project and Global, else the project at CWD, else DefaultAgent, else everybody.
type Command struct {
	// Text is the command, such as "/allow Bash(npm:*)".
	Text    string `json:"text"`
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// Project is a project's root and CWD a directory, both absolute.
	Project      string `json:"project,omitempty"`
	Global       bool   `json:"global,omitempty"`
	CWD          string `json:"cwd,omitempty"`
	DefaultAgent string `json:"default_agent,omitempty"`
	// User is its author, with their roles there: the integrator's word. The change then needs no
	// terminal, but roles to grant it.
	User          string   `json:"user,omitempty"`
	Roles         []string `json:"roles,omitempty"`
	Administrator bool     `json:"administrator,omitempty"`
	// Lists are lists kept elsewhere, as in a chat's file. The command changes them and stores
	// nothing.
	Lists *wire.Lists `json:"lists,omitempty"`
}

// ChatLists are the lists and the mode in the head of a chat's file.
type ChatLists struct {
	Allow []string `json:"allow"`
	Ask   []string `json:"ask"`
	Deny  []string `json:"deny"`
	// Mode leaves the session's as it is when it is empty.
	Mode          string   `json:"mode,omitempty"`
	User          string   `json:"user,omitempty"`
	Roles         []string `json:"roles,omitempty"`
	Administrator bool     `json:"administrator,omitempty"`
}
