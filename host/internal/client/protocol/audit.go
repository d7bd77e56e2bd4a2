package protocol

import (
	"time"
)

// Prune chooses the audit rows to remove.
type Prune struct {
	Before time.Time `json:"before"`
	DryRun bool      `json:"dry_run,omitempty"`
}
