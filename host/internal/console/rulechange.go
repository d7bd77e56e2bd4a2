package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

// ruleForm is a new or changed rule as its form has it.
type ruleForm struct {
	Behavior, Rule, Scope, Key, For, Reason string
	// Ends is the present end of a changed rule, which For "keep" keeps.
	Ends time.Time
}

// The options of the form.
func (f ruleForm) Behaviors() []option {
	return []option{{"allow", "Allow"}, {"ask", "Ask"}, {"deny", "Deny"}}
}
func (f ruleForm) Scopes() []option { return scopeNames }
func (f ruleForm) Terms() []option {
	terms := []option{{"", "Until it is taken back"}, {"1h", "For an hour"}, {"24h", "For a day"}, {"168h", "For a week"}, {"720h", "For 30 days"}}
	if !f.Ends.IsZero() {
		terms = append([]option{{"keep", "Until " + f.Ends.Local().Format(time.DateTime)}}, terms...)
	}
	return terms
}

// Term is how long the rule holds, for people.
func (f ruleForm) Term() string {
	for _, o := range f.Terms() {
		if o.Value == f.For {
			return strings.ToLower(o.Name[:1]) + o.Name[1:]
		}
	}
	return "for " + f.For
}

// formRule reads the form.
func formRule(form url.Values) ruleForm {
	text := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return ruleForm{Behavior: text("behavior"), Rule: text("rule"), Scope: text("scope"), Key: text("key"), For: text("for"), Reason: text("reason")}
}

// formOfRule is a stored rule as its form has it.
func formOfRule(r engine.Rule) ruleForm {
	f := ruleForm{Behavior: r.Behavior.String(), Rule: r.String(), Scope: string(r.Scope), Key: r.ScopeKey, Reason: r.Reason, Ends: r.ExpiresAt}
	if !r.ExpiresAt.IsZero() {
		f.For = "keep"
	}
	return f
}

// parse is the rule as the API takes it.
func (f ruleForm) parse(now time.Time) (protocol.NewRule, error) {
	b, err := engine.ParseBehavior(f.Behavior)
	if err != nil {
		return protocol.NewRule{}, refuse(http.StatusBadRequest, err.Error())
	}
	n := protocol.NewRule{Rule: f.Rule, Behavior: &b, Scope: engine.Scope(f.Scope), ScopeKey: f.Key, Reason: f.Reason}
	switch {
	case f.For == "keep" && !f.Ends.IsZero():
		n.ExpiresAt = f.Ends
	case f.For != "":
		d, err := time.ParseDuration(f.For)
		if err != nil || d <= 0 {
			return n, refuse(http.StatusBadRequest, "for: want a duration such as 24h")
		}
		n.ExpiresAt = now.Add(d)
	}
	return n, nil
}

// rulePage is a change of a rule before it is made.
type rulePage struct {
	Form   ruleForm
	Effect *history.Simulated
	// Old is the rule to change or to take back; nil for a new one. Remove takes it back.
	Old    *engine.Rule
	Remove bool
	pinPrompt
	// Notes are the limits of the new rule, one sentence each.
	Notes []string
}

// Action is where the form goes: with the field store it makes the change.
func (p rulePage) Action() string {
	switch {
	case p.Old == nil:
		return "/rules"
	case p.Remove:
		return "/rules/" + p.Old.ID + "/remove"
	}
	return "/rules/" + p.Old.ID + "/edit"
}

// ruleChange is a change of one rule: a new one, another in the place of an old one, or none in its
// place.
type ruleChange struct {
	page rulePage
	api  protocol.RuleChange
}

// changeOf reads the change of a form; id is the changed rule's, empty for a new one.
func (s *Server) changeOf(r *http.Request, of *session, form url.Values, id string, remove bool) (ruleChange, error) {
	c := ruleChange{page: rulePage{Remove: remove}}
	if id != "" {
		old, err := s.storedRule(r, of, id)
		if err != nil {
			return c, err
		}
		c.page.Old, c.api.Remove = &old, []string{id}
	}
	if remove {
		return c, nil
	}
	c.page.Form = formRule(form)
	if c.page.Old != nil {
		c.page.Form.Ends = c.page.Old.ExpiresAt
	}
	n, err := c.page.Form.parse(s.c.Now())
	if err != nil {
		return c, err
	}
	if old := c.page.Old; old != nil && old.String() == n.Rule {
		n.Match, n.NotMatch = old.Match, old.NotMatch
	}
	c.api.Rules = []protocol.NewRule{n}
	return c, nil
}

