// Package mcp is the proxy in front of an MCP server: it passes every message between a client and
// a server, and has the daemon judge each tools/call before the server reads it.
//
// The forwarded bytes are the judged ones: a message is read strictly, once, and sent on as it came.
// The proxy translates no version of the protocol. Besides denials it writes progress while a person
// decides, and tools/list results without the tools that the model may not see: those never allowed,
// and those with a definition that no person has accepted.
//
// It may import the client of the daemon, wire, engine and text; the CLI calls it. RATIONALE.md,
// "Why does the MCP proxy pass bytes?".
package mcp
