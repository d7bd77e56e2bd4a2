package eval

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
)

// answer dispatches one request.
func (e *Evaluator) answer(ctx context.Context, r *request) (any, error) {
	switch r.Op {
	case "decide":
		return e.decide(ctx, r)
	case "match":
		return e.match(ctx, r)
	case "read_only":
		return e.readOnly(ctx, r)
	case "tool_check":
		return e.toolCheck(ctx, r)
	case "suggest":
		return e.suggest(ctx, r)
	case "action":
		return e.action(ctx, r)
	case "profile":
		return r.profileAnswer()
	case "offered":
		return e.offered(r)
	case "command":
		return e.command(ctx, r)
	case "frontmatter":
		return r.frontmatter()
	case "inherit":
		return r.inherit()
	case "":
		return nil, fmt.Errorf("op: missing: want one of %s", ops)
	}
	return nil, fmt.Errorf("op: %q is none of %s", r.Op, ops)
}

const ops = "decide, match, read_only, tool_check, suggest, action, profile, offered, command, frontmatter, inherit"

// patience is the time for the targets of one request: no disk is behind them, so an answer
// must not depend on the machine's load.
const patience = time.Minute

// subject is a call made ready, as the Gate would.
type subject struct {
	req   engine.Request
	entry modules.Entry
	desc  modules.Description
	// badInput is the agent's own mistake; its answer is a denial.
	badInput error
}

func (e *Evaluator) subject(ctx context.Context, r *request) (s subject, err error) {
	lookup, err := e.lookup(r.ToolDefs)
	if err != nil {
		return s, err
	}
	call, badInput, err := r.call()
	if err != nil {
		return s, err
	}
	s.badInput, s.entry = badInput, lookup(r.Tool)
	s.req = engine.Request{Call: call, Entry: s.entry.Entry, ResumeAsks: r.ResumeAsks}
	if badInput != nil {
		return s, nil
	}
	resolver := target.Resolver{FS: target.Links(r.Context.Links), Limits: target.Limits{Time: patience}}
	s.desc, s.req.Related, s.req.Err = describe.Call(ctx, lookup, &resolver, s.entry, call)
	s.req.Effects, s.req.EffectsUnsaid = s.desc.Effects, s.desc.EffectsUnsaid
	return s, nil
}

// verb is the common part of a tool's own answers: the subject, and its tool where nothing
// failed on the way.
func (e *Evaluator) verb(ctx context.Context, r *request) (subject, engine.Tool, error) {
	s, err := e.subject(ctx, r)
	switch {
	case err != nil:
		return s, nil, err
	case s.badInput != nil:
		return s, nil, fmt.Errorf("input: %w", s.badInput)
	}
	return s, s.entry.Tool, cmp.Or(s.entry.Err, s.req.Err)
}

type ruleAnswer struct {
	Tool     string          `json:"tool"`
	Content  *string         `json:"content"`
	Behavior engine.Behavior `json:"behavior"`
}

type matchAnswer struct {
	ID    jsontext.Value `json:"id"`
	Match bool           `json:"match"`
}

// match tries one rule as the engine would at its step.
func (e *Evaluator) match(ctx context.Context, r *request) (any, error) {
	b, err := engine.ParseBehavior(r.Behavior)
	if err != nil || b == engine.Passthrough {
		return nil, fmt.Errorf("behavior: %q: want allow, deny or ask", r.Behavior)
	}
	s, tool, err := e.verb(ctx, r)
	if err != nil {
		return nil, err
	}
	rule := engine.Rule{Tool: s.entry.Name, Content: r.Content, Behavior: b}
	if rule.WholeTool() {
		return matchAnswer{r.ID, true}, nil
	}
	_, root := r.Context.anchor()
	hits, err := tool.MatchRule(ctx, s.req.Call, b, []engine.RuleText{{Content: *r.Content, Root: root}})
	return matchAnswer{r.ID, len(hits) > 0}, err
}

type readOnlyAnswer struct {
	ID       jsontext.Value `json:"id"`
	ReadOnly bool           `json:"read_only"`
}

func (e *Evaluator) readOnly(ctx context.Context, r *request) (any, error) {
	s, tool, err := e.verb(ctx, r)
	if err != nil {
		return nil, err
	}
	ro, err := tool.CheckReadOnly(ctx, s.req.Call)
	return readOnlyAnswer{r.ID, ro.ReadOnly}, err
}

type checkAnswer struct {
	ID           jsontext.Value  `json:"id"`
	Behavior     engine.Behavior `json:"behavior"`
	BypassImmune bool            `json:"bypass_immune"`
	Reason       string          `json:"reason"`
}

func (e *Evaluator) toolCheck(ctx context.Context, r *request) (any, error) {
	s, tool, err := e.verb(ctx, r)
	if err != nil {
		return nil, err
	}
	v, err := tool.CheckPermissions(ctx, s.req.Call)
	return checkAnswer{r.ID, v.Behavior, v.BypassImmune, v.Reason}, err
}

type suggestAnswer struct {
	ID          jsontext.Value `json:"id"`
	Suggestions []ruleAnswer   `json:"suggestions"`
}

func (e *Evaluator) suggest(ctx context.Context, r *request) (any, error) {
	s, tool, err := e.verb(ctx, r)
	if err != nil {
		return nil, err
	}
	proposals, err := tool.GenerateSuggestions(ctx, s.req.Call)
	rules := make([]ruleAnswer, len(proposals))
	for i, p := range proposals {
		rules[i] = ruleAnswer{s.entry.Name, p.Content, engine.Allow}
	}
	return suggestAnswer{r.ID, rules}, err
}

type actionAnswer struct {
	ID      jsontext.Value `json:"id"`
	Action  string         `json:"action"`
	Actions []string       `json:"actions"`
}

func (e *Evaluator) action(ctx context.Context, r *request) (any, error) {
	s, _, err := e.verb(ctx, r)
	if err != nil {
		return nil, err
	}
	return actionAnswer{r.ID, s.desc.Action, describe.Actions(s.desc)}, nil
}
