package trial

import (
	"context"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// Runner runs calls. A *Module is one.
type Runner interface {
	Has(verb string) bool
	Run(ctx context.Context, verb string, input []byte) Result
}

var _ Runner = (*Module)(nil)

// Asking puts questions about one call, each any number of times. It is not safe for concurrent
// use.
type Asking struct {
	asker asker
	// described is the first answer of describe_call; nil without one.
	described *Answer
	// Targets and Unknown are as in Answers.
	Targets []engine.Target
	Unknown bool
}

// Begin asks for the targets of a call, and resolves them among the call's links. tool is the
// name for the module. The error is about the call.
func Begin(ctx context.Context, m Runner, tool string, c Call) (*Asking, error) {
	call, err := c.engine(tool)
	if err != nil {
		return nil, err
	}
	q, a := asker{ctx, m, call, c.Raw}, Answers{}
	if m.Has(sandbox.DescribeCall) {
		if err := a.describe(q, c); err != nil {
			return nil, err
		}
	}
	a.override(call, c)
	return &Asking{q, a.Describe, a.Targets, a.Unknown}, nil
}

// Put asks an export other than match_rule. That of describe_call is its first answer, to an
// envelope without targets.
func (q *Asking) Put(verb string) Answer {
	if verb == sandbox.DescribeCall && q.described != nil {
		return *q.described
	}
	return q.asker.ask(verb)
}

// Match asks match_rule about one set of rules.
func (q *Asking) Match(set RuleSet) Answer { return q.asker.match(set) }
