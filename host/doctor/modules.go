package doctor

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/modules"
)

// pins looks at the lock of the tool modules, and at what is loaded without being
// pinned.
func (d *examination) pins(ctx context.Context) {
	if d.client == nil {
		d.skip("modules.lock", d.untold, "")
		return
	}
	list, err := d.client.Modules(ctx)
	if err != nil {
		d.skip("modules.lock", "how the modules stand could not be told: "+err.Error(), "")
		return
	}
	if list.Problem != "" {
		d.bad("modules.lock", "nothing of the lock is believed: "+list.Problem, "callgate tool verify, then callgate tool add FILE for each module")
		return
	}
	pinned := 0
	for _, m := range list.Modules {
		if m.Granted != nil {
			pinned++
		}
		d.loose(m)
	}
	text := fmt.Sprintf("%d modules are", pinned)
	switch pinned {
	case 0:
		text = "no module is"
	case 1:
		text = "1 module is"
	}
	d.ok("modules.lock", text+" pinned in "+list.Lock)
}

// loose warns of a module whose bytes nobody chose, or need not be those that were.
func (d *examination) loose(m modules.Module) {
	const danger = "whoever can write the file decides what calls of its tools mean"
	switch {
	case m.Embedded:
	case m.State == catalog.Dev && m.Granted == nil:
		d.warn("modules.dev", m.File+" is in use and nobody pinned it (modules.dev): "+danger, "callgate tool add "+m.File+", then take modules.dev out of the configuration")
	case m.Granted != nil && m.Granted.Dev:
		d.warn("modules.dev", m.File+" may change its bytes (callgate tool add --dev): "+danger, "callgate tool add "+m.File+" without --dev")
	}
}
