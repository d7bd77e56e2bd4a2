package runner

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/caller"
)

// NotChecked tells the model why its call was not checked, and whether to retry.
func NotChecked(err error) string {
	if refused := new(Refusal); errors.As(err, refused) {
		return Sentence("Denied: ", string(*refused))
	}
	text := Sentence("Denied: Callgate could not check this call: ", err.Error())
	switch {
	case errors.Is(err, ErrTooLarge):
		return text // it names the fix
	case errors.Is(err, caller.ErrNoDaemon):
		return Sentence("Denied: ", err.Error()) + " Ask the user to run this command. Do not retry before that."
	case errors.Is(err, errLate):
		return text + " Do not retry until an approver is available."
	case busy(err) || lost(err):
		return text + " You may retry once, after a few seconds."
	}
	return text + ` Do not retry. Ask the user to run "callgate doctor".`
}

// Sentence ends a text with one full stop.
func Sentence(begin, end string) string { return begin + strings.TrimRight(end, ".\n ") + "." }

// Denial is the model's text of a denial.
func Denial(d engine.Decision) string {
	switch {
	case d.Message != "":
		return d.Message
	case d.Reason != "":
		return Sentence("Denied: ", d.Reason)
	}
	return "Denied by Callgate."
}

// maxReason is how much of a reason the model reads, in bytes. The client passes
// on 20 kB; a few sentences are more useful.
const maxReason = 4000

// Clean is a reason in the client's form: one line, never empty, without control of a terminal.
func Clean(reason string) string {
	reason = strings.TrimSpace(reason)
	if reason == "" {
		reason = "Denied by Callgate, without a reason."
	}
	const cut = " … (cut)"
	if text := card.Prose(strings.Join(strings.Fields(reason), " ")); len(text) <= maxReason {
		return text
	}
	text := card.Prose(strings.Join(strings.Fields(head(reason, maxReason)), " "))
	return head(text, maxReason-len(cut)) + cut
}

// head is the beginning of a text, at most n bytes, no character divided.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Refusal is an error in words for the model: why the hook itself denies the call, and what to do
// instead.
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }
