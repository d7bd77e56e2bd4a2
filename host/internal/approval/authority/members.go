package authority

import (
	"context"
	"fmt"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/wire"
)

// Members looks up people in a chat, such as their roles on a Discord server.
type Members interface {
	// Member returns a person of the configuration, by their name there, with their roles in
	// the chat besides the configuration's. false means: the configuration names no account of
	// theirs, and the name is none itself. An error means: the chat did not answer. With fresh it asks the chat now; without
	// it an answer of a few seconds ago may do. It is safe for concurrent use and ends soon
	// after ctx.
	Member(ctx context.Context, name string, fresh bool) (person approvers.Person, listed bool, err error)
}

// UseMembers adds roles in a chat for calls only some roles may trigger; without it only the
// configuration's roles count. It is safe for concurrent use.
func (au *Authority) UseMembers(m Members) { au.members.Store(&m) }

// memberPatience bounds one look at a chat, so a call with unreadable roles of its trigger is
// denied soon.
const memberPatience = 3 * time.Second

// Trigger is who triggered a call.
type Trigger struct {
	approvers.Person
	// listed means: the roles are the configuration's, so those of the chat count as well;
	// roles named by an integrator are complete.
	listed bool
}

// MayTrigger reports whether the trigger of a call may grant what. It asks the chat only when
// the configuration's roles are not enough; with fresh no earlier answer counts. Every failure
// leaves the refusal.
func (au *Authority) MayTrigger(ctx context.Context, t Trigger, what string, fresh bool) error {
	settings := au.c.Settings()
	refusal := settings.MayGrant(t.Person, what)
	chat := au.members.Load()
	if refusal == nil || chat == nil || !t.listed || t.Name == "" {
		return refusal
	}
	ctx, cancel := context.WithTimeout(ctx, memberPatience)
	defer cancel()
	held, listed, err := (*chat).Member(ctx, t.Name, fresh)
	switch {
	case err != nil:
		au.c.Log.Warn("a member's Discord roles could not be read; only roles from the configuration count", "person", t.Name, "error", err)
		return fmt.Errorf("%w; Discord could not be asked for their roles there", refusal)
	case !listed || held.Name != t.Name:
		return refusal
	}
	return settings.MayGrant(held, what)
}

// TriggerOf is the trigger of a call: the user given to the agent by the operator or, from a
// believed caller, the one it names. It is empty in the background.
func (au *Authority) TriggerOf(caller Caller, claim wire.CallContext, agent config.Agent, kind engine.Kind) Trigger {
	switch {
	case kind == engine.Background:
		return Trigger{}
	case caller.Believed() && claim.User != "":
		return Trigger{au.Person(caller, claim.User, claim.Roles, claim.Administrator), claim.Roles == nil && !claim.Administrator}
	}
	return Trigger{au.c.Settings().Person(agent.User), true}
}
