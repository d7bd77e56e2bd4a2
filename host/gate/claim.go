package gate

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/config"
)

// DefaultAgent is the agent of calls that name none. It has the configuration's
// defaults unless it has a block of its own.
const DefaultAgent = "default"

// agentName is the agent a request is for. A checker speaks for its own only; an
// approver may see how any agent's call would be decided.
func agentName(caller Caller, claim Claim) (string, error) {
	if caller.believed() || caller.Standing == Approver {
		return cmp.Or(claim.Agent, DefaultAgent), nil
	}
	if claim.Agent != "" && claim.Agent != caller.Agent {
		return "", fmt.Errorf("%w: context.agent: this token belongs to agent %q, not %q", ErrNotEntitled, caller.Agent, claim.Agent)
	}
	return caller.Agent, nil
}

// sessionID is the session a request is for; calls without one share a session
// of their token and agent.
func sessionID(caller Caller, agent string, claim Claim) string {
	if claim.Session != "" {
		return claim.Session
	}
	return ownSessions + caller.Token + "/" + agent
}

// claimedMode reads the mode that a client reports; nil when it reports none.
func claimedMode(claim string) (*engine.Mode, error) {
	if claim == "" {
		return nil, nil
	}
	mode, err := engine.ParseMode(claim)
	if err != nil {
		return nil, fmt.Errorf("%w: context.mode: %w", ErrBadRequest, err)
	}
	return &mode, nil
}

// modeOf is the operator's mode, the session's own before the agent's, as far as
// the client's may change it: towards explore and dont_ask always, otherwise only
// where the operator follows the client or, in a session without a mode of its
// own, believes the caller.
func modeOf(caller Caller, agent config.Agent, session, claimed *engine.Mode) engine.Mode {
	operator, follow := agent.Mode, agent.FollowClientMode
	if session != nil {
		operator = *session
	} else {
		follow = follow || caller.believed()
	}
	if claimed == nil {
		return operator
	}
	return tighten(operator, *claimed, follow)
}

// tighten gives the mode that holds when the operator set one and a client
// reports another.
func tighten(operator, client engine.Mode, follow bool) engine.Mode {
	switch {
	case follow:
		return client
	case client == engine.Explore || client == engine.DontAsk:
		return engine.Stricter(operator, client)
	}
	return operator
}

// The bounds of what a request names, in bytes.
const (
	maxName = 1024
	maxPath = 4096
	// maxRoles is how many roles one person may have.
	maxRoles = 250
)

// ownSessions begins the names of sessions that callers without one share.
const ownSessions = "-/"

// checkNames refuses names that no honest client sends: they are stored, shown
// and kept in memory.
func checkNames(r Request) error {
	if r.Tool == "" {
		return errors.New("tool: name the tool that the agent calls")
	}
	c := r.Context
	for _, n := range []struct {
		field, text string
		most        int
	}{
		{"tool", r.Tool, maxName}, {"call_id", r.CallID, maxName}, {"context.agent", c.Agent, maxName},
		{"context.session", c.Session, maxName}, {"context.user", c.User, maxName}, {"context.sub_agent", c.SubAgent, maxName}, {"context.sub_agent_type", c.SubAgentType, maxName},
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
		return fmt.Errorf("context.session: names that begin with %s are Callgate's own", ownSessions)
	}
	return nil
}

// stricterKind keeps a background agent in the background.
func stricterKind(operator, claim engine.Kind) engine.Kind {
	if operator == engine.Background {
		return operator
	}
	return claim
}

// narrow keeps the claimed directories that lie in the operator's, and the
// operator's that lie in a claimed one: what both name.
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
