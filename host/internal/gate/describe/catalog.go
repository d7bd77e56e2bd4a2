package describe

import (
	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

// Catalog answers for the tools. An unclaimed name gets an entry as well.
type Catalog interface {
	Lookup(name string) modules.Entry
	Tools() []wire.Tool
}

// Snapshot is an unchanging Catalog until it is released. Releasing it again does nothing.
type Snapshot interface {
	Catalog
	Release()
}

// Named is the tool of a name as a catalogue has it now, for its names alone.
func Named(catalog func() Snapshot, tool string) engine.Entry {
	tools := catalog()
	defer tools.Release()
	return tools.Lookup(tool).Entry
}
