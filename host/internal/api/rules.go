package api

import (
	"net/http"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// ruleOf does the checks without the store; field is the rule's place in the body.
func ruleOf(n protocol.NewRule, field string, now time.Time) (engine.Rule, error) {
	r := engine.Rule{
		Tool: n.Tool, Content: n.Content, Source: "api", Scope: n.Scope, ScopeKey: n.ScopeKey, ExpiresAt: n.ExpiresAt,
		Reason: n.Reason, Match: n.Match, NotMatch: n.NotMatch,
	}
	switch {
	case n.Behavior == nil || *n.Behavior == engine.Passthrough:
		return r, badField(field+"behavior", "want allow, deny or ask")
	case n.Rule != "" && (n.Tool != "" || n.Content != nil):
		return r, badField(field+"rule", "use either the text form, or tool and content")
	case n.Rule == "" && n.Tool == "":
		return r, badField(field+"tool", "missing: want a tool, or the text form in rule")
	case !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now):
		return r, badField(field+"expires_at", "already expired: want a time in the future")
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
		return r, badField(field+"scope_key", "missing: every scope except global needs the project root, the agent or the session")
	}
	return r, nil
}

func (s *Server) listRules(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
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
	out := protocol.RuleList{Rules: append([]engine.Rule{}, rules...), Uses: map[string]protocol.RuleUse{}}
	if out.Unused, out.Shadowed, err = s.c.Gate.Idle(r.Context(), rules); err != nil {
		return err
	}
	uses, err := s.c.Gate.RuleUses(r.Context())
	if err != nil {
		return err
	}
	for _, rule := range rules {
		if u, used := uses[rule.ID]; used {
			out.Uses[rule.ID] = protocol.RuleUse{Count: u.Count, Last: u.Last}
		}
	}
	return reply(w, http.StatusOK, out)
}

func (s *Server) addRule(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body protocol.NewRule
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	rule, err := ruleOf(body, "", s.c.Now())
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
	return reply(w, http.StatusCreated, protocol.AddedRule{Rule: stored, Notes: notes})
}

type removed struct {
	Removed string `json:"removed"`
}

func (s *Server) removeRule(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
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

// byParam names the person behind a change: the parameter "by", else the token's name.
func byParam(r *http.Request, caller authority.Caller) (string, error) {
	q, err := query(r, "by")
	if err != nil {
		return "", err
	}
	return inNameOf("by", q["by"], caller)
}

func testCall(t protocol.RuleTest, rule engine.Rule) (*engine.Call, error) {
	input, err := strictjson.Object(t.Input)
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

func (s *Server) testRule(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	var body protocol.RuleTest
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	rule, err := ruleOf(body.Rule, "rule.", s.c.Now())
	if err != nil {
		return err
	}
	call, err := testCall(body, rule)
	if err != nil {
		return err
	}
	match, err := s.c.Gate.TestRule(r.Context(), rule, call)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, protocol.RuleMatch{Match: match})
}
