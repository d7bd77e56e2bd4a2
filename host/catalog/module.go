package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/sandbox"
)

// module is one wasm file under one grant. It is compiled at its first use, or when
// its description is not yet known.
type module struct {
	file     string
	embedded bool
	digest   string
	size     int
	grant    Grant
	granted  string           // the key of grant among Options.Grants; empty without one
	runtime  *sandbox.Runtime // with the module's limits
	desc     *Described
	declared string // DescriptionDigest of desc
	config   lookup // of the grant; nil without one
	dev      bool   // loaded although its bytes are not the pinned ones
	note     error  // what was taken from it
	code     *code  // nil where there is nothing to run
}

// tool is one tool of a module with the names it was granted; err is set when
// calls of it cannot be answered.
type tool struct {
	ToolDescription
	module *module
	err    error
}

func (b *builder) newModule(f file, g Grant, granted string) *module {
	m := &module{
		file: f.name, embedded: f.embedded, digest: f.digest, size: len(f.data),
		grant: g, granted: granted, runtime: b.limitedTo(f.embedded, g), config: configOf(g.Config),
	}
	if f.embedded {
		m.grant.MayAllow, m.grant.MayReadOnly = true, true
	}
	return m
}

// compilable gives a module its code, which ends with the builder unless a state
// takes it over.
func (b *builder) compilable(m *module, f file) *module {
	m.code = &code{file: f.name, digest: f.digest, runtime: m.runtime, wasm: f.data}
	b.made = append(b.made, m.code)
	return m
}

// limitedTo is the runtime with the limits of a module.
func (b *builder) limitedTo(embedded bool, g Grant) *sandbox.Runtime {
	limits := cmp.Or(g.Limits, b.c.limits)
	if embedded && limits.Fuel == 0 {
		limits.Fuel = embeddedFuel
	}
	return b.c.opts.Runtime.WithLimits(limits)
}

// same reports whether a file read again is what m was made of.
func (m *module) same(other *module) bool {
	return m.digest == other.digest && m.file == other.file && m.embedded == other.embedded && reflect.DeepEqual(m.grant, other.grant) &&
		m.granted == other.granted && m.runtime.Limits() == other.runtime.Limits() && m.dev == other.dev && fmt.Sprint(m.note) == fmt.Sprint(other.note)
}

// label names the module for people.
func (m *module) label() string {
	if m.desc != nil {
		return m.desc.Name
	}
	return m.file
}

// running returns the compiled module.
func (m *module) running(ctx context.Context) (*sandbox.Module, error) {
	loaded, err := m.code.running(ctx, m.desc)
	return loaded, m.limited(err)
}

// with returns a module of the same file under another grant. What is compiled
// already serves both, unless the limits differ.
func (b *builder) with(m *module, f file, g Grant, granted string) *module {
	other := b.newModule(f, g, granted)
	other.desc, other.declared = m.desc, m.declared
	if m.runtime.Limits() != other.runtime.Limits() {
		return b.compilable(other, f)
	}
	other.code = m.code
	return other
}

// admit makes the description known: from the verdicts of earlier runs, else
// from the module, which must then pass its own examples; compiling, which may
// be nil, hears of that first.
func (m *module) admit(ctx context.Context, v *verdicts, compiling func(file string)) error {
	if raw, ok := v.admitted(m.digest); ok {
		if m.describes(raw) == nil {
			return m.prepare(ctx, compiling)
		}
	}
	if compiling != nil {
		compiling(m.file)
	}
	loaded, err := m.running(ctx)
	if err != nil {
		return err
	}
	raw, err := m.describe(ctx, loaded)
	if err != nil {
		return err
	}
	if err := m.describes(raw); err != nil {
		return fmt.Errorf("tool %s: describe: %w", m.file, err)
	}
	// Calls begin in the state after the warm-up: it is tried in that one.
	loaded.WarmUp(ctx, m.desc.WarmUp())
	if err := m.tryWarm(ctx, loaded); err != nil {
		_ = loaded.Forget() // costs no more than space
		return err
	}
	v.admit(m.digest, raw)
	return nil
}

// tryWarm tries the module in the state that calls begin in: it must pass its own
// examples, and say what it said before.
func (m *module) tryWarm(ctx context.Context, loaded *sandbox.Module) error {
	if err := m.tryExamples(ctx); err != nil {
		return err
	}
	_, err := m.describeAgain(ctx, loaded)
	return err
}

// describe asks the module what it is, once more when it was late: the machine may
// be busy, and what is known stays.
func (m *module) describe(ctx context.Context, loaded *sandbox.Module) ([]byte, error) {
	raw, err := loaded.Call(ctx, sandbox.Describe, nil)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		raw, err = loaded.Call(ctx, sandbox.Describe, nil)
	}
	return raw, m.limited(err)
}

// describes reads what the module says of itself.
func (m *module) describes(raw []byte) error {
	d, err := parseDescription(raw)
	if err != nil {
		return err
	}
	declared, err := DescriptionDigest(raw)
	if err != nil {
		return err
	}
	m.desc, m.declared = d, declared
	return nil
}

// ready makes the module answer at once: compiled, with an instance that has been
// called. It runs before a swap, so that no caller waits. It returns what the module
// said.
func (m *module) ready(ctx context.Context) ([]byte, error) {
	loaded, err := m.running(ctx)
	if err != nil {
		return nil, err
	}
	return m.describeAgain(ctx, loaded)
}

// describeAgain refuses a module that says something else of itself once it was
// called: what a person is shown would not be what was granted.
func (m *module) describeAgain(ctx context.Context, loaded *sandbox.Module) ([]byte, error) {
	raw, err := m.describe(ctx, loaded)
	if err != nil {
		return nil, err
	}
	declared, err := DescriptionDigest(raw)
	if err != nil {
		return nil, fmt.Errorf("tool %s: describe: %w", m.file, err)
	}
	if declared != m.declared {
		return nil, fmt.Errorf("tool %s: describe: it answered something else when it was asked again", m.file)
	}
	return raw, nil
}

// prepare has the module compiled now, should its first call have to wait for
// that otherwise.
func (m *module) prepare(ctx context.Context, compiling func(file string)) error {
	if m.code.ready() {
		return nil
	}
	if compiling != nil {
		compiling(m.file)
	}
	_, err := m.running(ctx)
	return err
}

// tryExamples runs the rule examples of all tools; a module that fails its own
// is refused.
func (m *module) tryExamples(ctx context.Context) error {
	var errs []error
	for _, t := range m.desc.Tools {
		for i, e := range t.RuleExamples {
			if err := m.tryExample(ctx, t.Name, e); err != nil {
				errs = append(errs, fmt.Errorf("tool %s: rule_examples[%d] of %s: %w", m.file, i, t.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (m *module) tryExample(ctx context.Context, name string, e Example) error {
	behavior, err := engine.ParseBehavior(e.Behavior)
	if err != nil {
		return err
	}
	a := &adapter{m, name}
	call := e.call(name)
	d, err := a.describe(ctx, call)
	if err != nil {
		return err
	}
	call.Context.Targets, call.Context.TargetsUnknown = lexicalTargets(d.Targets, &call.Context), d.TargetsUnknown
	matched, err := a.MatchRule(ctx, call, behavior, []engine.RuleText{{Content: e.Content}})
	if err != nil {
		return err
	}
	if got := len(matched) > 0; got != e.Match {
		return fmt.Errorf("%s rule %q, input %s: match is %v, the example says %v", e.Behavior, clean(e.Content), clean(string(e.Input)), got, e.Match)
	}
	return nil
}
