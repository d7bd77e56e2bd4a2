package message

import (
	"regexp"
	"strings"

	"github.com/callgate/callgate/host/ask"
)

// account is the name of somebody whom the configuration does not list: their account's
// id.
var account = regexp.MustCompile(`^[1-9][0-9]{16,19}$`)

// whoText names somebody. An account stands as Discord draws it, as a mention, which pings
// nobody because no message of ours allows it to; with its id behind, for people choose
// how they are called.
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

// whoTexts names people in at most room units, which is at least roomShort: with the ids
// of accounts where they fit, and where not even the names do, all in one code that says what
// it leaves out.
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

// approvers says who may answer, while that can still be done.
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
