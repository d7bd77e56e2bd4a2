// Package opencode is the hook of opencode: the plugin in the client's process, its message about a
// call as a request, and the places of both.
//
// Measured with version 1.18.33; docs/client-opencode.md has the outcomes. It may import runner,
// settings and wire; process and the commands call it.
package opencode
