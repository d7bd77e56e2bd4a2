package gate

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// agentName is the agent a request is for. A checker speaks for its own only; an
// approver may see how any agent's call would be decided.
func agentName(caller authority.Caller, claim wire.CallContext) (string, error) {
	if caller.Believed() || caller.Kind == authority.Approver {
		return cmp.Or(claim.Agent, config.DefaultAgent), nil
	}
	if claim.Agent != "" && claim.Agent != caller.Agent {
		return "", fmt.Errorf("%w: context.agent: this token belongs to agent %q, not %q", authority.ErrNotEntitled, caller.Agent, claim.Agent)
	}
	return caller.Agent, nil
}

// sessionID is the session a request is for; calls without one share a session
// of their token and agent. RATIONALE.md, "Why do calls without a session share one?".
func sessionID(caller authority.Caller, agent string, claim wire.CallContext) string {
	if claim.Session != "" {
		return claim.Session
	}
	return ownSessions + caller.Token + "/" + agent
}

// claimedMode reads the mode reported by a client; nil for none.
func claimedMode(claim string) (*engine.Mode, error) {
	if claim == "" {
		return nil, nil
	}
	mode, err := engine.ParseMode(claim)
	if err != nil {
		return nil, fmt.Errorf("%w: context.mode: %w", authority.ErrBadRequest, err)
	}
	return &mode, nil
}

// modeOf is the operator's mode, the session's own before the agent's, as far as
// the client's may change it: towards explore and dont_ask always, otherwise only
// where the operator follows the client or, in a session without a mode of its
// own, believes the caller.
func modeOf(caller authority.Caller, agent config.Agent, session, claimed *engine.Mode) engine.Mode {
	operator, follow := agent.Mode, agent.FollowClientMode
	if session != nil {
		operator = *session
	} else {
		follow = follow || caller.Believed()
	}
	if claimed == nil {
		return operator
	}
	return tighten(operator, *claimed, follow)
}

// tighten gives the mode in force for an operator's mode and a client's.
func tighten(operator, client engine.Mode, follow bool) engine.Mode {
	switch {
	case follow:
		return client
	case client == engine.Explore || client == engine.DontAsk:
		return engine.Stricter(operator, client)
	}
	return operator
}

// The bounds of the names in a request, in bytes.
const (
	maxName = 1024
	maxPath = 4096
	// maxRoles is how many roles one person may have.
	maxRoles = 250
)

// ownSessions begins the names of sessions shared by callers without one.
const ownSessions = "-/"

// checkNames refuses names an honest client never sends: they are stored, shown and kept in
// memory.
func checkNames(r wire.Request) error {
	if r.Tool == "" {
		return errors.New("tool: missing: want the name of the called tool")
	}
	c := r.Context
	for _, n := range []struct {
		field, text string
		most        int
	}{
		{"tool", r.Tool, maxName}, {"call_id", r.CallID, maxName}, {"context.agent", c.Agent, maxName},
		{"context.session", c.Session, maxName}, {"context.client", c.Client, maxName}, {"context.user", c.User, maxName}, {"context.sub_agent", c.SubAgent, maxName}, {"context.sub_agent_type", c.SubAgentType, maxName},
		{"context.cwd", c.CWD, maxPath}, {"context.home", c.Home, maxPath},
	} {
		if len(n.text) > n.most {
			return fmt.Errorf("%s: %d bytes: at most %d are read", n.field, len(n.text), n.most)
		}
		if !utf8.ValidString(n.text) || strings.ContainsRune(n.text, 0) {
			return fmt.Errorf("%s: %.40q is not UTF-8 without NUL", n.field, n.text)
		}
	}
	if len(c.Roles) > maxRoles {
		return fmt.Errorf("context.roles: %d: at most %d are read", len(c.Roles), maxRoles)
	}
	for i, role := range c.Roles {
		if len(role) > maxName || !utf8.ValidString(role) {
			return fmt.Errorf("context.roles[%d]: want UTF-8 of at most %d bytes", i, maxName)
		}
	}
	if strings.HasPrefix(c.Session, ownSessions) {
		return fmt.Errorf("context.session: names beginning with %s are reserved for Callgate", ownSessions)
	}
	return nil
}

// narrow is the intersection: the claimed directories inside the operator's, and the operator's
// inside a claimed one.
func narrow(operator, claimed []string) []string {
	out := []string{}
	for _, c := range claimed {
		for _, o := range operator {
			switch {
			case within(o, c):
				out = append(out, c)
			case within(c, o):
				out = append(out, o)
			}
		}
	}
	return out
}

// within reports whether path is dir or lies below it; both are clean and
// absolute.
func within(dir, path string) bool {
	if dir == path {
		return true
	}
	prefix := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	return strings.HasPrefix(path, prefix)
}

// doubts are the sentences for people.
var doubts = map[string]string{
	wire.DoubtNotFound:     "the client's files do not define it where the client says",
	wire.DoubtUnreadable:   "the client's files with its definition could not be read",
	wire.DoubtClaimedTwice: "several definitions have this name",
}

// ownSources are the places where only the person at the client defines servers: the own and
// the organisation's settings, for one run, in the program around the client. A project's
// definitions and those of plug-ins are not. Of a server behind our proxy a person has accepted the
// name and the start.
var ownSources = map[string]bool{"user": true, "local": true, "managed": true, "enterprise": true, "dynamic": true, "sdk": true, wire.ProxySource: true}

// maxServer bounds the parts of a server's identity, in bytes.
const maxServer = 64

// serverOf is the MCP server of a call; nil when its client does not name one. The error is a
// claim that does not fit the tool. Threat T26.
func serverOf(tool string, c *wire.Server) (*engine.Server, error) {
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
	case c.Doubt == wire.DoubtNotFound || c.Doubt == wire.DoubtUnreadable || len(c.Name) > 2*maxServer:
		// An unknown server has no identity.
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

// forkMode is the mode of a call: for calls of the session's interactive forks the mode given
// to them by a person, else base. Only its client knows a fork's calls, so a Checker's forks
// get the stricter of both (threat T02).
func forkMode(caller authority.Caller, agent config.Agent, kind engine.Kind, known store.Session, claimed *engine.Mode, base engine.Mode) engine.Mode {
	if kind != engine.InteractiveFork || known.ForkMode == nil {
		return base
	}
	mode := modeOf(caller, agent, known.ForkMode, claimed)
	if !caller.Believed() {
		return engine.Stricter(base, mode)
	}
	return mode
}

// withoutGrants are the rules for a call of this kind: a background session has no grants, not
// even those of the conversation beside it. ollim-bot, too, denies in a background fork before
// it looks at grants.
func withoutGrants(kind engine.Kind, stored []engine.Rule) []engine.Rule {
	grant := func(r engine.Rule) bool { return r.Scope == engine.Session && r.Behavior == engine.Allow }
	if kind != engine.Background || !slices.ContainsFunc(stored, grant) {
		return stored
	}
	return slices.DeleteFunc(slices.Clone(stored), grant)
}