// storedRule finds the rule of a page's address.
func (s *Server) storedRule(r *http.Request, of *session, id string) (engine.Rule, error) {
	list, err := of.client.RuleList(r.Context(), store.RuleFilter{Expired: true})
	if err != nil {
		return engine.Rule{}, err
	}
	i := slices.IndexFunc(list.Rules, func(rule engine.Rule) bool { return rule.ID == id })
	if i < 0 {
		return engine.Rule{}, refuse(http.StatusNotFound, "there is no such rule; see Rules")
	}
	return list.Rules[i], nil
}

// addRule, editRule and removeRule show the effect of a change on past calls, then make it.
func (s *Server) addRule(w http.ResponseWriter, r *http.Request, of *session) error {
	return s.changeRule(w, r, of, "", false)
}

func (s *Server) editRule(w http.ResponseWriter, r *http.Request, of *session) error {
	return s.changeRule(w, r, of, r.PathValue("id"), false)
}

func (s *Server) removeRule(w http.ResponseWriter, r *http.Request, of *session) error {
	return s.changeRule(w, r, of, r.PathValue("id"), true)
}

// showEdit is the form of a stored rule.
func (s *Server) showEdit(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	old, err := s.storedRule(r, of, r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := editable(old); err != nil {
		return err
	}
	body := rulePage{Old: &old, Form: formOfRule(old)}
	f := framed(r, of, "Change a rule", "/rules", body)
	f.Tries = true
	return s.render(w, http.StatusOK, "edit", f)
}

// editable refuses rules that a form cannot say whole.
func editable(r engine.Rule) error {
	switch {
	case r.CreatedAt.IsZero():
		return refuse(http.StatusConflict, "this rule is in the configuration: change it in its file")
	case r.Server != "":
		return refuse(http.StatusConflict, "this rule holds for one MCP server alone; take it back, and approve a call of the server anew")
	}
	return nil
}

func (s *Server) changeRule(w http.ResponseWriter, r *http.Request, of *session, id string, remove bool) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	c, err := s.changeOf(r, of, form, id, remove)
	if err != nil {
		return err
	}
	if c.page.Old != nil && !remove {
		if err := editable(*c.page.Old); err != nil {
			return err
		}
	}
	title := "New rule"
	if remove {
		title = "Take back"
	} else if id != "" {
		title = "Change a rule"
	}
	if form.Get("store") == "" {
		if c.page.Effect, err = s.simulate(r, of, c.api, nil); err != nil {
			return err
		}
		if c.page.Notes, err = notesOf(r, of, c.api); err != nil {
			return err
		}
		return s.render(w, http.StatusOK, "rule", framed(r, of, title, "/rules", c.page))
	}
	if c.page.pinPrompt, err = withPIN(r, of, form, func() error { return c.make(r, of) }); err != nil {
		return err
	}
	if c.page.WantsPIN {
		return s.render(w, http.StatusOK, "rule", framed(r, of, title, "/rules", c.page))
	}
	http.Redirect(w, r, "/rules", http.StatusSeeOther)
	return nil
}

// notesOf are the limits of the rules of a change.
func notesOf(r *http.Request, of *session, change protocol.RuleChange) (notes []string, err error) {
	if len(change.Rules) == 0 {
		return nil, nil
	}
	change.DryRun = true
	out, err := of.client.ChangeRules(r.Context(), of.by, change)
	for _, p := range out.Rules {
		if p.Exists && len(change.Remove) == 0 {
			notes = append(notes, "the rule is stored already")
		}
		notes = append(notes, p.Notes...)
	}
	return notes, err
}

// make makes the change and tells of it on the next page.
func (c ruleChange) make(r *http.Request, of *session) error {
	if c.page.Old == nil {
		added, err := of.client.AddRule(r.Context(), of.by, c.api.Rules[0])
		if err == nil {
			lines := []string{"Stored: " + card.RuleText(added.Rule)}
			for _, note := range added.Notes {
				lines = append(lines, card.Line(note))
			}
			of.say(lines...)
		}
		return err
	}
	was := card.RuleText(*c.page.Old)
	if c.page.Remove {
		err := of.client.RemoveRule(r.Context(), of.by, c.page.Old.ID)
		if err == nil {
			of.say("Taken back: " + was)
		}
		return err
	}
	out, err := of.client.ChangeRules(r.Context(), of.by, c.api)
	if err == nil && len(out.Rules) > 0 {
		of.say("Changed: "+was, "Stored: "+card.RuleText(out.Rules[0].Rule))
	}
	return err
}
