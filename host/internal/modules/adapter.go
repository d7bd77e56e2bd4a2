package modules

import (
	"context"
	"fmt"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/telemetry/stage"
)

// adapter sends calls to one tool of a module. name is the module's name for the tool: the
// canonical name, or the called one below a glob or the fallback.
type adapter struct {
	module *module
	name   string
	test   *exampleTest // the set of the calls; nil for none
}

var _ engine.Tool = (*adapter)(nil)

// CheckPermissions implements engine.Tool.
func (a *adapter) CheckPermissions(ctx context.Context, call *engine.Call) (engine.Verdict, error) {
	return ask(ctx, a, question{verb: sandbox.CheckPermissions}, call, parseVerdict)
}

// CheckReadOnly implements engine.Tool.
func (a *adapter) CheckReadOnly(ctx context.Context, call *engine.Call) (engine.ReadOnly, error) {
	return ask(ctx, a, question{verb: sandbox.CheckReadOnly}, call, parseReadOnly)
}

// GenerateSuggestions implements engine.Tool.
func (a *adapter) GenerateSuggestions(ctx context.Context, call *engine.Call) ([]engine.SuggestedRule, error) {
	return ask(ctx, a, question{verb: sandbox.GenerateSuggestions}, call, parseSuggestions)
}

// MatchRule implements engine.Tool.
func (a *adapter) MatchRule(ctx context.Context, call *engine.Call, behavior engine.Behavior, rules []engine.RuleText) ([]int, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	return ask(ctx, a, question{verb: sandbox.MatchRule, behavior: behavior.String(), rules: rules}, call, func(data []byte) ([]int, error) { return parseMatched(data, len(rules)) })
}

// describe asks describe_call, if the module has it; with words for the first words of rules as well.
func (a *adapter) describe(ctx context.Context, call *engine.Call, words bool) (Description, error) {
	m, err := a.module.running(ctx)
	if err != nil {
		return Description{}, a.fail(sandbox.DescribeCall, err)
	}
	if !m.Has(sandbox.DescribeCall) {
		return Description{}, nil
	}
	return ask(ctx, a, question{verb: sandbox.DescribeCall, words: words}, call, parseDescribed)
}

// ask puts a question about a call. On any error the answer is the zero value. parse keeps nothing
// of its input.
func ask[T any](ctx context.Context, a *adapter, q question, call *engine.Call, parse func([]byte) (T, error)) (T, error) {
	var zero T
	verb := q.verb
	buf := buffers.Get().(*buffer) //nolint:forcetypeassert // it holds nothing else
	defer buf.give()
	if err := encode(&buf.env, q, a.name, call, a.module.grant.Config); err != nil {
		return zero, a.fail(verb, err)
	}
	m, err := a.module.running(ctx)
	if err != nil {
		return zero, a.fail(verb, err)
	}
	data, err := a.answer(ctx, m, verb, call, buf)
	if err != nil {
		return zero, a.module.limited(err) // names module and verb itself
	}
	answer, err := parse(data)
	if err != nil {
		return zero, a.fail(verb, fmt.Errorf("answer: %w", err))
	}
	return answer, nil
}

// answer is what the module answers to the envelope in buf, for as long as buf is held.
// The examples of a module are run each time, because they pay for the fuel; so does a
// call that has ended already, to fail as it would.
func (a *adapter) answer(ctx context.Context, m *sandbox.Module, verb string, call *engine.Call, buf *buffer) ([]byte, error) {
	memo := a.module.code.memo
	if a.test != nil || ctx.Err() != nil {
		memo = nil
	}
	var key memoKey
	if memo != nil {
		key = keyOf(a.module.code.number, verb, buf.env.Bytes())
		if data, ok := memo.find(key); ok {
			return data, nil
		}
	}
	defer stage.Begin(ctx, verb)()
	buf.used = sandbox.Usage{}
	begun := time.Now()
	data, err := m.Append(ctx, buf.answer[:0], sandbox.Request{Export: verb, Input: buf.env.Bytes(), Config: a.module.configFor(call), Used: &buf.used})
	if a.test == nil {
		a.module.code.meter.add(time.Since(begun), buf.used.Fuel, err != nil)
	}
	if err == nil && a.test != nil {
		err = a.test.spend(ctx, buf.used.Fuel)
	}
	if err != nil {
		return nil, err
	}
	buf.answer = data
	if memo != nil && buf.used.LogLines == 0 {
		memo.add(key, data)
	}
	return data, nil
}

func (a *adapter) fail(verb string, err error) error {
	return fmt.Errorf("tool %s: %s: %w", a.module.file, verb, err)
}
