package sandbox

import (
	"context"

	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// keeper restores state out of the host's reach: tables, and globals of vectors and references.
// The rewriter has given the guest the functions for it. A module without such things has the
// zero keeper.
type keeper struct {
	dirty         api.MutableGlobal
	save, restore api.Function
}

func newKeeper(guest api.Module) keeper {
	return keeper{
		dirty: mutable(guest, wasmbin.DirtyGlobal),
		save:  guest.ExportedFunction(wasmbin.SaveName), restore: guest.ExportedFunction(wasmbin.RestoreName),
	}
}

// keep makes the current state the target of back, and reports whether it could.
func (k keeper) keep() bool {
	return k.dirty == nil || k.save.CallWithStack(context.Background(), nil) == nil
}

// back undoes the changes since keep, and reports whether it could: a grown table cannot
// shrink.
func (k keeper) back() bool {
	if k.dirty == nil {
		return true
	}
	switch k.dirty.Get() {
	case wasmbin.DirtyNot:
		return true
	case wasmbin.DirtyRestore:
		return k.restore.CallWithStack(context.Background(), nil) == nil
	default:
		return false
	}
}
