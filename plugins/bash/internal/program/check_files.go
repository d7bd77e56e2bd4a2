package program

import (
	"path"
	"strings"
)

// linkTouches are the source and the place of a link. A link to one file, without a second
// operand, is made in the working directory of ln.
func linkTouches(u *Use) []Touch {
	var out []Touch
	sources := u.With(Reads)
	if len(u.Operands) == 1 && len(u.Values("-t")) == 0 {
		out = append(out, Touch{Word: u.Operands[0], Access: ReadAccess})
		made := u.Operands[0]
		made.Text, made.Tilde = path.Base(made.Text), false
		return append(out, Touch{Word: made, Access: WriteAccess})
	}
	for _, src := range sources {
		out = append(out, Touch{Word: src, Access: ReadAccess})
	}
	for _, place := range u.With(Place) {
		out = append(out, u.placed(place)...)
	}
	return out
}

// ddTouches are the files named by dd's operands.
func ddTouches(u *Use) []Touch {
	var out []Touch
	for _, o := range u.Operands {
		name, value, _ := strings.Cut(o.Text, "=")
		switch name {
		case "of":
			out = append(out, Touch{Word: o.from(value), Access: WriteAccess})
		case "if":
			out = append(out, Touch{Word: o.from(value), Access: ReadAccess})
		}
	}
	return out
}

func ddAsks(u *Use) string {
	if u.asksVersion() {
		return ""
	}
	return "dd writes to disks and over files, block by block"
}

// ownsTree asks about changes of the owner of whole trees.
func ownsTree(u *Use) string {
	if u.Deep() {
		return u.Program + " -R changes the owner of a whole tree"
	}
	return ""
}

// opensToAll asks about permissions that open a file to everybody, setuid and setgid.
func opensToAll(u *Use) string {
	for _, a := range u.Args() {
		if worldMode(a.Text) {
			return "chmod " + a.Text + " opens files to everybody or lets them run with their owner's power"
		}
	}
	return ""
}

// worldMode reports whether a mode lets everybody write, or sets the setuid or setgid bit.
func worldMode(mode string) bool {
	if mode != "" && strings.Trim(mode, "01234567") == "" {
		if len(mode) > 5 {
			return false // a file's name
		}
		mode = strings.Repeat("0", max(0, 3-len(mode))) + mode
		last, special := mode[len(mode)-1], mode[:len(mode)-3]
		return (last-'0')&2 != 0 || strings.Trim(special, "01") != ""
	}
	for _, clause := range strings.Split(mode, ",") {
		changes := strings.TrimLeft(clause, "ugoa")
		who := clause[:len(clause)-len(changes)]
		if changes == "" || strings.Trim(changes, "+-=rwxXstugo") != "" {
			continue
		}
		gives := false
		for _, r := range changes {
			switch {
			case r == '+' || r == '=':
				gives = true
			case r == '-':
				gives = false
			case gives && r == 's', gives && strings.ContainsRune("wug", r) && strings.ContainsAny(who, "oa"):
				return true
			}
		}
	}
	return false
}
