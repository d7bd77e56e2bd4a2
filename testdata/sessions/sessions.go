// Package sessions holds recorded agent sessions, one call per line, for the
// demo and for tests.
//
// A file is what `callgate record` writes (host/internal/store/record): a line of `callgate eval`
// each, with a note for the reader. /project stands for the project's directory.
package sessions

import "embed"

// Files are the sessions, NAME.jsonl each.
//
//go:embed *.jsonl
var Files embed.FS
