// Package gemini is the hook of Gemini CLI: its payload before a call as a request, and the state of
// its settings files.
//
// Measured with version 0.61.0; docs/client-gemini-cli.md has the outcomes. It may import runner,
// settings and wire; process and the commands call it.
package gemini
