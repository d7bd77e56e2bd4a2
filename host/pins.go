package host

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/sandbox"
)

// pins tell the catalogue what the files of the directory of modules were granted:
// what the lock says, with the settings and limits of the configuration in force.
type pins struct {
	place pin.Place
	// owner is set where nobody else changes the lock: in the daemon.
	owner bool
	now   atomic.Pointer[config.Modules]
}

func newPins(state string, m config.Modules) *pins {
	p := &pins{place: pin.Place{Modules: m.Dir, State: state}}
	p.set(m)
	return p
}

// set takes the modules part of the configuration that is to be in force, and
// returns the one before.
func (p *pins) set(m config.Modules) (before *config.Modules) { return p.now.Swap(&m) }

// all are the pins by file. A file whose entry grants nothing has one that says why.
// Where a signature is needed no other bytes than the signed ones are loaded. The
// catalogue asks while nobody changes the lock.
func (p *pins) all() (map[string]catalog.Pin, error) {
	if p.owner {
		if err := p.place.Settle(); err != nil {
			return nil, err
		}
	}
	loaded, err := p.place.Load()
	if err == nil && p.unpinned() {
		err = p.place.Safe() // whoever can write there would bring modules
	}
	if err != nil {
		return nil, err
	}
	out, m := map[string]catalog.Pin{}, p.now.Load()
	policy := m.Signatures()
	for _, r := range loaded.Refused {
		out[r.File] = catalog.Pin{Why: r.Why.Error()}
	}
	for _, e := range loaded.Entries {
		if _, err := policy.Check(e.File, e.Name, e.Digest, e.Signature); err != nil {
			out[e.File] = catalog.Pin{Why: err.Error()}
			continue
		}
		one := catalog.Pin{Digest: e.Digest, Description: e.Description, Dev: e.Dev && !policy.Requires(e.File, e.Name), Grant: complete(*m, e.File, e.Name, e.Grant)}
		if e.Previous != nil {
			one.Previous = e.Previous.Digest
		}
		out[e.File] = one
	}
	return out, nil
}

func (p *pins) unpinned() bool { return p.now.Load().Unpinned() }

// complete is what a module may do with a grant of the lock: its limits are those of
// the configuration's grant, else of the lock's, else those of all modules.
func complete(m config.Modules, file, name string, g pin.Grant) catalog.Grant {
	_, own, _ := catalog.GrantOf(m.Grants, file, name)
	l, set := limits(m, own), g.SandboxLimits()
	alone := config.Modules{}.LimitsSet(own)
	for _, s := range sandbox.Settings() {
		if v := s.Of(set); v != 0 && s.Of(alone) == 0 {
			s.Put(&l, v)
		}
	}
	return catalog.Grant{Names: g.Names, MayAllow: g.MayAllow, MayReadOnly: g.MayReadOnly, Config: own.Config, Limits: l}
}

// GrantAdvice lists what modules.grants of a configuration says of pinned modules and
// does not hold, because it was granted when they were added.
func GrantAdvice(c *config.Config) (out []string) {
	loaded, err := (pin.Place{Modules: c.Modules.Dir, State: c.Dirs().State}).Load()
	if err != nil {
		return []string{err.Error()}
	}
	idle := map[string]string{}
	for _, e := range loaded.Entries {
		key, g, _ := catalog.GrantOf(c.Modules.Grants, e.File, e.Name)
		if g.Names != nil || g.MayAllow || g.MayReadOnly {
			idle[key] = e.File
		}
	}
	for _, key := range slices.Sorted(maps.Keys(idle)) {
		out = append(out, fmt.Sprintf("modules.grants.%s: names, may_allow and may_read_only do not hold: %s is pinned, and what callgate tool add granted it does; take them out (config and limits hold)", key, idle[key]))
	}
	return out
}

// manager makes the one that changes modules.
func (h *Host) manager(o Options) *modules.Manager {
	if o.Now == nil {
		o.Now = time.Now
	}
	return modules.New(modules.Config{
		Place: h.pins.place, Catalog: h.Catalog, Audit: h.Store, Told: h.swapped, Now: o.Now,
		Policy:   func() pin.Policy { return h.pins.now.Load().Signatures() },
		Complete: func(file, name string, g pin.Grant) catalog.Grant { return complete(*h.pins.now.Load(), file, name, g) },
	})
}

// Modules changes and lists the tool modules.
func (h *Host) Modules() *modules.Manager { return h.modules }
