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
	out := List{Modules: []Module{}, Lock: m.c.Place.Path()}
	loaded, err := m.c.Place.Load()
	if err != nil {
		out.Problem = err.Error()
	}
	for _, i := range m.c.Catalog.Modules() {
		one := Module{ModuleInfo: i}
		if e := loaded.Find(i.File); e != nil && !i.Embedded {
			one.Granted, one.Previous = &e.Granted, e.Previous
		}
		out.Modules = append(out.Modules, one)
	}
	return out
}
