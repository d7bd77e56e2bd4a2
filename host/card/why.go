package card

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
)

// whyFields say why a person is asked: the host's words first, then those of
// the module.
func whyFields(a ask.Ask) []Field {
	d := a.Decision
	fields := []Field{{Name: "asks because", Value: whyText(d)}}
	switch d.Stage {
	case engine.StageAskRule:
		fields = append(fields, ruleFields(d.Rule)...)
	case engine.StageProfile:
		fields = append(fields, Field{Name: "profile", Value: short(strings.TrimPrefix(d.Reason, "profile "))})
	case engine.StageMode:
		// A mode's ask carries what the tool said when it asked at its own check.
		if !modeWords(d.Reason) && d.Code != engine.CodeServer {
			fields = append(fields, Field{Name: "tool says", Value: short(d.Reason), Module: true})
		}
	default:
		fields = append(fields, Field{Name: "tool says", Value: short(d.Reason), Module: true})
	}
	return append(fields, Field{Name: "no lasting rule", Value: short(d.SuggestionsNote)})
}

func whyText(d engine.Decision) string {
	switch {
	case d.Stage == engine.StageAskRule && d.Rule != nil:
		return "the rule " + ruleText(*d.Rule) + " says ask"
	case d.Stage == engine.StageAskRule:
		return "a rule says ask"
	case d.Stage == engine.StageProfile:
		return "the agent's profile says ask"
	case d.BypassImmune:
		return "the tool's safety check wants a person to look"
	case d.Stage == engine.StageToolCheck:
		return "the tool wants a person to look"
	case d.Stage == engine.StageError:
		return "something failed while it was decided, so nobody vouches for it"
	case d.Stage == engine.StageMode && modeWords(d.Reason):
		return d.Reason
	case d.Code == engine.CodeServer: // the engine's sentence, with a rule's and a client's words in it
		return short(d.Reason)
	case d.Stage == engine.StageMode:
		return "no rule allows it, and the mode asks"
	}
	return "the decision is ask (" + short(string(d.Stage)) + ")"
}

// modeWords reports whether the reason is the engine's own sentence and no
// module's.
func modeWords(reason string) bool {
	return slices.ContainsFunc(engine.Modes(), func(m string) bool {
		return reason == "no rule allows this call and mode "+m+" asks"
	})
}

// ruleText names a rule. Of one from a project's file only the tool is told: no
// free text of that file reaches a card (threat T03).
func ruleText(r engine.Rule) string {
	if r.Source == engine.SourceProjectFile {
		return "for " + short(r.Tool) + " in the project's file"
	}
	return short(r.String())
}

func ruleFields(r *engine.Rule) []Field {
	if r == nil || r.Source == engine.SourceProjectFile {
		return nil
	}
	var about []string
	if r.Scope != "" {
		about = append(about, "scope "+strings.TrimSpace(short(string(r.Scope))+" "+short(r.ScopeKey)))
	}
	if r.CreatedBy != "" {
		about = append(about, "by "+short(r.CreatedBy))
	}
	if r.ID != "" {
		about = append(about, "id "+short(r.ID))
	}
	return []Field{
		{Name: "the rule's", Value: strings.Join(about, ", ")},
		{Name: "rule's reason", Value: short(r.Reason)},
	}
}

// confirmText says why an approval has to be confirmed.
func confirmText(a ask.Ask) string {
	switch {
	case a.Long() && a.Decision.BypassImmune:
		return "this is a safety check, and the call is not shown whole"
	case a.Long():
		return "the call is not shown whole"
	case a.NeedsConfirmation():
		return "this is a safety check"
	}
	return ""
}
