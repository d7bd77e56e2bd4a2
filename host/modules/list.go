package modules

import (
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/pin"
)

// Module is one module file, as it stands and as it was granted.
type Module struct {
	catalog.ModuleInfo
	// Granted is what is pinned, Previous what a rollback goes back to; nil for none.
	Granted  *pin.Granted `json:"granted,omitempty"`
	Previous *pin.Granted `json:"previous,omitempty"`
}

// List is what Manager.List tells.
type List struct {
	Modules []Module `json:"modules"`
	// Lock is where the lock is; Problem why nothing of it is believed, empty when it
	// is.
	Lock    string `json:"lock"`
	Problem string `json:"problem,omitempty"`
}

// List tells how every module file stands, those of the binary first.
func (m *Manager) List() List {
	return listed(m.c.Place, m.c.Catalog.Modules())
}

// Unserved is List where no daemon runs: how the files of the directory would stand by
// what the lock and they themselves say. unpinned lets files without an entry load.
func Unserved(place pin.Place, policy pin.Policy, unpinned bool) List {
	verdicts, _ := place.Verify(policy) // what is wrong with the lock as a whole, listed tells
	infos := make([]catalog.ModuleInfo, len(verdicts))
	for i, v := range verdicts {
		infos[i] = catalog.ModuleInfo{File: v.File, Digest: v.Digest, Pinned: v.Pinned, Dev: v.Dev, State: standing(v, unpinned), Problem: v.Problem}
	}
	list := listed(place, infos)
	for i := range list.Modules {
		m := &list.Modules[i]
		if m.State == catalog.Dev {
			m.Problem = "" // somebody lets it be other bytes
		}
		if g := m.Granted; g != nil {
			m.Name, m.Version, m.Since = g.Name, g.Version, g.GrantedAt
			m.Grant = catalog.Granted{Names: g.Names, MayAllow: g.MayAllow, MayReadOnly: g.MayReadOnly}
		}
	}
	return list
}

// standing is how a file would stand that no daemon has tried.
func standing(v pin.Verdict, unpinned bool) catalog.Standing {
	switch {
	case v.State == pin.Missing:
		return catalog.Missing
	case v.State == pin.Pinned && v.Problem == "", v.State == pin.Changed && v.Dev && !v.Required, v.State == pin.Unpinned && unpinned:
		return catalog.StandsInUse(false, v.Digest, v.Pinned)
	}
	return catalog.StandsRefused
}

// listed puts what was granted beside how each file stands.
func listed(place pin.Place, infos []catalog.ModuleInfo) List {
	out := List{Modules: []Module{}, Lock: place.Path()}
	loaded, err := place.Load()
	if err != nil {
		out.Problem = err.Error()
	}
	for _, i := range infos {
		one := Module{ModuleInfo: i}
		if e := loaded.Find(i.File); e != nil && !i.Embedded {
			one.Granted, one.Previous = &e.Granted, e.Previous
		}
		out.Modules = append(out.Modules, one)
	}
	return out
}
