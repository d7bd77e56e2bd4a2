package console

import (
	"net/http"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
)

// rulesPage are the rules by their scope.
type rulesPage struct {
	Scopes []scopeRules
	Form   ruleForm
	Total  int
	// Show is the chosen part of the rules; Shown how many it has.
	Show  string
	Shown int
}

// Choices are the parts of the rules that can be chosen.
func (p rulesPage) Choices() []option {
	return []option{{"", "All"}, {"never", "Never used"}, {"month", "Not used for a month"}, {"idle", "Without effect"}, {"ends", "With an end"}}
}

// scopeRules are the rules of one scope.
type scopeRules struct {
	Name  string
	Rules []listedRule
}

// listedRule is a rule with its uses and why it has no effect, and whether it is stored: the
// configuration's are changed in their file.
type listedRule struct {
	engine.Rule
	Unused, Shadowed string
	Use              protocol.RuleUse
	Stored           bool
}

// chosen reports whether the rule is of a part of the rules.
func (l listedRule) chosen(show string, now time.Time) bool {
	switch show {
	case "never":
		return l.Use.Count == 0
	case "month":
		return l.Use.Last.Before(now.AddDate(0, -1, 0)) && l.CreatedAt.Before(now.AddDate(0, -1, 0))
	case "idle":
		return l.Unused != "" || l.Shadowed != ""
	case "ends":
		return !l.ExpiresAt.IsZero()
	}
	return true
}

// scopeNames are the headings of the scopes, in their order.
var scopeNames = []option{
	{string(engine.Global), "Everyone"}, {string(engine.Project), "Projects"}, {string(engine.Agent), "Agents"}, {string(engine.Session), "Sessions"},
}

func (s *Server) rules(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query(), "show"); err != nil {
		return err
	}
	list, err := of.client.RuleList(r.Context(), store.RuleFilter{})
	if err != nil {
		return err
	}
	body := rulesPage{Total: len(list.Rules), Show: r.URL.Query().Get("show"), Form: ruleForm{Behavior: engine.Allow.String(), Scope: string(engine.Global)}}
	if !slices.ContainsFunc(body.Choices(), func(o option) bool { return o.Value == body.Show }) {
		return refuse(http.StatusBadRequest, "show: there is no such part of the rules; see Rules")
	}
	for _, scope := range scopeNames {
		group := scopeRules{Name: scope.Name}
		for _, rule := range list.Rules {
			l := listedRule{rule, list.Unused[rule.ID], list.Shadowed[rule.ID], list.Uses[rule.ID], !rule.CreatedAt.IsZero()}
			if (string(rule.Scope) == scope.Value || rule.Scope == "" && scope.Value == string(engine.Global)) && l.chosen(body.Show, s.c.Now()) {
				group.Rules = append(group.Rules, l)
			}
		}
		if body.Shown += len(group.Rules); len(group.Rules) > 0 {
			body.Scopes = append(body.Scopes, group)
		}
	}
	f := framed(r, of, "Rules", "/rules", body)
	f.Tries = true
	return s.render(w, http.StatusOK, "rules", f)
}
