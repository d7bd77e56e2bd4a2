package card

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
)

// Why says why a person is asked: the host's words in the first field, then what
// belongs to them, with the words of the module.
func Why(a ask.Ask) []Field {
	d := a.Decision
	why := whyPieces(d)
	fields := []Field{{Name: "asks because", Value: join(why), Pieces: why}}
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

func whyPieces(d engine.Decision) []Piece {
	switch {
	case d.Stage == engine.StageAskRule && d.Rule != nil:
		return rulePieces(*d.Rule)
	case d.Stage == engine.StageAskRule:
		return []Piece{own("a rule says ask")}
	case d.Stage == engine.StageProfile:
		return []Piece{own("the agent's profile says ask")}
	case d.BypassImmune:
		return []Piece{own("the tool's safety check wants a person to look")}
	case d.Stage == engine.StageToolCheck:
		return []Piece{own("the tool wants a person to look")}
	case d.Stage == engine.StageError:
		return []Piece{own("something failed while it was decided, so nobody vouches for it")}
	case d.Stage == engine.StageMode && modeWords(d.Reason):
		return []Piece{own(d.Reason)}
	case d.Code == engine.CodeServer: // the engine's sentence, with a rule's and a client's words in it
		return []Piece{theirs(d.Reason)}
	case d.Stage == engine.StageMode:
		return []Piece{own("no rule allows it, and the mode asks")}
	}
	return []Piece{own("the decision is ask ("), theirs(string(d.Stage)), own(")")}
}

// modeWords reports whether the reason is the engine's own sentence and no
// module's.
func modeWords(reason string) bool {
	return slices.ContainsFunc(engine.Modes(), func(m string) bool {
		return reason == "no rule allows this call and mode "+m+" asks"
	})
}

// rulePieces name the rule that asks. Of one from a project's file only the tool is
// told: no free text of that file reaches a card (threat T03).
func rulePieces(r engine.Rule) []Piece {
	if r.Source == engine.SourceProjectFile {
		return []Piece{own("the rule for "), theirs(r.Tool), own(" in the project's file says ask")}
	}
	return []Piece{own("the rule "), theirs(r.String()), own(" says ask")}
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
	case a.Long() && a.Decision.Safety():
		return "this is a safety check, and the call is not shown whole"
	case a.Long():
		return "the call is not shown whole"
	case a.NeedsConfirmation():
		return "this is a safety check"
	}
	return ""
}
