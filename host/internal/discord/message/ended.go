package message

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

const (
	roomDecider = 120
	roomReason  = 200
	maxNotes    = 3
)

var endWords = map[ask.State]string{
	ask.Approved: "Allowed", ask.Denied: "Denied", ask.TimedOut: "Expired", ask.Cancelled: "Cancelled",
}

// Ended is what becomes of a card when its ask has ended: who decided what, which rules
// were stored and how they are taken back; then who called, and what was asked, as body
// says it (of Shown, or by BodyOf). Notes are sentences of ours. Nothing can be clicked any
// more. A body that is no card's is left out.
func Ended(body string, a ask.Ask, rules []engine.Rule, notes ...string) Message {
	if Units(body) > roomBody {
		body = "-# what was asked stands in the audit"
	}
	c := call{Ask: a, card: card.Render(a, time.Time{})}
	who, _ := c.who(roomWho / 2)
	room := MaxContent - Units(body) - Units(who) - 2
	var parts []string
	add := func(text string) {
		if text != "" && Units(text)+1 <= room {
			parts = append(parts, text)
			room -= Units(text) + 1
		}
	}
	add(outcome(a))
	if text := card.Unheard(a); text != "" && !slices.Contains(notes, text) {
		add(note(text))
	}
	add(reason(a))
	if len(rules) > 0 {
		back := takeBack(a)
		add(stored(rules, room-Units(back)-1) + back)
	}
	for i, text := range notes {
		if i < maxNotes {
			add(note(text))
		}
	}
	return Message{
		Content: join(append(parts, who, body)...), Components: []discordgo.MessageComponent{},
		AllowedMentions: nobody(), Flags: discordgo.MessageFlagsSuppressEmbeds,
	}
}

// outcome is the first line of a card that has ended.
func outcome(a ask.Ask) string {
	word, ok := endWords[a.State]
	if !ok {
		word = "Ended"
	}
	text, _ := line(roomDecider, func(w *writer) {
		w.own(title(word, a))
		switch {
		case a.Answer == nil:
			w.own(" · " + strings.TrimPrefix(card.HowEnded(a), strings.ToLower(word)+": "))
		default:
			w.own(" by ")
			w.own(whoTexts(a.Deciders(), roomDecider))
			w.own(surfaceText(a.Answer.Surface))
			if a.Cause == ask.CauseCovered {
				w.own(", with a rule accepted on another card")
			}
		}
		if !a.EndedAt.IsZero() {
			w.own(fmt.Sprintf(" · <t:%d:f>", a.EndedAt.Unix()))
		}
	})
	return text
}

// takeBack says how the rules of an approval are taken back.
func takeBack(a ask.Ask) string {
	if a.Answer != nil && a.Answer.Surface == inDiscord {
		return " · take back: Undo, or /allow with a minus before it"
	}
	return " · take back: /allow with a minus before it"
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

// BodyOf finds the body in a content of Card or Ended, as Discord keeps it: what stands
// before the line of who calls, and on an ended card behind it.
func BodyOf(content string) string {
	over := false
	for _, word := range endWords {
		over = over || strings.HasPrefix(content, "**"+word)
	}
	over = over || strings.HasPrefix(content, "**Ended")
	at := 0
	for i, part := range strings.Split(content, "```") {
		if i%2 == 1 { // a code block
			at += len(part) + 2*len("```")
			continue
		}
		for l := range strings.Lines(part) {
			if strings.HasPrefix(l, whoLine) && (at == 0 || content[at-1] == '\n') {
				if over {
					return content[at+len(l):]
				}
				return strings.TrimSuffix(content[:at], "\n")
			}
			at += len(l)
		}
	}
	return content
}
