package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/sandbox"
)

// Module is one loaded module. It is safe for concurrent use.
type Module struct {
	// Path, Digest (sha256, hex) and Size (bytes) are known of every file that was
	// read.
	Path   string
	Digest string
	Size   int
	// Description is what the module says of itself, its texts clean; RawDescription
	// are the bytes of its answer, untrusted.
	Description    catalog.Described
	RawDescription []byte
	// Compile is how long it took to check and compile the module, or to find its
	// code in the cache. First is the first call, of describe, which starts an
	// instance.
	Compile time.Duration
	First   Result

	name   string
	wasm   []byte
	loaded *sandbox.Module // nil where it did not compile
}

// Bytes are the module's own; they must not be changed.
func (m *Module) Bytes() []byte { return m.wasm }

// Has reports whether the module exports the verb.
func (m *Module) Has(verb string) bool { return m.loaded != nil && m.loaded.Has(verb) }

// Result is one call of an export.
type Result struct {
	// Output is the module's answer as it is, untrusted; nil with Err.
	Output []byte
	// Err is a *sandbox.Error that names module, export and kind of failure.
	Err error
	// Fuel is what the call used, the same on every machine; Took is the time, which
	// is not.
	Fuel int64
	Took time.Duration
	// LogLines and LogBytes are what the call logged, as sandbox.Usage counts it.
	LogLines, LogBytes int
}

var errNotCompiled = errors.New("the module is not compiled")

// Run puts bytes to one export and reads nothing into what comes back. config_get
// answers from the member config of the input, where it is an envelope.
func (m *Module) Run(ctx context.Context, verb string, input []byte) Result {
	if m.loaded == nil {
		return Result{Err: errNotCompiled}
	}
	var used sandbox.Usage
	start := time.Now()
	output, err := m.loaded.Append(ctx, nil, sandbox.Request{Export: verb, Input: input, Config: configOf(input), Used: &used})
	return Result{Output: output, Err: err, Fuel: used.Fuel, Took: time.Since(start), LogLines: used.LogLines, LogBytes: used.LogBytes}
}

// configOf is what config_get answers for an envelope.
func configOf(input []byte) func(string) (string, bool) {
	var envelope struct {
		Config json.RawMessage `json:"config"`
	}
	if json.Unmarshal(input, &envelope) != nil {
		return nil // no envelope: a call with bytes of one's own
	}
	return catalog.ConfigLookup(envelope.Config)
}
