// Package record writes the calls of a session as a file that can be played
// again, and reads such files.
//
// A file is one JSON object per line, each a request of `callgate eval` (op
// decide) with a note for the reader, so that the same file is a corpus for eval
// and a script for the demo. It holds what the audit holds: inputs with their
// secrets masked. The places of the machine it was recorded on are replaced: the
// project is [Project], the home directory [Home].
package record
