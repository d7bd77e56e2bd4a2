package wire

import (
	"encoding/json"
	"time"
)

// ProxySource is Server.Source of a server behind Callgate's MCP proxy. The proxy lets no call
// through before a person has accepted the server's tools, under its name and definition.
const ProxySource = "proxy"

// MCPToolsRequest describes tools of an MCP server as the server defines them now.
type MCPToolsRequest struct {
	// Context is that of calls. Its Server is required, with a definition.
	Context CallContext `json:"context"`
	// Program names the server for people: a program, or a host; at most 200 bytes.
	Program string `json:"program,omitempty"`
	// Tools are at most 4096 definitions, each an object with a name.
	Tools []json.RawMessage `json:"tools"`
}

// The states of a tool's definition.
const (
	// MCPAccepted: a person, or a rule, has accepted this definition.
	MCPAccepted = "accepted"
	// MCPNew: no definition of this tool was accepted.
	MCPNew = "new"
	// MCPChanged: another definition of this tool was accepted.
	MCPChanged = "changed"
)

// MCPToolState is how one definition stands.
type MCPToolState struct {
	Name string `json:"name"`
	// Digest is the SHA-256 of the definition in canonical JSON (RFC 8785).
	Digest string `json:"digest"`
	State  string `json:"state"`
	// Accepted is the accepted definition of a changed tool.
	Accepted json.RawMessage `json:"accepted,omitempty"`
}

// MCPTools are the states of definitions, in the order of the request.
type MCPTools struct {
	Tools []MCPToolState `json:"tools"`
	// Reason says why the person's answer, or a rule, accepted or refused the others; empty when
	// nothing was asked.
	Reason string `json:"reason,omitempty"`
}

// MCPServer is an MCP server with definitions that were accepted, or that wait.
type MCPServer struct {
	// ID is short and does not change.
	ID    string `json:"id"`
	Agent string `json:"agent"`
	Name  string `json:"name"`
	// Definition is a digest of how the server is started, or of its address.
	Definition string `json:"definition"`
	Program    string `json:"program,omitempty"`
	// By is the person who accepted last; At is when.
	By    string        `json:"by,omitempty"`
	At    time.Time     `json:"at,omitzero"`
	Tools []MCPToolInfo `json:"tools"`
}

// MCPToolInfo is one tool of an MCPServer.
type MCPToolInfo struct {
	Name string `json:"name"`
	// Accepted is the digest of the accepted definition, Waiting of one that waits; empty for none.
	Accepted string `json:"accepted,omitempty"`
	Waiting  string `json:"waiting,omitempty"`
	// Definition is the waiting definition, or else the accepted one.
	Definition json.RawMessage `json:"definition,omitempty"`
	// Warnings are suspicious words or characters of Definition.
	Warnings []string `json:"warnings,omitempty"`
}

// MCPServerList lists servers.
type MCPServerList struct {
	Servers []MCPServer `json:"servers"`
}
