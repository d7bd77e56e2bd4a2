package gate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
)

// ServerClaim is the MCP server of a call, as its client reports it. It narrows:
// a rule that would hold for the tool's name may not hold for this server.
type ServerClaim struct {
	// Name is the server's name as it stands in the tool's, mcp__NAME__TOOL.
	Name string `json:"name"`
	// Source is the client's word for where the server is defined.
	Source string `json:"source,omitempty"`
	// Definition is a digest of all definitions of that name in that place; empty
	// where the client can read none.
	Definition string `json:"definition,omitempty"`
	// Doubt is one of the words below; empty when the client has none.
	Doubt string `json:"doubt,omitempty"`
}

// What a client may doubt of a server.
const (
	// DoubtNotFound: there is no definition where the client says that it is.
	DoubtNotFound = "not_found"
	// DoubtUnreadable: a file of definitions could not be read.
	DoubtUnreadable = "unreadable"
	// DoubtClaimedTwice: servers of several places have the name.
	DoubtClaimedTwice = "claimed_twice"
)

// doubts are the sentences that people read.
var doubts = map[string]string{
	DoubtNotFound:     "the client's files do not define it where the client says",
	DoubtUnreadable:   "the client's files that define it could not be read",
	DoubtClaimedTwice: "servers of several places have that name",
}

// ownSources are where only the person at the client defines servers: in the own
// and the organisation's settings, for one run, in the program around the
// client. A project's definitions and those that come with plug-ins are not.
var ownSources = map[string]bool{"user": true, "local": true, "managed": true, "enterprise": true, "dynamic": true, "sdk": true}

// maxServer bounds the parts of a server's identity, in bytes.
const maxServer = 64

// serverOf is the MCP server that a call is put to; nil when its client does not
// say. The error is a claim that does not fit the tool. Threat T26.
func serverOf(tool string, c *ServerClaim) (*engine.Server, error) {
	if c == nil {
		return nil, nil
	}
	rest, ok := strings.CutPrefix(tool, "mcp__"+c.Name+"__")
	if !ok || c.Name == "" || rest == "" {
		return nil, fmt.Errorf("context.server.name: %.80q is no tool of the MCP server %.80q", tool, c.Name)
	}
	for _, part := range []string{c.Source, c.Definition, c.Doubt} {
		if len(part) > maxServer || strings.ContainsFunc(part, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' || r == '@' }) {
			return nil, errors.New("context.server: want a source, a definition and a doubt of at most 64 printable characters each, without @ and #")
		}
	}
	s := &engine.Server{Name: c.Name}
	switch {
	case c.Doubt == DoubtNotFound || c.Doubt == DoubtUnreadable || len(c.Name) > 2*maxServer:
		// What is not known is no identity.
	case c.Definition == "":
		s.Identity = c.Name + "@" + c.Source
	default:
		s.Identity = c.Name + "@" + c.Source + "#" + c.Definition
	}
	switch {
	case doubts[c.Doubt] != "":
		s.Doubt = doubts[c.Doubt]
	case c.Doubt != "":
		s.Doubt = "the client is not sure of it (" + c.Doubt + ")"
	case !ownSources[c.Source]:
		s.Doubt = fmt.Sprintf("it comes from %q, not from the settings of the person at the client", c.Source)
	}
	return s, nil
}
