package catalog

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/sandbox"
)

// adapter puts calls to one tool of a module. name is what the module sees as
// the tool: the canonical name, or the called one below a glob or the fallback.
type adapter struct {
	module *module
	name   string
}

var _ engine.Tool = (*adapter)(nil)

// CheckPermissions implements engine.Tool.
func (a *adapter) CheckPermissions(ctx context.Context, call *engine.Call) (engine.Verdict, error) {
	return ask(ctx, a, sandbox.CheckPermissions, call, parseVerdict)
}

// CheckReadOnly implements engine.Tool.
func (a *adapter) CheckReadOnly(ctx context.Context, call *engine.Call) (engine.ReadOnly, error) {
	return ask(ctx, a, sandbox.CheckReadOnly, call, parseReadOnly)
}

// GenerateSuggestions implements engine.Tool.
func (a *adapter) GenerateSuggestions(ctx context.Context, call *engine.Call) ([]engine.SuggestedRule, error) {
	return ask(ctx, a, sandbox.GenerateSuggestions, call, parseSuggestions)
}

// MatchRule implements engine.Tool.
func (a *adapter) MatchRule(ctx context.Context, call *engine.Call, behavior engine.Behavior, rules []engine.RuleText) ([]int, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	buf := buffers.take()
	defer buffers.give(buf)
	if err := encodeRules(&buf.env, sandbox.MatchRule, a.name, call, a.module.grant.Config, behavior.String(), rules); err != nil {
		return nil, a.fail(sandbox.MatchRule, err)
	}
	return put(ctx, a, sandbox.MatchRule, call, buf, func(data []byte) ([]int, error) { return parseMatched(data, len(rules)) })
}

// describe asks describe_call, if the module has it.
func (a *adapter) describe(ctx context.Context, call *engine.Call) (Description, error) {
	m, err := a.module.running(ctx)
	if err != nil {
		return Description{}, a.fail(sandbox.DescribeCall, err)
	}
	if !m.Has(sandbox.DescribeCall) {
		return Description{}, nil
	}
	return ask(ctx, a, sandbox.DescribeCall, call, parseDescribed)
}

// ask runs a verb that reads nothing but the call.
func ask[T any](ctx context.Context, a *adapter, verb string, call *engine.Call, parse func([]byte) (T, error)) (T, error) {
	buf := buffers.take()
	defer buffers.give(buf)
	if err := encode(&buf.env, verb, a.name, call, a.module.grant.Config); err != nil {
		var zero T
		return zero, a.fail(verb, err)
	}
	return put(ctx, a, verb, call, buf, parse)
}

// put runs a verb on the envelope in buf. On any error the answer is the zero
// value. parse keeps nothing of what it reads.
func put[T any](ctx context.Context, a *adapter, verb string, call *engine.Call, buf *buffer, parse func([]byte) (T, error)) (T, error) {
	var zero T
	m, err := a.module.running(ctx)
	if err != nil {
		return zero, a.fail(verb, err)
	}
	data, err := m.Append(ctx, buf.answer[:0], sandbox.Request{Export: verb, Input: buf.env.Bytes(), Config: a.module.configFor(call)})
	if err != nil {
		return zero, a.module.limited(err) // names module and verb itself
	}
	buf.answer = data
	answer, err := parse(data)
	if err != nil {
		return zero, a.fail(verb, fmt.Errorf("answer: %w", err))
	}
	return answer, nil
}

func (a *adapter) fail(verb string, err error) error {
	return fmt.Errorf("tool %s: %s: %w", a.module.file, verb, err)
}
