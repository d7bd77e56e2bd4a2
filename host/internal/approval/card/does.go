package card

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// base is the folder to which a card's paths are relative: the project, or else the cwd.
type base struct {
	root, cwd string
	project   bool
}

// holds reports whether a path is where the agent works: in a working directory, or in its
// project.
func (b base) holds(t engine.Target) bool {
	_, in := below(b.root, t.Resolved)
	return t.Inside != "" || b.project && in
}

func placeOf(a ask.Ask) base {
	if a.ProjectRoot != "" {
		return base{root: a.ProjectRoot, cwd: a.CWD, project: true}
	}
	return base{root: a.CWD, cwd: a.CWD}
}

// below returns the way from a folder to a path in it. RATIONALE.md, "Which paths may a card
// shorten?".
func below(folder, name string) (string, bool) {
	if folder == "" || folder == "/" || path.Clean(folder) != folder || path.Clean(name) != name {
		return "", false
	}
	if name == folder {
		return "./", true
	}
	rest, ok := strings.CutPrefix(name, folder+"/")
	return rest, ok
}

// of is a path relative to the folder, or as it is: no relative one begins with a slash.
func (b base) of(name string) string {
	if rest, ok := below(b.root, name); ok {
		return rest
	}
	return name
}

// name is the place of the call: the project's last name and the way into it, or the
// whole path.
func (b base) name(project bool) string {
	if !project || b.cwd == "" {
		if b.cwd == "" && project {
			return path.Base(b.root)
		}
		return b.cwd
	}
	rest, ok := below(b.root, b.cwd)
	switch {
	case !ok:
		return b.cwd
	case rest == "./":
		return path.Base(b.root)
	}
	return path.Base(b.root) + "/" + rest
}

// who says which agent calls which tool where, and what of the why is short.
func who(a ask.Ask, at base) Row {
	list := []Piece{own(AgentWord), theirs(a.Agent)}
	if a.SubAgent != "" {
		list = append(list, own(" / "), theirs(a.SubAgent))
	}
	place := at.name(a.ProjectRoot != "")
	_, known := verbs[a.Tool]
	mixed := len(called(a.Tool)) > 3
	switch {
	case known || mixed:
		list = append(list, own(" · "), theirs(a.Tool))
		if place != "" {
			list = append(list, own(" in "), theirs(place))
		}
	case place != "":
		list = append(list, own(" · in "), theirs(place))
	}
	if a.Decision.Server != "" {
		list = append(list, own(" · server "), theirs(a.Decision.Server))
	}
	switch a.Kind {
	case "", engine.Main:
	case engine.InteractiveFork:
		list = append(list, own(" · interactive fork"))
	case engine.Background:
		list = append(list, own(" · background"))
	default:
		list = append(list, own(" · "), theirs(string(a.Kind)))
	}
	if short := shortWhy(a.Decision); len(short) > 0 {
		list = append(append(list, own(" · ")), short...)
	}
	return Row{Pieces: list, Small: true}
}

// AgentWord begins the row of who calls. No other row of a card begins so.
const AgentWord = "agent "

// A session of more than maxSession characters stands on the card with its first.
const (
	maxSession   = 16
	shownSession = 8
	ellipsis     = "…"
)

// ShortSession is a session in safe text. Only one that is shortened ends with an ellipsis.
func ShortSession(session string) string {
	plain := func(text string) string { return strings.ReplaceAll(Line(text), ellipsis, "‹U+2026›") }
	if utf8.RuneCountInString(session) <= maxSession {
		return plain(session)
	}
	at := 0
	for range shownSession {
		_, size := utf8.DecodeRuneInString(session[at:])
		at += size
	}
	return plain(session[:at]) + ellipsis
}

