package modules

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// module is one wasm file under one grant. It is compiled at its first use, or when
// its description is not yet known.
type module struct {
	id
	digest   string
	size     int
	grant    Rights
	granted  string           // the key of grant among Options.Grants; empty without one
	runtime  *sandbox.Runtime // with the module's limits
	desc     *Described
	declared string // DescriptionDigest of desc
	config   lookup // of the grant; nil without one
	dev      bool   // loaded although its bytes are not the pinned ones
	note     error  // the removed permissions
	replaces bool   // it takes the place of a built-in module
	code     *code  // nil where there is nothing to run
}

// tool is one tool of a module with the names it was granted; err is set when
// calls of it cannot be answered.
type tool struct {
	ToolDescription
	module *module
	err    error
}

func (b *builder) newModule(f file, g Rights, granted string) *module {
	m := &module{
		id: f.id, digest: f.digest, size: f.size,
		grant: g, granted: granted, runtime: b.limitedTo(f.embedded, g), config: ConfigLookup(g.Config),
		replaces: b.replaces(f.id),
	}
	if f.embedded {
		m.grant.MayAllow, m.grant.MayReadOnly = true, true
	}
	return m
}

// compilable gives a module its code. It ends with the builder unless a state takes it over.
func (b *builder) compilable(m *module, f file) *module {
	m.code = b.newCode(m, f)
	b.made = append(b.made, m.code)
	return m
}

// newCode is what will be compiled of a module's file.
func (b *builder) newCode(m *module, f file) *code {
	return &code{file: f.file, digest: f.digest, runtime: m.runtime, number: codes.Add(1), memo: b.c.memo, meter: b.c.meters.of(f.file), size: f.size, read: f.read, shipped: f.shipped}
}

// limitedTo is the runtime with the limits of a module.
func (b *builder) limitedTo(embedded bool, g Rights) *sandbox.Runtime {
	limits := overlay(g.Limits, b.c.settings.Limits)
	if embedded && limits.Fuel == 0 {
		limits.Fuel = embeddedFuel
	}
	return b.c.opts.Runtime.WithLimits(limits)
}

// same reports whether m was made of the file's present bytes.
func (m *module) same(other *module) bool {
	return m.digest == other.digest && m.id == other.id && reflect.DeepEqual(m.grant, other.grant) &&
		m.granted == other.granted && m.runtime.Limits() == other.runtime.Limits() && m.dev == other.dev && m.replaces == other.replaces && fmt.Sprint(m.note) == fmt.Sprint(other.note)
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
	loaded, err := m.code.running(ctx)
	return loaded, m.limited(err)
}

// with returns a module of the same file under another grant. Compiled code serves both, unless the
// limits differ.
func (b *builder) with(m *module, f file, g Rights, granted string) *module {
	other := b.newModule(f, g, granted)
	other.desc, other.declared = m.desc, m.declared
	if m.runtime.Limits() != other.runtime.Limits() {
		return b.compilable(other, f)
	}
	other.code = m.code
	return other
}

// admit fetches the description: from the verdicts of earlier runs, else from the module, and then
// it must pass its own examples; compiling, which may be nil, is called before.
func (m *module) admit(ctx context.Context, v *verdicts, l *lanes, compiling func(file string)) error {
	if m.known(v) {
		return m.prepare(ctx, compiling)
	}
	if compiling != nil && !m.code.ready() {
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
	if err := m.testExamples(ctx, l); err != nil {
		_ = loaded.Forget() // costs no more than space
		return err
	}
	v.admit(m.digest, raw)
	return nil
}

// known reports whether an earlier run admitted the module, and takes its description.
func (m *module) known(v *verdicts) bool {
	raw, ok := v.admitted(m.digest)
	return ok && m.describes(raw) == nil
}

// describe asks the module for its description, again after a time-out: the machine may be busy,
// and the cached work remains.
func (m *module) describe(ctx context.Context, loaded *sandbox.Module) ([]byte, error) {
	raw, err := loaded.Call(ctx, sandbox.Describe, nil)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		raw, err = loaded.Call(ctx, sandbox.Describe, nil)
	}
	return raw, m.limited(err)
}

// describes reads the module's description of itself.
func (m *module) describes(raw []byte) error {
	d, err := ParseDescription(raw)
	if err != nil {
		return err
	}
	declared, err := DescriptionDigest(raw)
	if err != nil {
		return err
	}
	m.desc, m.declared = &d, declared
	return nil
}

// ready makes the module answer at once: compiled, with a called instance. It runs before a swap,
// so callers need not wait. It returns the module's description.
func (m *module) ready(ctx context.Context) ([]byte, error) {
	loaded, err := m.running(ctx)
	if err != nil {
		return nil, err
	}
	return m.describeAgain(ctx, loaded)
}

// describeAgain refuses a module with another description after a call: the person would see other
// permissions than granted.
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
		return nil, fmt.Errorf("tool %s: describe: two calls returned different answers", m.file)
	}
	return raw, nil
}

// prepare compiles the module now, if its first call would otherwise wait for it.
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

// testExamples runs the rule examples of all tools, within their common fuel; the first failure
// refuses the module.
func (m *module) testExamples(ctx context.Context, l *lanes) error {
	t := &exampleTest{file: m.file, fuel: m.runtime.Limits().Fuel, lanes: l}
	if err := t.begin(ctx); err != nil {
		return err
	}
	defer t.end()
	for _, tool := range m.desc.Tools {
		for i, e := range tool.RuleExamples {
			if err := m.testExample(ctx, t, tool.Name, e); err != nil {
				return fmt.Errorf("tool %s: rule_examples[%d] of %s: %w", m.file, i, tool.Name, err)
			}
		}
	}
	return nil
}

func (m *module) testExample(ctx context.Context, t *exampleTest, name string, e wire.RuleExample) error {
	behavior, err := engine.ParseBehavior(e.Behavior)
	if err != nil {
		return err
	}
	a := &adapter{module: m, name: name, test: t}
	call := exampleCall(e, name)
	d, err := a.describe(ctx, call, true)
	if err != nil {
		return err
	}
	call.Context.Targets, call.Context.TargetsUnknown = lexicalTargets(d.Targets, &call.Context), d.TargetsUnknown
	matched, err := a.MatchRule(ctx, call, behavior, []engine.RuleText{{Content: e.Content}})
	if err != nil {
		return err
	}
	if got := len(matched) > 0; got != e.Match {
		return fmt.Errorf("%s rule %q, input %s: match is %v, but the example expects %v", e.Behavior, clean(e.Content), clean(string(e.Input)), got, e.Match)
	}
	return d.wordsOf(behavior, e)
}

// wordsOf refuses rule words that leave out a rule that matches.
func (d *Description) wordsOf(b engine.Behavior, e wire.RuleExample) error {
	if e.Match && d.RuleWords != nil && !d.RuleWords.Name(b, e.Content) {
		return fmt.Errorf("%s rule %q, input %s: the rule matches, but its first word is not among the rule_words of describe_call", e.Behavior, clean(e.Content), clean(string(e.Input)))
	}
	return nil
}
