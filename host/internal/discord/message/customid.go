package message

import (
	"errors"
	"regexp"
	"strings"
)

// Verb is what a button, a menu, a form or a reaction wants.
type Verb string

// The verbs of asks.
const (
	VerbApprove   Verb = "approve"
	VerbDeny      Verb = "deny"
	VerbSession   Verb = "session"   // approve, with the rule for this session
	VerbRule      Verb = "rule"      // the menu: approve, with the rule in the value; or ValueReason, ValueDetails
	VerbReasoned  Verb = "reasoned"  // that form: deny
	VerbConfirm   Verb = "confirm"   // the form in which the id is typed: approve
	VerbStore     Verb = "store"     // approve, with the rule Arg, after its text was shown
	VerbUndo      Verb = "undo"      // take back the rules that the ask's approval stored
	VerbTrustRead Verb = "trustread" // approve, and trust the project folder for reading
	VerbTrustEdit Verb = "trustedit" // approve, and trust it for editing as well
	VerbAllowAll  Verb = "allowall"  // approve the asks of the list whose ids are in Arg
	VerbDenyAll   Verb = "denyall"   // deny them
	VerbOne       Verb = "one"       // the menu of the list: the ask in the value
	VerbEdit      Verb = "edit"      // show the form with the input as text
	VerbEdited    Verb = "edited"    // that form: approve with the changed input
)

var askVerbs = map[Verb]bool{
	VerbApprove: true, VerbDeny: true, VerbSession: true, VerbRule: true,
	VerbReasoned: true, VerbConfirm: true, VerbStore: true, VerbUndo: true, VerbTrustRead: true, VerbTrustEdit: true,
	VerbAllowAll: true, VerbDenyAll: true, VerbOne: true, VerbEdit: true, VerbEdited: true,
}

// CommandSubject is the subject of components that belong to a slash command.
const CommandSubject = "cmd"

// CustomID is what a component carries. It names things and proves nothing: who may, and
// whether the ask still waits, is looked up when it comes back.
type CustomID struct {
	// Instance is the daemon that posted it: letters, digits, - and _, at most 24.
	Instance string
	// Subject is an ask's id, or CommandSubject.
	Subject string
	// Verb is one of the above, or for CommandSubject any word of 2 to 12 letters a-z.
	Verb Verb
	// Arg is printable ASCII without blanks and |, or empty.
	Arg string
}

const idPrefix = "g1"

// String is the text form; see ParseID.
func (c CustomID) String() string {
	text := strings.Join([]string{idPrefix, c.Instance, c.Subject, string(c.Verb)}, "|")
	if c.Arg != "" {
		text += "|" + c.Arg
	}
	return text
}

// ErrNotOurs means a custom id that this program did not write.
var ErrNotOurs = errors.New("custom id is not one of Callgate")

var customID = regexp.MustCompile(`^g1\|([A-Za-z0-9_-]{1,24})\|([0-9a-z]{1,24})\|([a-z]{2,12})(?:\|([!-{}~]{1,80}))?$`)

// ParseID reads "g1|INSTANCE|SUBJECT|VERB[|ARG]". Anything else is ErrNotOurs.
func ParseID(text string) (CustomID, error) {
	m := customID.FindStringSubmatch(text)
	if m == nil || len(text) > MaxCustomID {
		return CustomID{}, ErrNotOurs
	}
	id := CustomID{Instance: m[1], Subject: m[2], Verb: Verb(m[3]), Arg: m[4]}
	if id.Subject != CommandSubject && !askVerbs[id.Verb] {
		return CustomID{}, ErrNotOurs
	}
	return id, nil
}
