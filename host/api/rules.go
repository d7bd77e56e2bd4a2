package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// NewRule is a rule as it is sent: either its text form or tool and content.
type NewRule struct {
	// Rule is the text form, "Tool" or "Tool(content)".
	Rule    string  `json:"rule,omitempty"`
	Tool    string  `json:"tool,omitempty"`
	Content *string `json:"content,omitempty"`
	// Behavior is allow, deny or ask.
	Behavior *engine.Behavior `json:"behavior"`
	// Scope is global when absent.
	Scope     engine.Scope `json:"scope,omitempty"`
	ScopeKey  string       `json:"scope_key,omitempty"`
	ExpiresAt time.Time    `json:"expires_at,omitzero"`
	Reason    string       `json:"reason,omitempty"`
	Match     []string     `json:"match,omitempty"`
	NotMatch  []string     `json:"not_match,omitempty"`
}

// rule checks what needs no store; field is where the rule stands in the body.
func (n NewRule) rule(field string, now time.Time) (engine.Rule, error) {
	r := engine.Rule{
		Tool: n.Tool, Content: n.Content, Source: "api", Scope: n.Scope, ScopeKey: n.ScopeKey, ExpiresAt: n.ExpiresAt,
		Reason: n.Reason, Match: n.Match, NotMatch: n.NotMatch,
	}
	switch {
	case n.Behavior == nil || *n.Behavior == engine.Passthrough:
		return r, badField(field+"behavior", "want allow, deny or ask")
	case n.Rule != "" && (n.Tool != "" || n.Content != nil):
		return r, badField(field+"rule", "give the text form, or tool and content, not both")
	case n.Rule == "" && n.Tool == "":
		return r, badField(field+"tool", "missing: name a tool, or give the text form as rule")
	case !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now):
		return r, badField(field+"expires_at", "it has passed: want a time to come")
	case n.Scope == "":
		r.Scope = engine.Global
	}
	r.Behavior = *n.Behavior
	if n.Rule != "" {
		parsed, err := engine.ParseRule(n.Rule)
		if err != nil {
			return r, badField(field+"rule", err.Error())
		}
		r.Tool, r.Content = parsed.Tool, parsed.Content
	}
	if _, err := engine.ParseScope(string(r.Scope)); err != nil {
		return r, badField(field+"scope", err.Error())
	}
	if (r.Scope == engine.Global) != (r.ScopeKey == "") {
		return r, badField(field+"scope_key", "every scope but global needs one: the project's root, the agent's or the session's name")
	}
	return r, nil
}

// RuleList is the rules that a filter chooses.
type RuleList struct {
	Rules []engine.Rule `json:"rules"`
	// Unused tells, by id, why stored rules are not used with the modules there are.
	Unused map[string]string `json:"unused,omitempty"`
}

func (s *Server) listRules(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
	q, err := query(r, "scope", "key", "tool", "behavior", "expired")
	if err != nil {
		return err
	}
	f := store.RuleFilter{Scope: engine.Scope(q["scope"]), Key: q["key"], Tool: q["tool"]}
	if f.Scope != "" {
		if _, err := engine.ParseScope(q["scope"]); err != nil {
			return badField("scope", err.Error())
		}
	}
	if q["behavior"] != "" {
		b, err := engine.ParseBehavior(q["behavior"])
		if err != nil {
			return badField("behavior", err.Error())
		}
		f.Behavior = &b
	}
	if f.Expired, err = q.flag("expired"); err != nil {
		return err
	}
	rules, err := s.c.Gate.Rules(r.Context(), f)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, RuleList{Rules: append([]engine.Rule{}, rules...), Unused: s.c.Gate.Unused(rules)})
}

// AddedRule is a rule as it was stored.
type AddedRule struct {
	Rule engine.Rule `json:"rule"`
	// Notes tell what the rule will not do, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

func (s *Server) addRule(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body NewRule
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	rule, err := body.rule("", s.c.Now())
	if err != nil {
		return err
	}
	if rule.Behavior != engine.Deny && rule.Behavior != engine.Ask {
		if err := s.c.Gate.MayChangeRules(r.Context(), caller, []engine.Rule{rule}, nil); err != nil {
			return err
		}
		if err := s.present(r, caller); err != nil {
			return err
		}
	}
	stored, notes, err := s.c.Gate.AddRule(r.Context(), by, rule)
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, AddedRule{Rule: stored, Notes: notes})
}

type removed struct {
	Removed string `json:"removed"`
}

func (s *Server) removeRule(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	if err := s.c.Gate.MayRemoveRule(r.Context(), caller, id); err != nil {
		return err
	}
	if err := s.mayRemove(r, caller, id); err != nil {
		return err
	}
	if err := s.c.Gate.RemoveRule(r.Context(), by, id); err != nil {
		return err
	}
	return reply(w, http.StatusOK, removed{Removed: id})
}

// byParam is in whose name something is changed: the parameter "by", else the
// token's name.
func byParam(r *http.Request, caller gate.Caller) (string, error) {
	q, err := query(r, "by")
	if err != nil {
		return "", err
	}
	return inNameOf("by", q["by"], caller)
}

// RuleTest asks whether a rule matches a call.
type RuleTest struct {
	Rule NewRule `json:"rule"`
	// Tool is the name the agent would use; empty means the rule's.
	Tool  string          `json:"tool,omitempty"`
	Input json.RawMessage `json:"input"`
	CWD   string          `json:"cwd,omitempty"`
	Home  string          `json:"home,omitempty"`
	// WorkingDirectories are absolute.
	WorkingDirectories []string `json:"working_directories,omitempty"`
}

func (t RuleTest) call(rule engine.Rule) (*engine.Call, error) {
	input, err := gate.StrictObject(t.Input)
	if err != nil {
		return nil, badField("input", err.Error())
	}
	call := &engine.Call{Tool: t.Tool, Input: input, Context: engine.Context{CWD: t.CWD, Home: t.Home, WorkingDirectories: t.WorkingDirectories}}
	if call.Tool == "" {
		call.Tool = rule.Tool
	}
	if rule.Scope == engine.Project {
		call.Context.ProjectRoot = rule.ScopeKey
	}
	return call, nil
}

type ruleMatch struct {
	Match bool `json:"match"`
}

func (s *Server) testRule(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	var body RuleTest
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	rule, err := body.Rule.rule("rule.", s.c.Now())
	if err != nil {
		return err
	}
	call, err := body.call(rule)
	if err != nil {
		return err
	}
	match, err := s.c.Gate.TestRule(r.Context(), rule, call)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, ruleMatch{Match: match})
}