// does says what the call changes, runs or reaches: what is odd with a warning and on a
// row of its own, the rest in one row for each way of touching. What the headline has is
// left out.
func does(a ask.Ask, in Input, at base) []Row {
	head := ""
	if v, known := verbs[a.Tool]; known && !a.LongInput() && v.subject != "command" {
		head, _ = in.only(v.subject)
		if v.subject == "" {
			head = onlyHost(a)
		}
	}
	var odd, plain []Row
	var words []string
	for i, t := range a.Targets {
		if i == ask.MaxShownTargets {
			rest := fmt.Sprintf(" %d more targets", len(a.Targets)-i)
			odd = append(odd, Row{Pieces: []Piece{strong("not shown here"), own(rest)}, Warn: true})
			break
		}
		notes := targetNotes(t, at)
		if t.Access == "read" && t.Inside == "" && saidByCareful(a, t.Resolved) && onlyOutside(t) {
			continue
		}
		said := head != "" && t.Value == head && inline(head) && len(notes) == 0 && (t.Kind == "host" || t.Kind == "path" && targetOf(a, head, at) != nil)
		if said || len(notes) == 0 && saidByEffect(a, t) {
			continue
		}
		word := targetWord(t)
		where := targetPiece(t, at)
		if len(notes) > 0 {
			odd = append(odd, Row{Pieces: slices.Concat([]Piece{strong(word), own(" ")}, where, []Piece{own(" (")}, notes, []Piece{own(")")}), Warn: warns(t, at)})
			continue
		}
		if at := slices.Index(words, word); at >= 0 {
			plain[at].Pieces = append(append(plain[at].Pieces, own(", ")), where...)
			continue
		}
		words = append(words, word)
		plain = append(plain, Row{Pieces: append([]Piece{strong(word), own(" ")}, where...), Small: word == "reads"})
	}
	effects := slices.DeleteFunc(slices.Clone(a.Effects), func(e engine.Effect) bool {
		if e.Kind == engine.Secret && saidByCareful(a, e.Resolved) || saidByOther(a.Effects, e) {
			return true
		}
		said := e.Kind == engine.Shows || e.Kind == engine.Takes || e.Kind == engine.Reaches && e.How == "get"
		return said && e.Certain && head != "" && e.Value == head && inline(head)
	})
	return slices.Concat(effectRows(effects, at), odd, plain)
}

// saidByOther reports whether a graver effect says the same: a secret that is shown is shown,
// and who fetches from a host takes in its text.
func saidByOther(all []engine.Effect, e engine.Effect) bool {
	return slices.ContainsFunc(all, func(o engine.Effect) bool {
		if e.Certain && !o.Certain {
			return false
		}
		return e.Kind == engine.Shows && o.Kind == engine.Secret && e.Resolved != "" && e.Resolved == o.Resolved ||
			e.Kind == engine.Takes && o.Kind == engine.Reaches && o.How == "get" && e.Value == o.Value
	})
}

// saidByCareful reports whether the warning before the headline names this very secret.
func saidByCareful(a ask.Ask, resolved string) bool {
	e, ok := secretOutside(a)
	return ok && !a.Decision.Safety() && resolved != "" && e.Resolved == resolved
}

// onlyOutside reports whether a path is odd for its place alone.
func onlyOutside(t engine.Target) bool {
	return t.Kind == "path" && t.Error == "" && (t.Lexical == "" || t.Lexical == t.Resolved) && !t.Claimed && (t.Repo == nil || len(t.Repo.Dirty) == 0)
}

func targetWord(t engine.Target) string {
	switch {
	case t.Kind == "host" && t.Access == "read":
		return "reaches"
	case t.Kind == "host" && t.Access == "write":
		return "sends to"
	case t.Access == "read":
		return "reads"
	case t.Access == "write" && t.Kind == "path" && !t.Exists && t.Error == "":
		return "creates"
	case t.Access == "write":
		return "changes"
	case t.Access == "run":
		return "runs"
	}
	return "touches"
}

func targetPiece(t engine.Target, at base) []Piece {
	switch {
	case t.Kind == "host":
		return []Piece{own("host "), theirs(t.Value)}
	case t.Kind != "path":
		return []Piece{theirs(t.Kind + " " + t.Value)}
	case t.Error != "" || t.Resolved == "":
		return []Piece{theirs(t.Value)}
	}
	return []Piece{theirs(at.of(t.Resolved))}
}

// warns reports whether a target is out of place: a place that cannot be known, that is
// outside, or that a link leads to.
func warns(t engine.Target, at base) bool {
	return t.Error != "" || !at.holds(t) || t.Lexical != "" && t.Lexical != t.Resolved || t.Repo != nil && len(t.Repo.Dirty) > 0
}

// targetNotes say what is odd about a path; at is where the agent works.
func targetNotes(t engine.Target, at base) []Piece {
	var list []Piece
	note := func(pieces ...Piece) {
		if len(list) > 0 {
			list = append(list, own("; "))
		}
		list = append(list, pieces...)
	}
	switch {
	case t.Kind != "path":
		return nil
	case t.Error != "":
		return []Piece{own("cannot be resolved: "), theirs(t.Error)}
	}
	if !at.holds(t) {
		note(own("outside the working directories"))
	}
	if t.Lexical != "" && t.Lexical != t.Resolved {
		note(own("through a link: written as "), theirs(t.Lexical))
	}
	if !t.Exists && t.Access != "write" {
		note(own("does not exist"))
	}
	if t.Claimed {
		note(own("only the tool says so"))
	}
	if t.Repo != nil && len(t.Repo.Dirty) > 0 {
		note(own("its repository sets "), theirs(strings.Join(t.Repo.Dirty, ", ")))
	}
	return list
}

// targetText is a target in full, for Full and the details.
func targetText(t engine.Target) string {
	text := join(targetPiece(t, base{}))
	if notes := targetNotes(t, base{}); len(notes) > 0 {
		text += " (" + join(notes) + ")"
	}
	return text
}
