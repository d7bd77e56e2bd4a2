// Package sessions holds recorded agent sessions, one call per line, for the
// demo and for tests.
//
// A line is a check request with a note for the reader. {{project}} stands for
// the directory that the replaying program made for the session.
package sessions

import "embed"

// Files are the sessions, NAME.jsonl each.
//
//go:embed *.jsonl
var Files embed.FS
