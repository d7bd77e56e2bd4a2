package slash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/builder"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/history"
	"github.com/callgate/callgate/host/store"
)

// draft is a rule while it is put together. It is not changed once it is kept.
type draft struct {
	// tools are those to choose from, info is the one that was chosen and tool its name,
	// or the pattern of names that a person typed.
	tools []catalog.Info
	info  catalog.Info
	tool  string
	kinds []builder.Kind
	kind  builder.Kind
	text  string

	behavior int
	place    int
	lasts    int
	places   []gate.Where
	labels   []string
	// shown is the rule that the person was shown last, which alone is stored.
	shown *engine.Rule
}

// behaviors are what a rule may do, the least first.
var behaviors = []struct {
	behavior engine.Behavior
	label    string
}{{engine.Ask, "ask: a person answers each time"}, {engine.Allow, "allow: without a question"}, {engine.Deny, "deny: never"}}

// spans are how long a rule may hold.
var spans = []struct {
	length time.Duration
	label  string
}{{0, "for good"}, {time.Hour, "1 hour"}, {24 * time.Hour, "24 hours"}, {7 * 24 * time.Hour, "7 days"}}

// rule is the draft as a rule.
func (d draft) rule(now time.Time) (engine.Rule, error) {
	text, err := builder.Rule(d.tool, d.kind, d.text)
	if err != nil {
		return engine.Rule{}, badRequest{err}
	}
	r, err := engine.ParseRule(text)
	if err != nil {
		return engine.Rule{}, badRequest{err}
	}
	where := d.places[d.place]
	r.Behavior, r.Scope, r.ScopeKey, r.Source = behaviors[d.behavior].behavior, where.Scope, where.Key, gate.SourceCommand
	if length := spans[d.lasts].length; length > 0 {
		r.ExpiresAt = now.Add(length).Truncate(time.Second)
	}
	return r, nil
}

// named makes the draft one for tools of a name: that of info, or one that it matches.
func (d *draft) named(name string) error {
	if !engine.IsToolName(name) || !engine.MatchName(d.info.Name, name) {
		return badRequest{fmt.Errorf("it has to be a name that %s matches", d.info.Name)}
	}
	d.tool = name
	return nil
}

// toolNamed finds a tool by what a person typed: its name, an alias, or a name that its
// own matches.
func (d *draft) toolNamed(name string) error {
	for _, t := range d.tools {
		if slices.ContainsFunc(t.Names(), func(known string) bool { return strings.EqualFold(known, name) }) {
			d.info, d.tool = t, t.Name
			return nil
		}
	}
	for _, t := range d.tools {
		if strings.ContainsAny(t.Name, "*?") && engine.MatchName(t.Name, name) {
			d.info = t
			return d.named(name)
		}
	}
	return badRequest{fmt.Errorf("there is no tool %q", name)}
}

// report says which of the last calls the draft's rule would match.
func (h *Handler) report(ctx context.Context, d draft, r engine.Rule) (string, error) {
	calls, err := builder.LastCalls(ctx, func(ctx context.Context, f store.Filter) ([]store.Row, error) {
		return history.Rows(ctx, h.c.Audit, f)
	}, d.info, append([]string{d.tool}, d.info.Aliases...))
	if err != nil {
		return "", err
	}
	return builder.Report(calls, func(c builder.Call) (allow, deny bool, err error) {
		if allow, err = h.tried(ctx, r, engine.Allow, c); err != nil {
			return false, false, err
		}
		deny, err = h.tried(ctx, r, engine.Deny, c)
		return allow, deny, err
	}), nil
}

// tried reports whether a rule, with another behavior, would match one of the last
// calls.
func (h *Handler) tried(ctx context.Context, r engine.Rule, b engine.Behavior, c builder.Call) (bool, error) {
	input, err := gate.StrictObject(json.RawMessage(c.Input))
	if err != nil {
		return false, err
	}
	cwd, project := h.standing(ctx, r)
	r.Behavior = b
	return h.c.Gate.TestRule(ctx, r, &engine.Call{Tool: r.Tool, Input: input, Context: engine.Context{CWD: cwd, ProjectRoot: project, WorkingDirectories: []string{cwd}}})
}

// standing is where the calls of a rule are taken to be made: where its session, or the
// agent's last one, stands, else in its project.
func (h *Handler) standing(ctx context.Context, r engine.Rule) (cwd, project string) {
	switch r.Scope {
	case engine.Project:
		return r.ScopeKey, r.ScopeKey
	case engine.Session:
		if known, _, err := h.c.Gate.Session(ctx, r.ScopeKey); err == nil && known.CWD != "" {
			return known.CWD, known.ProjectRoot
		}
	default:
		last, err := h.c.Gate.Sessions(ctx, store.SessionFilter{Agent: r.ScopeKey, Limit: 1})
		if err == nil && len(last) == 1 && last[0].CWD != "" {
			return last[0].CWD, last[0].ProjectRoot
		}
	}
	return "/", ""
}

// errTooLong means that a rule cannot be shown whole.
var errTooLong = badRequest{errors.New("the rule is too long to be shown here whole, and what is not shown is not stored: give it to /allow, /ask or /deny")}
