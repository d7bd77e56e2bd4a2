package assembly

import (
	"errors"
	"log/slog"
	"time"

	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/gate/profiles"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/wire"
)

// Gate is the surfaces' view: the gate, and the records people read and change beside it.
type Gate struct {
	*gate.Gate
	*admin.Admin
	*authority.Authority
	*ruletest.Stored
	// Folders are those trusted by people for agents; nil where none can be.
	Folders *folder.Book
	given   *profiles.Given
}

// Forget makes the holders of a setting's copy read it again; of all settings for an empty name. It
// reports whether they could: not during a change of their own.
func (g Gate) Forget(name string) bool {
	return g.given.Forget(name) && (g.Folders == nil || g.Folders.Forgets(name))
}

// Asks is the broker, as all parts of a gate need it.
type Asks interface {
	gate.Asks
	admin.Asks
	authority.Asks
}

// Store is the store, as all parts of a gate need it.
type Store interface {
	gate.Store
	admin.Store
	profiles.Store
	ruletest.Store
}

// Parts are the parts of a Gate. All are required but Folders, Passkeys, Protect, Callback, Notify, Now and
// Log; gate.Config describes each.
type Parts struct {
	Catalog  func() describe.Snapshot
	Settings func() *config.Config
	Targets  interface {
		gate.Targets
		admin.Targets
	}
	Projects gate.Projects
	Asks     Asks
	Store    Store
	// Folders are those trusted by people; nil for none.
	Folders *folder.Book
	// Passkeys sign approvals; nil for none.
	Passkeys gate.Passkeys
	Protect  gate.Protection
	Callback func(agent string) gate.Callback
	Notify   func(wire.Notice)
	// Now is the clock of the audit; nil means time.Now.
	Now func() time.Time
	// Log hears of alarms; nil means silence. No input is ever logged.
	Log *slog.Logger
}

// NewGate makes a gate and the rest of the same parts.
func NewGate(p Parts) (Gate, error) {
	if p.Catalog == nil || p.Settings == nil || p.Targets == nil || p.Projects == nil || p.Asks == nil || p.Store == nil {
		return Gate{}, errors.New("gate: a part is missing")
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	who := authority.New(authority.Config{Catalog: p.Catalog, Settings: p.Settings, Asks: p.Asks, Store: p.Store, Now: p.Now, Log: p.Log})
	given := profiles.NewGiven(profiles.Config{Settings: p.Settings, Store: p.Store, Now: p.Now})
	rules := ruletest.NewStored(ruletest.Config{Catalog: p.Catalog, Targets: p.Targets, Store: p.Store, Now: p.Now, Log: p.Log})
	changes := admin.New(admin.Config{
		Authority: who, Rules: rules, Profiles: given, Settings: p.Settings, Targets: p.Targets, Asks: p.Asks, Store: p.Store, Now: p.Now,
	})
	g := gate.New(gate.Config{
		Catalog: p.Catalog, Settings: p.Settings, Targets: p.Targets, Projects: p.Projects, Asks: p.Asks, Store: p.Store,
		Authority: who, Profiles: given, Rules: rules, Changes: changes, Folders: p.Folders, Passkeys: p.Passkeys,
		Protect: p.Protect, Callback: p.Callback, Notify: p.Notify, Now: p.Now, Log: p.Log,
	})
	return Gate{g, changes, who, rules, p.Folders, given}, nil
}
