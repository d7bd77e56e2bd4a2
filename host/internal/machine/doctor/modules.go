package doctor

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/host/wire"
)

// pins checks the lock of the tool modules, and modules loaded without a pin.
func (d *examination) pins(ctx context.Context) {
	if d.client == nil {
		d.skip("modules.lock", d.untold, "")
		return
	}
	list, err := d.client.Modules(ctx)
	if err != nil {
		d.skip("modules.lock", "cannot read the state of the modules: "+err.Error(), "")
		return
	}
	if list.Problem != "" {
		d.bad("modules.lock", "The lock file is invalid and ignored: "+list.Problem, "callgate tool verify, then callgate tool add FILE for each module")
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
		text = "no modules are"
	case 1:
		text = "1 module is"
	}
	d.ok("modules.lock", text+" pinned in "+list.Lock+".")
}

// loose warns of a module without chosen bytes, or with bytes possibly changed since.
func (d *examination) loose(m wire.Module) {
	const danger = "any program that can write the file controls how calls of its tools are checked."
	switch {
	case m.Embedded:
	case m.State == wire.ModuleDev && m.Granted == nil:
		d.warn("modules.dev", m.File+" is in use but not pinned (modules.dev): "+danger, "callgate tool add "+m.File+", then remove modules.dev from the configuration")
	case m.Granted != nil && m.Granted.Dev:
		d.warn("modules.dev", m.File+" may change its bytes (callgate tool add --dev): "+danger, "callgate tool add "+m.File+" without --dev")
	}
}
