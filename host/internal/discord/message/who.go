package message

import (
	"regexp"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// account is the name of an unlisted person: their account's id.
var account = regexp.MustCompile(`^[1-9][0-9]{16,19}$`)

// whoText names a person. An account stands as a mention, in Discord's form, without a ping
// because no message of ours allows one; with its id behind, as people choose their names.
func whoText(name string, withID bool) string {
	text, _ := line(roomApprovers, func(w *writer) {
		if !account.MatchString(name) {
			w.raw(name)
			return
		}
		w.own("<@" + name + ">")
		if withID {
			w.own(" (")
			w.raw(name)
			w.own(")")
		}
	})
	return text
}

// whoTexts names people in at most room units, at least roomShort: with the ids of accounts
// where they fit, and where not even the names do, all in one code with a note about the
// omitted ones.
func whoTexts(names []string, room int) string {
	for _, withID := range []bool{true, false} {
		var all []string
		for _, name := range names {
			all = append(all, whoText(name, withID))
		}
		if text := strings.Join(all, ", "); Units(text) <= room {
			return text
		}
	}
	text, _ := line(room-len("``"), func(w *writer) { w.raw(strings.Join(names, ", ")) })
	return text
}

// approvers names the people who may answer, while they still can.
func approvers(a ask.Ask) string {
	if !a.State.Waiting() || len(a.Approvers) == 0 {
		return ""
	}
	const words = "-# approvers: "
	for _, withID := range []bool{true, false} {
		who := a.Approvers.Text(func(user string) string { return whoText(user, withID) }, Code)
		if who == "" {
			return ""
		}
		if Units(who) <= roomApprovers {
			return words + who
		}
	}
	text, _ := line(roomApprovers, func(w *writer) { w.raw(a.Approvers.String()) })
	return words + text
}
