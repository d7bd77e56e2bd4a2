package card

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// effectRows say what a call does, the gravest first: the words are the engine's, only
// the values are foreign.
func effectRows(effects []engine.Effect, at base) []Row {
	var named []engine.Effect
	lines := engine.EffectLines(effects, func(e engine.Effect) string {
		named = append(named, e)
		return fmt.Sprintf("%c%d%c", openMark, len(named)-1, openMark)
	}, len(effects))
	var rows []Row
	for _, l := range lines {
		r := Row{Warn: !strings.ContainsRune(l, openMark)} // all variables, or code that nobody can read
		for i, part := range strings.Split(l, string(openMark)) {
			if i%2 == 0 {
				switch verb := strings.TrimSuffix(part, " "); {
				case i == 0:
					r.Pieces = append(r.Pieces, strong(verb), own(part[len(verb):]))
				case part != "":
					r.Pieces = append(r.Pieces, own(part))
				}
				continue
			}
			n, _ := strconv.Atoi(part) // the mark is our own
			e := named[n]
			r.Warn = r.Warn || grave(e)
			r.Pieces = append(r.Pieces, theirs(effectName(e, at)))
		}
		rows = append(rows, r)
	}
	return rows
}

// effectName is the value of an effect: a path relative to the project.
func effectName(e engine.Effect, at base) string {
	if e.IsPath() && e.Resolved != "" {
		return at.of(e.Resolved)
	}
	return e.Value
}

// grave reports whether an effect should not be overlooked.
func grave(e engine.Effect) bool {
	switch e.Kind {
	case engine.Secret, engine.Configures:
		return true
	case engine.Publishes:
		return e.How == "force" || e.How == "public"
	case engine.Deletes, engine.Overwrites:
		return e.Recoverable == engine.RecoverableNo
	}
	return false
}

// secretOutside is the first secret that is not of the project and that a call is sure to
// show, or may send; false where there is none.
func secretOutside(a ask.Ask) (engine.Effect, bool) {
	at := placeOf(a)
	i := slices.IndexFunc(a.Effects, func(e engine.Effect) bool {
		_, in := below(at.root, e.Resolved)
		return e.Kind == engine.Secret && (e.Certain || e.How == "send") && !in
	})
	if i < 0 {
		return engine.Effect{}, false
	}
	return a.Effects[i], true
}

// Grave reports whether a card offers the denial first: a safety check, a call that is
// not shown whole, or a secret outside the project.
func Grave(a ask.Ask) bool {
	_, secret := secretOutside(a)
	return secret || a.NeedsConfirmation()
}

// saidByEffect reports whether an effect names what a target does, so that a row of
// its own would only repeat it.
func saidByEffect(a ask.Ask, t engine.Target) bool {
	return slices.ContainsFunc(a.Effects, func(e engine.Effect) bool {
		switch e.Kind {
		case engine.Reaches:
			return t.Kind == "host" && e.Value == t.Value
		case engine.Deletes, engine.Overwrites, engine.ChangesPermissions:
			return t.Kind == "path" && t.Access == "write" && e.Resolved != "" && e.Resolved == t.Resolved
		case engine.Secret, engine.Shows:
			return t.Kind == "path" && t.Access == "read" && e.Resolved != "" && e.Resolved == t.Resolved
		case engine.Runs:
			return t.Kind == "path" && t.Access == "run" && e.Resolved != "" && e.Resolved == t.Resolved
		}
		return false
	})
}
