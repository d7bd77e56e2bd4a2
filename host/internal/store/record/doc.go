// Package record writes the calls of a session as a replayable file, and reads such files.
//
// A file is one JSON object per line, each a request of `callgate eval` (op decide) with a note for
// the reader, so the same file is a corpus for eval and a script for the demo. It holds the audit's
// content: inputs with their secrets masked. The places of the recording machine are replaced: the
// project is [Project], the home directory [Home].
package record
