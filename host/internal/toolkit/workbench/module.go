package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// Module is one loaded module. It is safe for concurrent use.
type Module struct {
	// Path, Digest (sha256, hex) and Size (bytes) are known of every file read.
	Path   string
	Digest string
	Size   int
	// Description is the module's description of itself, its texts clean; RawDescription are
	// the bytes of its answer, untrusted.
	Description    modules.Described
	RawDescription []byte
	// Compile is the time to check and compile the module, or to find its code in the cache.
	// First is the first call, of describe, including the start of an instance.
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
	// Err is a *sandbox.Error with module, export and kind of failure.
	Err error
	// Fuel is the call's usage, the same on every machine; Took is the time, which is not.
	Fuel int64
	Took time.Duration
	// LogLines and LogBytes are the call's log, counted as by sandbox.Usage.
	LogLines, LogBytes int
}

var errNotCompiled = errors.New("the module is not compiled")

// Run puts bytes to one export and does not interpret the output. config_get answers from the
// member config of the input, where it is an envelope.
func (m *Module) Run(ctx context.Context, verb string, input []byte) Result {
	if m.loaded == nil {
		return Result{Err: errNotCompiled}
	}
	var used sandbox.Usage
	start := time.Now()
	output, err := m.loaded.Append(ctx, nil, sandbox.Request{Export: verb, Input: input, Config: configOf(input), Used: &used})
	return Result{Output: output, Err: err, Fuel: used.Fuel, Took: time.Since(start), LogLines: used.LogLines, LogBytes: used.LogBytes}
}

// configOf is config_get's answer for an envelope.
func configOf(input []byte) func(string) (string, bool) {
	var envelope struct {
		Config json.RawMessage `json:"config"`
	}
	if json.Unmarshal(input, &envelope) != nil {
		return nil // no envelope: a call with bytes of one's own
	}
	return modules.ConfigLookup(envelope.Config)
}
