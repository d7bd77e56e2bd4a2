package modules

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// embeddedFuel is the default for a call of a module shipped with Callgate. It takes up to 1300
// units a byte to read a call, and a Write of 5 MB is an honest one. It lasts most of a second:
// the clock ends longer ones.
const embeddedFuel = 5_000_000_000

// limits lists all limits of the module.
func (m *module) limits() []wire.Limit {
	settings, in := sandbox.Settings(), m.runtime.Limits()
	out := make([]wire.Limit, len(settings))
	for i, s := range settings {
		if m.embedded && s.Name == "fuel" {
			s.Default = embeddedFuel
		}
		out[i] = wire.Limit{Name: s.Name, Value: s.Text(s.Of(in)), Default: s.Text(s.Default)}
	}
	return out
}

// limited adds where the operator sets the limit behind err: at the grant in force, else at one
// by the module's name. Other errors stay as they are.
func (m *module) limited(err error) error {
	if err == nil { // LimitOf allocates, and this is the way of every answer
		return nil
	}
	limit := sandbox.LimitOf(err)
	if limit == "" {
		return err
	}
	setting := limit // in full, where it is not a module's own
	if !strings.Contains(limit, ".") {
		setting = "modules.grants." + cmp.Or(m.granted, m.name(), strings.TrimSuffix(m.file, ".wasm")) + ".limits." + limit
	}
	if failed, ok := err.(*sandbox.Error); ok { //nolint:errorlint // the sandbox returns it bare
		return &limitError{failed, setting}
	}
	return fmt.Errorf("%w (%s)", err, setting)
}

// limitError is a call ended by a limit. The setting comes before possible words of the module:
// these can be long.
type limitError struct {
	failed  *sandbox.Error
	setting string
}

// Error implements error.
func (e *limitError) Error() string {
	f := e.failed
	return fmt.Sprintf("tool %s: %s: %s (%s): %s", f.Module, f.Export, f.Kind, e.setting, f.Message)
}

// Unwrap returns the failed call.
func (e *limitError) Unwrap() error { return e.failed }

// overlay are the limits of first, with its zeros filled from then.
func overlay(first, then sandbox.Limits) sandbox.Limits {
	if first == (sandbox.Limits{}) {
		return then
	}
	for _, s := range sandbox.Settings() {
		if v := s.Of(then); v != 0 && s.Of(first) == 0 {
			s.Put(&first, v)
		}
	}
	return first
}
