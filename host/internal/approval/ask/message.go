package ask

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/text/shellword"
)

// OutcomeOf is the outcome of an ended ask for its call. It keeps a copy.
func OutcomeOf(a *Ask) Outcome {
	ended := *a
	return Outcome{Ask: &ended, Cause: ended.Cause, Message: message(&ended)}
}

// refusal is the outcome of a call without an answer of its own. The ask may still wait, or be
// approved, in the store.
func refusal(a *Ask, cause Cause) Outcome {
	refused := *a
	refused.Input, refused.State, refused.Cause, refused.Answer = nil, Denied, cause, nil
	return Outcome{Ask: &refused, Cause: cause, Message: message(&refused)}
}

// Resume is the command to resume a stopped session, for a person to copy into a shell. The
// agent chose the session's name: it is neither a flag nor shell code there.
func Resume(session string) string {
	name := shellword.Quote(session)
	if strings.HasPrefix(session, "-") {
		name = "-- " + name
	}
	return "callgate sessions resume " + name
}

// message is one clean sentence for the model: the result, and its options now. The words are
// the product's own; only a person's reason is quoted.
func message(a *Ask) string {
	what := "The " + a.Tool + " call was not run: "
	switch a.Cause {
	case CauseAnswered, CauseCovered:
		return answeredMessage(a, what)
	case CauseTimeout:
		return what + "no one answered in time" + a.unreachable() + ". Continue without it, or ask the user before you try again."
	case CauseInterrupt:
		return what + "the user interrupted. Read what they say next."
	case CauseForkExit:
		return what + "its fork has ended. Do not retry it."
	case CauseClear:
		return what + "the session was cleared. Send it again only if the user still wants it."
	case CauseCaller:
		return what + "the client stopped waiting for the answer. Send it again if it is still needed."
	case CauseCardChanged:
		return what + "someone changed its approval card, so no answer counts. Ask the user before you try again."
	case CauseNoSurface:
		return what + "it needs approval, and no approver could be reached. Do not retry; ask the user to connect one with `callgate asks watch`."
	case CauseFlood:
		return what + "too many calls of this session or agent already wait for a person. Wait for their answers first."
	case CauseRepeated:
		return what + "a person denied the same call a few minutes ago. Do something else, or ask the user."
	case CausePaused:
		return fmt.Sprintf("%sthis session is paused after several denials or unanswered questions. Do not retry before a person resumes it with `%s`.", what, Resume(a.Session))
	case CauseStopped:
		return fmt.Sprintf("%sthis session is stopped. Do not retry before a person resumes it with `%s`.", what, Resume(a.Session))
	case CauseReused:
		return what + "its call id was used before for another call. Send a new call id."
	}
	return what + "the answer could not be recorded. Ask the user to run `callgate doctor`."
}

func answeredMessage(a *Ask, what string) string {
	if a.State == Approved {
		return ""
	}
	if a.Answer != nil && strings.TrimSpace(a.Answer.Reason) != "" {
		return what + "a person denied it: " + strings.TrimSpace(a.Answer.Reason)
	}
	return what + "a person denied it. Do something else, or ask the user why."
}

// surfaceNames are Callgate's own surfaces, as sentences have them.
var surfaceNames = map[string]string{
	"discord": "Discord", "terminal": "the terminal", "command line": "the command line", "console": "the web page", "api": "the API",
}

// SurfaceName is one of Callgate's own surfaces in a sentence; ok is false for another name.
func SurfaceName(surface string) (name string, ok bool) {
	name, ok = surfaceNames[surface]
	return name, ok
}

// unreachable names the surfaces that failed to show the card, as the end of a sentence; empty
// when all succeeded.
func (a Ask) unreachable() string {
	if len(a.Undelivered) == 0 {
		return ""
	}
	names := make([]string, len(a.Undelivered))
	for i, s := range a.Undelivered {
		names[i] = cmp.Or(surfaceNames[s], s)
	}
	return ", and " + strings.Join(names, " and ") + " could not be reached to show the question"
}
