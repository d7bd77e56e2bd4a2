package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// noInput stands for a raw input until the envelope is written.
const noInput = `{}`

// asker puts one call to a module.
type asker struct {
	ctx    context.Context
	module Runner
	call   *engine.Call
	raw    []byte // nil: the call's own input
}

func (q asker) input() json.RawMessage {
	if q.raw != nil {
		return q.raw
	}
	return q.call.Input
}

func (q asker) ask(verb string) Answer { return q.put(verb, "", nil) }

func (q asker) match(set RuleSet) Answer {
	rules := make([]engine.RuleText, len(set.Contents))
	for i, content := range set.Contents {
		rules[i] = engine.RuleText{Content: content, Root: set.Root}
	}
	return q.put(sandbox.MatchRule, set.Behavior, rules)
}

func (q asker) put(verb, behavior string, rules []engine.RuleText) Answer {
	a := Answer{Verb: verb}
	envelope, err := modules.Envelope(verb, q.call.Tool, q.call, nil, behavior, rules)
	if err != nil {
		a.Err = err
		return a
	}
	a.Envelope = q.withRaw(envelope)
	a.Result = q.module.Run(q.ctx, verb, a.Envelope)
	if a.Err == nil {
		a.Unsound = modules.CheckAnswer(verb, a.Output, len(rules))
	}
	return a
}

// withRaw puts the raw input, if there is one, in the place of noInput.
func (q asker) withRaw(envelope []byte) []byte {
	if q.raw == nil {
		return envelope
	}
	// The tool's name stands before it, with its quotes escaped.
	before, after, _ := bytes.Cut(envelope, []byte(`"input":`+noInput))
	return slices.Concat(before, []byte(`"input":`), q.raw, after)
}
