package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
)

// rulesPage are the rules by their scope.
type rulesPage struct {
	Scopes []scopeRules
	Form   ruleForm
	Total  int
}

// scopeRules are the rules of one scope.
type scopeRules struct {
	Name  string
	Rules []listedRule
}

// listedRule is a rule with why it is not used, and whether it is stored: the configuration's are
// changed in their file.
type listedRule struct {
	engine.Rule
	Unused string
	Stored bool
}

// scopeNames are the headings of the scopes, in their order.
var scopeNames = []option{
	{string(engine.Global), "Everyone"}, {string(engine.Project), "Projects"}, {string(engine.Agent), "Agents"}, {string(engine.Session), "Sessions"},
}

func (s *Server) rules(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	list, err := of.client.RuleList(r.Context(), store.RuleFilter{})
	if err != nil {
		return err
	}
	body := rulesPage{Total: len(list.Rules), Form: ruleForm{Behavior: engine.Allow.String(), Scope: string(engine.Global)}}
	for _, scope := range scopeNames {
		group := scopeRules{Name: scope.Name}
		for _, rule := range list.Rules {
			if string(rule.Scope) == scope.Value || rule.Scope == "" && scope.Value == string(engine.Global) {
				group.Rules = append(group.Rules, listedRule{rule, list.Unused[rule.ID], !rule.CreatedAt.IsZero()})
			}
		}
		if len(group.Rules) > 0 {
			body.Scopes = append(body.Scopes, group)
		}
	}
	return s.render(w, http.StatusOK, "rules", framed(r, of, "Rules", "/rules", body))
}

// ruleForm is a new rule as its form has it.
type ruleForm struct {
	Behavior, Rule, Scope, Key, For, Reason string
}

// The options of the form.
func (f ruleForm) Behaviors() []option {
	return []option{{"allow", "Allow"}, {"ask", "Ask"}, {"deny", "Deny"}}
}
func (f ruleForm) Scopes() []option { return scopeNames }
func (f ruleForm) Terms() []option {
	return []option{{"", "Until it is taken back"}, {"1h", "For an hour"}, {"24h", "For a day"}, {"168h", "For a week"}}
}

// formRule reads the form.
func formRule(form url.Values) ruleForm {
	text := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return ruleForm{Behavior: text("behavior"), Rule: text("rule"), Scope: text("scope"), Key: text("key"), For: text("for"), Reason: text("reason")}
}

// parse is the rule as the API takes it.
func (f ruleForm) parse(now time.Time) (protocol.NewRule, error) {
	b, err := engine.ParseBehavior(f.Behavior)
	if err != nil {
		return protocol.NewRule{}, refuse(http.StatusBadRequest, err.Error())
	}
	n := protocol.NewRule{Rule: f.Rule, Behavior: &b, Scope: engine.Scope(f.Scope), ScopeKey: f.Key, Reason: f.Reason}
	if f.For != "" {
		d, err := time.ParseDuration(f.For)
		if err != nil || d <= 0 {
			return n, refuse(http.StatusBadRequest, "for: want a duration such as 24h")
		}
		n.ExpiresAt = now.Add(d)
	}
	return n, nil
}

// addRule shows the effect of a new rule on past calls, then stores it.
func (s *Server) addRule(w http.ResponseWriter, r *http.Request, of *session) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	f := formRule(form)
	n, err := f.parse(s.c.Now())
	if err != nil {
		return err
	}
	body := rulePage{Form: f}
	if form.Get("store") == "" {
		if body.Preview, err = s.simulate(r.Context(), of, n); err != nil {
			return err
		}
		return s.render(w, http.StatusOK, "rule", framed(r, of, "New rule", "/rules", body))
	}
	err = s.withPIN(r, of, form, func() error {
		added, err := of.client.AddRule(r.Context(), of.by, n)
		if err == nil {
			lines := []string{"Stored: " + added.Rule.Behavior.String() + " " + card.RuleText(added.Rule)}
			for _, note := range added.Notes {
				lines = append(lines, card.Line(note))
			}
			of.say(lines...)
		}
		return err
	})
	var want *pinWanted
	if errors.As(err, &want) {
		body.Problem, body.WantsPIN = want.problem, true
		return s.render(w, http.StatusOK, "rule", framed(r, of, "New rule", "/rules", body))
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/rules", http.StatusSeeOther)
	return nil
}

// rulePage is a rule before it is stored or taken back.
type rulePage struct {
	Form    ruleForm
	Preview *preview
	// Remove is the rule to take back; nil for a new one.
	Remove   *engine.Rule
	WantsPIN bool
	Problem  string
}

// removeRule takes a stored rule back, after a confirmation.
func (s *Server) removeRule(w http.ResponseWriter, r *http.Request, of *session) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	list, err := of.client.RuleList(r.Context(), store.RuleFilter{Expired: true})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list.Rules, func(rule engine.Rule) bool { return rule.ID == id })
	if i < 0 {
		return refuse(http.StatusNotFound, "there is no such rule; see Rules")
	}
	body := rulePage{Remove: &list.Rules[i]}
	if form.Get("confirm") != id {
		return s.render(w, http.StatusOK, "rule", framed(r, of, "Take back", "/rules", body))
	}
	err = s.withPIN(r, of, form, func() error { return of.client.RemoveRule(r.Context(), of.by, id) })
	var want *pinWanted
	if errors.As(err, &want) {
		body.Problem, body.WantsPIN = want.problem, true
		return s.render(w, http.StatusOK, "rule", framed(r, of, "Take back", "/rules", body))
	}
	if err != nil {
		return err
	}
	of.say(fmt.Sprintf("Taken back: %s %s", body.Remove.Behavior, card.RuleText(*body.Remove)))
	http.Redirect(w, r, "/rules", http.StatusSeeOther)
	return nil
}

// pinWanted is an error: the form is shown again with a field for the PIN.
type pinWanted struct{ problem string }

// Error implements error.
func (p *pinWanted) Error() string { return "the approver PIN is needed: " + p.problem }

// withPIN unlocks with the form's PIN, if it has one, and makes a change. Where the API wants the
// PIN, and one can be typed, the error is pinWanted.
func (s *Server) withPIN(r *http.Request, of *session, form url.Values, change func() error) error {
	if typed := form.Get("pin"); typed != "" {
		if _, err := of.client.Unlock(r.Context(), of.by, typed); err != nil {
			return &pinWanted{card.Line(err.Error())}
		}
	}
	err := change()
	if !protocol.NeedsPresence(err) {
		return err
	}
	if presence, look := of.client.Presence(r.Context()); look == nil && presence.Set && !presence.Locked {
		return &pinWanted{}
	}
	return refuse(http.StatusForbidden, card.Line(err.Error()))
}
