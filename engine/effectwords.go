package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// effectVerb is how a kind is said: "deletes x", "may delete x".
type effectVerb struct{ does, may string }

// said is the verb of an effect. A how without an entry changes no word.
func (e Effect) said() effectVerb {
	switch e.Kind {
	case Secret:
		if e.How == "send" {
			return effectVerb{"sends the secret", "send the secret"}
		}
		return effectVerb{"shows the secret", "read the secret"}
	case Publishes:
		switch e.How {
		case "force":
			return effectVerb{"rewrites what others see at", "rewrite what others see at"}
		case "public":
			return effectVerb{"publishes to everyone at", "publish to everyone at"}
		}
		return effectVerb{"publishes to", "publish to"}
	case Deletes:
		switch e.How {
		case "tree":
			return effectVerb{"deletes, with everything below,", "delete, with everything below,"}
		case "glob":
			return effectVerb{"deletes all files of the pattern", "delete all files of the pattern"}
		}
		return effectVerb{"deletes", "delete"}
	case Reaches:
		switch e.How {
		case "get":
			return effectVerb{"fetches from", "fetch from"}
		case "send":
			return effectVerb{"sends to", "send to"}
		}
		return effectVerb{"reaches", "reach"}
	case Configures:
		return effectVerb{"changes settings that run programs:", "change settings that run programs:"}
	case ChangesPermissions:
		return effectVerb{"changes the permissions of", "change the permissions of"}
	case Installs:
		return effectVerb{"installs", "install"}
	case Overwrites:
		return effectVerb{"overwrites", "overwrite"}
	case Runs:
		if e.Value == Unreadable {
			return effectVerb{"runs code that Callgate cannot read", "run code that Callgate cannot read"}
		}
		return effectVerb{"runs code of the project:", "run code of the project:"}
	case Takes:
		return effectVerb{"takes in text by strangers from", "take in text by strangers from"}
	case Shows:
		if e.Value == Environment {
			return effectVerb{"shows the environment variables", "show the environment variables"}
		}
		return effectVerb{"shows", "show"}
	case Tests:
		return effectVerb{"runs the tests", "run the tests"}
	}
	return effectVerb{"has an unknown effect on", "have an unknown effect on"}
}

// Words describes an effect in one line without a full stop, such as "may delete build, not
// recoverable". The words are Callgate's; only the value is foreign, with invisible characters
// escaped.
func (e Effect) Words() string { return sayEffects([]Effect{e}, Effect.Name, 1) }

// Name is the effect's value as it stands in Words: whole, and quoted where a reader
// could not see it as it is.
func (e Effect) Name() string {
	if q := strconv.Quote(e.Value); q[1:len(q)-1] != e.Value {
		return q
	}
	return e.Value
}

// EffectLines describes effects, the gravest first, one line for those with only different values:
// "deletes 14 files, not recoverable". name gives the words for a value; nil means Effect.Name. A
// line names at most most values and counts the rest, so the caller must show the effects
// themselves elsewhere.
func EffectLines(effects []Effect, name func(Effect) string, most int) []string {
	if name == nil {
		name = Effect.Name
	}
	groups := map[Effect][]Effect{}
	var keys []Effect
	for _, e := range effects {
		key := Effect{Kind: e.Kind, How: e.How, Certain: e.Certain, Recoverable: e.Recoverable}
		if e.Value == Unreadable || e.Value == Environment {
			key.Value = e.Value
		}
		if _, ok := groups[key]; !ok {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], e)
	}
	slices.SortStableFunc(keys, func(a, b Effect) int { return a.rank() - b.rank() })
	lines := make([]string, len(keys))
	for i, key := range keys {
		lines[i] = sayEffects(groups[key], name, max(most, 1))
	}
	return lines
}

// rank orders effects for a reader: certain and grave ones first.
func (e Effect) rank() int {
	at := slices.Index(EffectKinds, e.Kind)
	switch {
	case e.Kind == Reaches && e.How == "get": // reading a page is less than sending
		at = slices.Index(EffectKinds, Runs)
	case e.Kind == Runs && e.Value == Unreadable:
		at = slices.Index(EffectKinds, Deletes)
	}
	if !e.Certain {
		return 2*at + 1
	}
	return 2 * at
}

// sayEffects describes effects with only different values.
func sayEffects(group []Effect, name func(Effect) string, most int) string {
	e := group[0]
	verb := e.said()
	line := verb.does
	if !e.Certain {
		line = "may " + verb.may
	}
	if !e.bare() {
		line += " " + names(group, name, most)
	}
	switch e.Recoverable {
	case RecoverableYes:
		line += ", recoverable"
	case RecoverableNo:
		line += ", not recoverable"
	}
	return line
}

// bare reports whether the verb says the value as well.
func (e Effect) bare() bool {
	return e.Kind == Runs && e.Value == Unreadable || e.Kind == Shows && e.Value == Environment
}

// names lists values, or counts them where they are too many for a line.
func names(group []Effect, name func(Effect) string, most int) string {
	if len(group) > most && most == 1 {
		return fmt.Sprintf("%d %s", len(group), group[0].plural())
	}
	shown := make([]string, 0, most)
	for _, e := range group[:min(len(group), most)] {
		shown = append(shown, name(e))
	}
	list := strings.Join(shown, ", ")
	if more := len(group) - len(shown); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// plural is the word for several values of the kind.
func (e Effect) plural() string {
	switch {
	case e.Kind == Deletes && e.How == "tree":
		return "directories"
	case e.Kind == Deletes && e.How == "glob":
		return "patterns"
	case e.IsPath():
		return "files"
	case e.Kind == Reaches:
		return "hosts"
	case e.Kind == Installs:
		return "packages"
	case e.Kind == Tests:
		return "suites"
	}
	return "places"
}
