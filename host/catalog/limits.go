package catalog

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/sandbox"
)

// Limit is one limit of a module, spelled as the operator's configuration does.
type Limit struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
}

// embeddedFuel is what a call of a module that comes with Callgate may use where
// the operator does not say. It takes up to 1300 units a byte to read a call, and
// a Write of 5 MB is an honest one. It lasts most of a second: what is longer, the
// clock ends.
const embeddedFuel = 5_000_000_000

// limits lists all limits of the module.
func (m *module) limits() []Limit {
	settings, in := sandbox.Settings(), m.runtime.Limits()
	out := make([]Limit, len(settings))
	for i, s := range settings {
		if m.embedded && s.Name == "fuel" {
			s.Default = embeddedFuel
		}
		out[i] = Limit{Name: s.Name, Value: s.Text(s.Of(in)), Default: s.Text(s.Default)}
	}
	return out
}

// limited tells where the operator sets the limit that err is about: at the grant
// in force, else at one by the module's name. Other errors stay as they are.
func (m *module) limited(err error) error {
	limit := sandbox.LimitOf(err)
	if limit == "" {
		return err
	}
	setting := limit // in full, where it is not a module's own
	if !strings.Contains(limit, ".") {
		setting = "modules.grants." + cmp.Or(m.granted, m.name(), strings.TrimSuffix(m.file, ".wasm")) + ".limits." + limit
	}
	if failed, ok := err.(*sandbox.Error); ok {
		return &limitError{failed, setting}
	}
	return fmt.Errorf("%w (%s)", err, setting)
}

// limitError is a call that a limit ended. The setting stands before what may be
// the module's own words, which can be long.
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
