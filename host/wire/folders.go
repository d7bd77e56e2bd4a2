package wire

import (
	"fmt"
	"time"
)

// FolderAccess is the extent of a person's trust in a folder. The empty one is no trust.
type FolderAccess string

// The extents of trust. Editing includes reading.
const (
	ReadFolder FolderAccess = "read"
	EditFolder FolderAccess = "edit"
)

// ParseFolderAccess reads "read" or "edit".
func ParseFolderAccess(s string) (FolderAccess, error) {
	switch a := FolderAccess(s); a {
	case ReadFolder, EditFolder:
		return a, nil
	}
	return "", fmt.Errorf("%q: want read or edit", s)
}

// Allows describes in a sentence an agent's rights without a question.
func (a FolderAccess) Allows() string {
	switch a {
	case ReadFolder:
		return "read and search files in it without asking; secrets still ask"
	case EditFolder:
		return "read, change, create and delete files in it without asking; secrets and protected files still ask"
	}
	return ""
}

// Folder is a project folder trusted by a person for an agent.
type Folder struct {
	// ID is short and does not change.
	ID    string `json:"id"`
	Agent string `json:"agent"`
	// Path is the folder, absolute and resolved.
	Path   string       `json:"path"`
	Access FolderAccess `json:"access"`
	// By is the trusting person, AskID the ask with the answered card, if any.
	By    string    `json:"by"`
	AskID string    `json:"ask_id,omitempty"`
	At    time.Time `json:"at"`
	// Problem says why it does not count now; empty when it does.
	Problem string `json:"problem,omitempty"`
}

// FolderList lists trusted folders.
type FolderList struct {
	Folders []Folder `json:"folders"`
}
