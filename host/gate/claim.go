package gate

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/config"
)

// DefaultAgent is the agent of calls that name none. It has the configuration's
// defaults unless it has a block of its own.
const DefaultAgent = "default"

// agentName is the agent a request is for. A checker speaks for its own only.
func agentName(caller Caller, claim Claim) (string, error) {
	if caller.believed() {
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
	return "-/" + caller.Token + "/" + agent
}

// claimedMode is the operator's mode, as far as the client's own may change it:
// towards explore and dont_ask always, otherwise only where the operator follows
// the client or believes the caller.
func claimedMode(caller Caller, agent config.Agent, claim string) (engine.Mode, error) {
	if claim == "" {
		return agent.Mode, nil
	}
	mode, err := engine.ParseMode(claim)
	if err != nil {
		return agent.Mode, fmt.Errorf("%w: context.mode: %w", ErrBadRequest, err)
	}
	return tighten(agent.Mode, mode, agent.FollowClientMode || caller.believed()), nil
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
