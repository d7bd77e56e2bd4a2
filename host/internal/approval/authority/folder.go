package authority

import (
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// mayTrust refuses a person a folder whose trust would answer calls they may not answer
// themselves: those of each tool with approvers named by the operator.
func (au *Authority) mayTrust(waiting ask.Ask, a ask.Answer, p approvers.Person, quorum int) error {
	if a.Origin != nil && !a.Administrator {
		if _, listed := au.c.Settings().DiscordPerson(a.Origin.Account); !listed {
			return errors.New("in a chat, only administrators and people listed in the configuration with their account may trust a folder")
		}
	}
	return au.trustsFor(waiting.Agent, waiting.User, p, quorum)
}

func (au *Authority) trustsFor(agent, user string, p approvers.Person, quorum int) error {
	for _, tool := range au.c.Settings().ToolsWithApprovers(agent) {
		policy := au.approvers(agent, tool).ForRules()
		may := policy.Authorise(user, p)
		switch {
		case policy.String() == "" || may.MayApprove && policy.Quorum() <= quorum:
			continue
		case may.Reason != "":
			return fmt.Errorf("trust in a folder would answer calls of %s by the agent %q, and of these: %s", tool, agent, may.Reason)
		}
		return fmt.Errorf("trust in a folder would answer calls of %s by the agent %q, and of these: %d have to approve", tool, agent, policy.Quorum())
	}
	return nil
}

// MayTrustFolder refuses an approver's token a folder whose trust would answer calls its person
// may not approve alone. Other callers are not bound by ask_approvers. The error is an
// ErrNotEntitled.
func (au *Authority) MayTrustFolder(caller Caller, agent string) error {
	if caller.Kind != Approver {
		return nil
	}
	if err := au.trustsFor(agent, au.userOf(agent), au.Person(caller, "", nil, false), 1); err != nil {
		return fmt.Errorf("%w: %w", ErrNotEntitled, err)
	}
	return nil
}
