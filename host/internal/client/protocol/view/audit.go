package view

import (
	"github.com/callgate/callgate/host/internal/store"
)

// AuditPage is one page of the audit.
type AuditPage struct {
	Rows []store.Row `json:"rows"`
	// Next is the value of after (or, with newest, of before) for the next page; 0 on the last.
	Next int64 `json:"next,omitempty"`
}
