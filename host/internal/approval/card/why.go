package card

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// careful is the warning of a safety check, with the words of the module that wants it.
func careful(a ask.Ask) Row {
	d := a.Decision
	if !d.Safety() {
		if e, ok := secretOutside(a); ok {
			says := " it shows the secret "
			if e.How == "send" {
				says = " it may send the secret "
			}
			return Row{Pieces: []Piece{strong("Careful:"), own(says), theirs(effectName(e, placeOf(a))), own(", outside the project")}, Warn: true}
		}
		return Row{}
	}
	if d.SafetyWords() == "" {
		return Row{Pieces: []Piece{strong("Careful: safety check.")}, Warn: true}
	}
	return Row{Pieces: []Piece{strong("Careful: safety check."), own(" The tool says "), theirs(d.SafetyWords())}, Warn: true}
}

// special says what is special about an ask, in rows of their own.
func special(a ask.Ask) []Row {
	d := a.Decision
	module := Row{Pieces: []Piece{own("module note, unverified: "), theirs(d.Reason)}, Small: true}
	switch {
	case d.Stage == engine.StageAskRule:
		if r := d.Rule; r != nil && r.Source != engine.SourceProjectFile && r.Reason != "" {
			return []Row{{Pieces: []Piece{own("reason of the rule: "), theirs(r.Reason)}, Small: true}}
		}
		return nil
	case d.Stage == engine.StageProfile, d.Safety(), d.Stage == engine.StageMode && modeWords(d.Reason):
		return nil
	case d.Stage == engine.StageMode && d.Code == engine.CodeServer: // the engine's sentence, with a rule's and a client's words in it
		return []Row{{Pieces: []Piece{own("asks because: "), theirs(d.Reason)}, Warn: true}}
	case d.Stage == engine.StageError:
		failed := Row{Pieces: []Piece{own("the check failed, so nothing about this call is verified")}, Warn: true}
		if d.Reason == "" {
			return []Row{failed}
		}
		return []Row{failed, module}
	}
	if d.Reason == "" {
		return nil
	}
	return []Row{module}
}

// shortWhy is why a person is asked, where that goes into the row of who calls.
func shortWhy(d engine.Decision) []Piece {
	switch {
	case d.Stage == engine.StageAskRule && d.Rule != nil:
		return rulePieces(*d.Rule)
	case d.Stage == engine.StageAskRule:
		return []Piece{own("a rule says ask")}
	case d.Stage == engine.StageProfile:
		return []Piece{own("the agent's profile says ask")}
	case d.Safety():
		return []Piece{own("asked every time")}
	case d.Stage == engine.StageToolCheck:
		return []Piece{own("the tool wants a person to look")}
	case d.Stage == engine.StageMode, d.Stage == engine.StageError:
		return nil
	}
	return []Piece{own("the decision is ask ("), theirs(string(d.Stage)), own(")")}
}

// whyText is why a person is asked, in a sentence.
func whyText(d engine.Decision) string {
	switch {
	case d.Stage == engine.StageMode && modeWords(d.Reason):
		return d.Reason
	case d.Stage == engine.StageMode:
		return "no rule allows it, and the mode asks"
	case d.Stage == engine.StageError:
		return "the check failed, so nothing about this call is verified"
	case d.Safety() && d.Stage == engine.StageToolCheck:
		return "the tool's safety check wants a person to look"
	}
	return join(shortWhy(d))
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

// whyFields are everything about why a person is asked.
func whyFields(d engine.Decision) []Field {
	list := []Field{{Name: "asks because", Value: whyText(d)}}
	switch {
	case d.Stage == engine.StageAskRule:
		list = append(list, ruleFields(d.Rule)...)
	case d.Stage == engine.StageProfile:
		list = append(list, Field{Name: "profile", Value: short(strings.TrimPrefix(d.Reason, "profile "))})
	case d.Stage == engine.StageMode && d.Code == engine.CodeServer:
		list = append(list, Field{Name: "MCP rule", Value: short(d.Reason)})
	case !modeWords(d.Reason):
		list = append(list, Field{Name: "module note", Value: short(d.Reason), Module: true})
	}
	if d.Stage != engine.StageToolCheck {
		list = append(list, Field{Name: "safety check", Value: short(d.SafetyWords()), Module: true})
	}
	return append(list, Field{Name: "no lasting rule", Value: short(d.SuggestionsNote)})
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
