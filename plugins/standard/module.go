package main

import (
	"slices"

	"github.com/callgate/callgate/plugins/file"
	"github.com/callgate/callgate/plugins/generic"
	"github.com/callgate/callgate/plugins/git"
	"github.com/callgate/callgate/plugins/mcp"
	"github.com/callgate/callgate/plugins/search"
	"github.com/callgate/callgate/plugins/selfedit"
	"github.com/callgate/callgate/plugins/session"
	"github.com/callgate/callgate/plugins/web"
	"github.com/callgate/callgate/sdk/go/tool"
)

// module is every first-party tool but bash.
var module = tool.Module{
	Name: "standard", Version: "1.0.0",
	Summary: "Files, search, the web, MCP, the agent's own session, git and self-editing tools, and whatever nobody else knows.",
	Tools: slices.Concat(file.Tools(), search.Tools(), web.Tools(), mcp.Tools(), session.Tools(), git.Tools(), selfedit.Tools(),
		generic.Tools()),
	Fallback: generic.Name,
}
