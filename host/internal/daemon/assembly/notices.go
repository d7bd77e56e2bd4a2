package assembly

import (
	"github.com/callgate/callgate/host/internal/approval/webhook"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/wire"
)

// Settings is the operator's configuration, as it is in force now: ask again rather than keep it.
func (h *Host) Settings() *config.Config { return h.configuration.Load().inForce }

// put puts a configuration in force, and tells the webhooks of it.
func (h *Host) put(s *configuration) {
	h.configuration.Store(s)
	if err := h.hub.Set(s.inForce.EventHooks()); err != nil {
		h.log.Error("a webhook cannot be used", "error", err)
	}
}

// callback answers an agent's asks: the embedder's, else the configuration's.
func (h *Host) callback(o Options) func(agent string) gate.Callback {
	approvers := &webhook.Approvers{}
	return func(agent string) gate.Callback {
		if o.Callback != nil {
			if cb := o.Callback(agent); cb != nil {
				return cb
			}
		}
		return approvers.Of(h.configuration.Load().inForce.Agent(agent).Callback)
	}
}

// Notices has every notice of an ask or a denial told to read, with secrets masked.
// It must not block.
func (h *Host) Notices(read func(wire.Notice)) { h.hub.Read(read) }

// Notify passes a notice on, as those of the gate.
func (h *Host) Notify(n wire.Notice) { h.hub.Notify(n) }

// NoticesDropped is the number of notices lost for all listeners, or missed by a webhook.
func (h *Host) NoticesDropped() int64 { return h.hub.Dropped() }
