package console

import (
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
)

// words are an outcome or an event as people say it.
func words(row store.Row) string {
	switch row.Decision {
	case store.Allowed:
		return "Allowed"
	case store.Denied:
		return "Denied"
	case store.AskApproved:
		return "Approved"
	case store.AskDenied:
		return "Denied by a person"
	case store.AskTimeout:
		return "Timed out"
	case store.AskCancelled:
		return "Cancelled"
	}
	text := strings.ReplaceAll(card.Line(string(row.Event)), "_", " ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// what is a row's call or change, in one line: without the tool, which stands beside it.
func what(row store.Row) string {
	text := row.Action
	if row.Event != store.EventDecision {
		text = row.RuleText
		if text == "" {
			text = row.Detail
		}
	} else if rest, ok := strings.CutPrefix(text, "tool:"); ok {
		if _, content, ok := strings.Cut(rest, ":"); ok {
			text = content
		}
	}
	return card.Line(clip(text, maxWhat))
}

// maxWhat bounds a line of a list, in characters; the row's own page has all of it.
const maxWhat = 300

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// took is a duration for people.
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
