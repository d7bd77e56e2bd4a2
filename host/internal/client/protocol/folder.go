package protocol

import "github.com/callgate/callgate/host/wire"

// NewFolder is a project folder to be trusted.
type NewFolder struct {
	// Agent is for whom; empty means the agent "default".
	Agent string `json:"agent,omitempty"`
	// Path is the root of the project, absolute.
	Path   string            `json:"path"`
	Access wire.FolderAccess `json:"access"`
}
