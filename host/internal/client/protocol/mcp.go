package protocol

// AcceptMCPTools accepts waiting definitions of one MCP server.
type AcceptMCPTools struct {
	// Digests are those of the definitions as they were shown.
	Digests []string `json:"digests"`
}
