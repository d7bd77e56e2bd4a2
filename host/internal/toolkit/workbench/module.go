package workbench

import (
	"time"

	"github.com/callgate/callgate/host/internal/modules/trial"
)

// Module is one loaded module. It is safe for concurrent use.
type Module struct {
	// Module answers. Its Digest is known of every file read.
	trial.Module
	// Path and Size (bytes) are known of every file read.
	Path string
	Size int
	// RawDescription are the bytes of its answer to describe, untrusted.
	RawDescription []byte
	// Compile is the time to check and compile the module, or to find its code in the cache.
	// First is the first call, of describe, including the start of an instance.
	Compile time.Duration
	First   trial.Result

	name string
	wasm []byte
}

// Bytes are the module's own; they must not be changed.
func (m *Module) Bytes() []byte { return m.wasm }
