// Package mcptools holds the definitions of MCP tools that people accepted: which definition of
// which tool, of which server, for which agent. It knows nothing of calls; package api asks it how
// definitions stand, and has the gate ask a person about the others.
//
// Every doubt ends in "not accepted": another server command, another definition, an unreadable
// list. It may import the store and wire; the API and the daemon call it, and the gate where it
// decides past questions again. RATIONALE.md, "Who keeps the accepted definitions of MCP tools?".
package mcptools
