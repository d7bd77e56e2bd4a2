package wire

import "time"

// Node is one daemon of a store.
type Node struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Since is its start, Seen its last sign of life by the database's clock.
	Since time.Time `json:"since"`
	Seen  time.Time `json:"seen"`
	// Alive is false when it gave no sign for longer than a few seconds.
	Alive bool `json:"alive"`
	// Epoch is the last change of rules, settings, tokens and sessions it has in force, Behind the
	// number of later ones.
	Epoch  int64 `json:"epoch"`
	Behind int64 `json:"behind"`
	// Leases are the tasks it does for all, such as "discord".
	Leases []string `json:"leases,omitempty"`
	// Problems say why it cannot use a tool module, one line for each: it denies the calls of its
	// tools.
	Problems []string `json:"problems,omitempty"`
	// AuditKey names the key with which it signs the audit: the first half of the SHA-256 of the
	// public one, in hex. Absent for an earlier version and where one daemon has the store.
	AuditKey string `json:"audit_key,omitempty"`
	// Self is the answering daemon.
	Self bool `json:"self"`
}

// NodeList lists the daemons of a store.
type NodeList struct {
	Nodes []Node `json:"nodes"`
}
