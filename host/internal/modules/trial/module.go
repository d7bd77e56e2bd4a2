package trial

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// Module is a module to ask. It is safe for concurrent use.
type Module struct {
	// Digest is the sha256 of its bytes, in hex.
	Digest string
	// Description is its description of itself, its texts clean.
	Description modules.Described
	// Loaded is its code; nil where it did not compile.
	Loaded *sandbox.Module
}

// Has reports whether the module exports the verb.
func (m *Module) Has(verb string) bool { return m.Loaded != nil && m.Loaded.Has(verb) }

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

// ErrNotCompiled is the error of a Module without code.
var ErrNotCompiled = errors.New("the module is not compiled")

// Run puts bytes to one export and does not interpret the output. config_get answers from the
// member config of the input, where it is an envelope.
func (m *Module) Run(ctx context.Context, verb string, input []byte) Result {
	if m.Loaded == nil {
		return Result{Err: ErrNotCompiled}
	}
	var used sandbox.Usage
	start := time.Now()
	output, err := m.Loaded.Append(ctx, nil, sandbox.Request{Export: verb, Input: input, Config: configOf(input), Used: &used})
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
