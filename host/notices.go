package host

import (
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/webhook"
)

// Settings are what the operator configured, as it is in force.
type Settings interface {
	gate.Settings
	// EventHooks are the webhooks.
	EventHooks() []config.Webhook
	// DiscordSettings tell how Discord is reached; Agent has where each agent's asks go.
	DiscordSettings() config.Discord
	// DiscordPerson is who has a Discord account, DiscordAccount the account of a person.
	DiscordPerson(account string) (people.Person, bool)
	DiscordAccount(person string) string
	// KnownRoles are the roles that have something to say.
	KnownRoles() []string
}

// Settings are what the operator configured, as it is in force now: ask again rather
// than keep them.
func (h *Host) Settings() Settings { return h.configuration.Load().settings() }

// put puts a configuration in force, and tells the webhooks of it.
func (h *Host) put(s *configuration) {
	h.configuration.Store(s)
	if err := h.hub.Set(s.settings().EventHooks()); err != nil {
		h.log.Error("a webhook cannot be used", "error", err)
	}
}

// callback is what answers an agent's asks: the embedder's, else the
// configuration's.
func (h *Host) callback(o Options) func(agent string) gate.Callback {
	approvers := &webhook.Approvers{}
	return func(agent string) gate.Callback {
		if o.Callback != nil {
			if cb := o.Callback(agent); cb != nil {
				return cb
			}
		}
		return approvers.Of(h.configuration.Load().settings().Agent(agent).Callback)
	}
}

// Notices has every notice of an ask or a denial told to read, with secrets masked.
// It must not block.
func (h *Host) Notices(read func(gate.Notice)) { h.hub.Read(read) }

// NoticesDropped is how many notices reached nobody, or a webhook missed.
func (h *Host) NoticesDropped() int64 { return h.hub.Dropped() }
