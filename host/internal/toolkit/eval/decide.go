package eval

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/describe"
)

type decideAnswer struct {
	ID           jsontext.Value  `json:"id"`
	Behavior     engine.Behavior `json:"behavior"`
	Stage        engine.Stage    `json:"stage"`
	Code         string          `json:"code"`
	BypassImmune bool            `json:"bypass_immune"`
	Reason       string          `json:"reason"`
	Rule         *ruleAnswer     `json:"rule"`
	Suggestions  []ruleAnswer    `json:"suggestions"`
	Trace        []engine.Step   `json:"trace"`
}

func (e *Evaluator) decide(ctx context.Context, r *request) (any, error) {
	s, err := e.subject(ctx, r)
	if err != nil {
		return nil, err
	}
	callback, called, err := readCallback(r.Callback)
	if err != nil {
		return nil, err
	}
	if s.req.Rules, err = r.engineRules(); err != nil {
		return nil, err
	}
	s.req.Lists = r.lists()
	inForce, err := r.profileOf()
	if err != nil {
		return nil, err
	}
	if s.badInput != nil {
		return decideAnswer{
			ID: r.ID, Stage: engine.StageError, Code: "bad_request", Reason: "input: " + s.badInput.Error(),
			Suggestions: []ruleAnswer{}, Trace: []engine.Step{},
		}, nil
	}
	s.req.Profile = describe.Judge(inForce, s.entry, s.req.Call, s.desc, s.req.Err)
	d := engine.Decide(ctx, s.req)
	if called {
		d = engine.ApplyCallback(d, r.Tool, callback)
	}
	return decided(r.ID, d), nil
}

func decided(id jsontext.Value, d engine.Decision) decideAnswer {
	a := decideAnswer{
		ID: id, Behavior: d.Behavior, Stage: d.Stage, Code: d.Code, BypassImmune: d.BypassImmune, Reason: d.Reason,
		Suggestions: make([]ruleAnswer, len(d.Suggestions)), Trace: d.Trace,
	}
	if d.Rule != nil {
		a.Rule = &ruleAnswer{d.Rule.Tool, d.Rule.Content, d.Rule.Behavior}
	}
	for i, s := range d.Suggestions {
		a.Suggestions[i] = ruleAnswer{s.Tool, s.Content, s.Behavior}
	}
	return a
}

func (r *request) lists() engine.Lists {
	lists := engine.Lists{Disallowed: r.DisallowedTools, Skills: r.ActiveSkills}
	if r.AllowedTools != nil {
		lists.Allowed = append([]string{}, *r.AllowedTools...)
	}
	lists.IgnoreDenylist = r.RespectDenylist != nil && !*r.RespectDenylist
	return lists
}

// readCallback reads the callback approver's answer to a request. Source: docs/seeds.md,
// "`can_use_tool` callback contract".
func readCallback(v jsontext.Value) (answer engine.CallbackAnswer, called bool, err error) {
	if v == nil || v.Kind() == 'n' {
		return answer, false, nil
	}
	var word string
	if json.Unmarshal(v, &word) == nil {
		switch word {
		case "none":
			return answer, false, nil
		case "allow":
			return engine.CallbackAnswer{Behavior: engine.Allow}, true, nil
		case "deny":
			return engine.CallbackAnswer{Behavior: engine.Deny}, true, nil
		}
	}
	var object map[string]jsontext.Value
	if json.Unmarshal(v, &object) == nil && len(object) == 1 {
		for member, value := range object {
			switch member {
			case "allow": // ExAthena's {:allow, term()}: the value says nothing
				return engine.CallbackAnswer{Behavior: engine.Allow}, true, nil
			case "deny":
				return engine.CallbackAnswer{Behavior: engine.Deny, Reason: reason(value)}, true, nil
			case "garbage":
				return engine.CallbackAnswer{Unexpected: string(value)}, true, nil
			}
		}
	}
	return answer, false, errors.New(`callback: want "allow", "deny", {"allow": any}, {"deny": reason} or {"garbage": any}`)
}

// reason is a callback's reason of any type: a text is itself, none is empty, and anything else
// is its JSON.
func reason(v jsontext.Value) string {
	var text string
	if v.Kind() == 'n' || json.Unmarshal(v, &text) == nil {
		return text
	}
	return string(v)
}
