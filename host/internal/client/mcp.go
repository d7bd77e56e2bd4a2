package client

import (
	"context"
	"fmt"
	"net/http"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// MCPTools tells how the definitions of an MCP server's tools stand. With wait it has a person asked
// about those not accepted, and returns after the answer.
func (c *Client) MCPTools(ctx context.Context, r wire.MCPToolsRequest, wait bool) (wire.MCPTools, error) {
	asks := ""
	if wait {
		asks = "true"
	}
	out, err := fetch[wire.MCPTools](ctx, c, http.MethodPost, at("mcp", "tools"), values("wait", asks), r)
	if err != nil {
		return out, fmt.Errorf("compare MCP tools: %w", err)
	}
	return out, nil
}

// MCPServers lists the MCP servers with accepted or waiting tools.
func (c *Client) MCPServers(ctx context.Context) ([]wire.MCPServer, error) {
	out, err := fetch[wire.MCPServerList](ctx, c, http.MethodGet, at("mcp", "servers"), nil, nil)
	return out.Servers, err
}

// AcceptMCPTools accepts waiting definitions of a server, in the name of by; empty means the
// token's.
func (c *Client) AcceptMCPTools(ctx context.Context, by, id string, digests []string) (wire.MCPServer, error) {
	return fetch[wire.MCPServer](ctx, c, http.MethodPost, at("mcp", "servers", id, "accept"), values("by", by), protocol.AcceptMCPTools{Digests: digests})
}

// ForgetMCPServer takes back every accepted tool of a server.
func (c *Client) ForgetMCPServer(ctx context.Context, by, id string) (wire.MCPServer, error) {
	return fetch[wire.MCPServer](ctx, c, http.MethodDelete, at("mcp", "servers", id), values("by", by), nil)
}
