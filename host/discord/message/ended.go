package message

import (
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

const (
	roomWho    = 120
	roomReason = 200
	maxNotes   = 3
)

var endWords = map[ask.State]string{
	ask.Approved: "Approved", ask.Denied: "Denied", ask.TimedOut: "Expired", ask.Cancelled: "Cancelled",
}

// Ended is what becomes of a card when its ask has ended: what was asked stays, as body
// says it (of Shown, or by BodyOf), and above it stands who decided what, and which rules
// were stored. Notes are sentences of ours. Nothing can be clicked any more. A body that
// is no card's is left out.
func Ended(body string, a ask.Ask, rules []engine.Rule, notes ...string) Message {
	if Units(body) > roomBody {
		body = "-# what was asked stands in the audit"
	}
	room := MaxContent - Units(body) - 1
	parts := []string{outcome(a)}
	room -= Units(parts[0])
	add := func(text string) {
		if text != "" && Units(text)+1 <= room {
			parts = append(parts, text)
			room -= Units(text) + 1
		}
	}
	add(reason(a))
	about, _ := context(a, roomWho)
	kept := Units(about) + 1
	if len(rules) > 0 {
		hint := undoHint(a)
		add(stored(rules, room-kept-Units(hint)-1))
		add(hint)
	}
	for i, text := range notes {
		if i < maxNotes && Units(note(text))+1 <= room-kept {
			add(note(text))
		}
	}
	about, _ = context(a, max(roomWho, min(room-1, roomHead)))
	add(about)
	return Message{
		Content: join(append(parts, body)...), Components: []discordgo.MessageComponent{},
		AllowedMentions: nobody(), Flags: discordgo.MessageFlagsSuppressEmbeds,
	}
}

// outcome is the first line of a card that has ended.
func outcome(a ask.Ask) string {
	word, ok := endWords[a.State]
	if !ok {
		word = "Ended"
	}
	text, _ := line(roomWho, func(w *writer) {
		w.own(title(word, a))
		switch {
		case a.Answer == nil:
			w.own(" · " + strings.TrimPrefix(card.HowEnded(a), strings.ToLower(word)+": "))
		default:
			w.own(" by ")
			w.own(whoTexts(a.Deciders(), roomWho))
			w.own(surfaceText(a.Answer.Surface))
			if a.Cause == ask.CauseSettled {
				w.own(", with a rule accepted on another card")
			}
		}
		if !a.EndedAt.IsZero() {
			w.own(fmt.Sprintf(" · <t:%d:f>", a.EndedAt.Unix()))
		}
	})
	return text
}

// undoHint says how the rules of an approval are taken back.
func undoHint(a ask.Ask) string {
	const text = "-# to take that back: "
	if a.Answer != nil && a.Answer.Surface == inDiscord {
		return text + "the Undo button, or /allow with a minus before the rule"
	}
	return text + "/allow with a minus before the rule"
}

// inDiscord is the name of the surface in answers.
const inDiscord = "discord"

func surfaceText(name string) string {
	switch name {
	case "":
		return ""
	case inDiscord:
		return " in Discord"
	case "terminal":
		return " in the terminal"
	}
	text, _ := line(roomName, func(w *writer) { w.raw(name) })
	return " in " + text
}

func reason(a ask.Ask) string {
	if a.Answer == nil || strings.TrimSpace(a.Answer.Reason) == "" {
		return ""
	}
	text, _ := line(roomReason, func(w *writer) { w.safe(card.Prose(strings.TrimSpace(a.Answer.Reason))) })
	return "reason: " + text
}

// stored says which rules an approval stored, in at most room units: as many whole texts
// as fit, and how many more there are.
func stored(rules []engine.Rule, room int) string {
	var out string
	for i, r := range rules {
		text := storedRule(r)
		more := ""
		if i < len(rules)-1 {
			more = moreRules(len(rules) - i - 1)
		}
		if Units(join(out, text, more)) > room {
			return join(out, moreRules(len(rules)-i))
		}
		out = join(out, text)
	}
	return out
}

func moreRules(n int) string {
	return "**stored:** " + plural(n, "more rule, its text is", "more rules, their texts are") + " in " + Code("callgate rules list")
}

func storedRule(r engine.Rule) string {
	text, _ := line(0, func(w *writer) {
		w.own("**stored:** ")
		w.safe(card.RuleText(r))
		switch r.Scope {
		case engine.Session:
			w.own(" · this session")
		case engine.Project, engine.Agent:
			w.own(" · " + string(r.Scope) + " ")
			w.raw(r.ScopeKey)
		case engine.Global:
			w.own(" · everywhere")
		}
		switch {
		case !r.ExpiresAt.IsZero():
			w.own(fmt.Sprintf(" · until <t:%d:f>", r.ExpiresAt.Unix()))
		case r.Scope == engine.Session:
			w.own(" · until the session is cleared")
		default:
			w.own(" · no expiry")
		}
	})
	return text
}

// BodyOf finds the body in a content of Card or Ended, as Discord keeps it: the lines
// behind the first, and behind the one that an ended card says agent and session with, to
// the one with the call's digest.
func BodyOf(content string) string {
	_, rest, _ := strings.Cut(content, "\n")
	at, start := 0, 0
	for i, part := range strings.Split(rest, "```") {
		if i%2 == 1 { // a code block
			at += len(part) + 2*len("```")
			continue
		}
		for l := range strings.Lines(part) {
			switch {
			case start == 0 && strings.HasPrefix(l, contextLine):
				start = at + len(l)
			case strings.HasPrefix(l, callLine):
				return rest[start : at+len(strings.TrimSuffix(l, "\n"))]
			}
			at += len(l)
		}
	}
	return rest
}
