package message

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// Reply is a person's text in answer to a card. It approves once or denies, nothing else.
type Reply struct {
	Verdict ask.Verdict
	// Reason is the text behind a denial.
	Reason string
	// AskID is the id they named, as ask.NormalID has it; empty when they named none.
	AskID string
}

var (
	replyWords = map[string]ask.Verdict{
		"y": ask.Approve, "yes": ask.Approve, "approve": ask.Approve,
		"n": ask.Deny, "no": ask.Deny, "deny": ask.Deny,
	}
	mention = regexp.MustCompile(`^\s*<@!?[0-9]{1,20}>`)
	askID   = regexp.MustCompile(`^[0-9a-hjkmnp-tv-z]{6}$`) // see ask.NormalID
)

// ReadReply reads a reply: "yes", "no", or "deny REASON", with the ask's id before or behind
// the first word if one likes. A mention at the front is skipped. An approval with any further
// text is not understood, and so is every text with another first word: nothing is guessed.
func ReadReply(text string) (Reply, bool) {
	text = mention.ReplaceAllString(text, "")
	first, rest := word(text)
	var r Reply
	if _, known := replyWords[first]; !known && isID(first) {
		r.AskID = ask.NormalID(first)
		first, rest = word(rest)
	}
	verdict, known := replyWords[first]
	if !known {
		return Reply{}, false
	}
	r.Verdict = verdict
	if id, after := word(rest); r.AskID == "" && isID(id) && (verdict == ask.Approve || hasDigit(id)) {
		r.AskID, rest = ask.NormalID(id), after
	}
	r.Reason = strings.TrimSpace(rest)
	if verdict == ask.Approve && r.Reason != "" {
		return Reply{}, false
	}
	return r, true
}

// word takes the first word, in lower case and without punctuation around it.
func word(text string) (first, rest string) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	first = strings.TrimFunc(text[:end], func(r rune) bool { return unicode.IsPunct(r) || r == '`' || r == '~' })
	return strings.ToLower(first), text[end:]
}

// isID reports whether a text may be an ask's id.
func isID(text string) bool {
	return len(text) <= 8 && askID.MatchString(ask.NormalID(text))
}

// hasDigit distinguishes an id from a reason's first word of six letters.
func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

var emojis = map[string]Verb{"✅": VerbApprove, "❌": VerbDeny, "🔓": VerbSession}

// ReadEmoji reads one of the three reactions: ✅ approves, ❌ denies, 🔓 approves for the session.
// A server's own emoji, of any name, is none of them.
func ReadEmoji(e discordgo.Emoji) (Verb, bool) {
	if e.ID != "" {
		return "", false
	}
	verb, ok := emojis[strings.TrimSuffix(e.Name, "\uFE0F")]
	return verb, ok
}
