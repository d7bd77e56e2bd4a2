package program

import "strings"

// dockerCopies is docker's cp, one end of which is on this machine.
func dockerCopies(name string) Row {
	r := acting(name, "t t", " -a|--archive -L|--follow-link -q|--quiet --overwrite")
	r.Touches = copiedOut
	return r
}

// kubeCopies is kubectl's cp.
func kubeCopies(name string) Row {
	r := acting(name, "t t", " -c|--container= --no-preserve=? --retries=")
	r.Touches = copiedOut
	return r
}

// copiedOut tells the end of a copy that is on this machine: the one without a
// colon, or one that is plainly a path.
func copiedOut(u *Use) []Touch {
	var out []Touch
	for i, word := range u.Operands {
		if name, _, remote := strings.Cut(word.Text, ":"); remote && !strings.Contains(name, "/") && !strings.HasPrefix(name, ".") || word.Text == "-" {
			continue
		}
		if i == 0 {
			out = append(out, Touch{Word: word, Access: ReadAccess})
		} else {
			out = append(out, Touch{Word: word, Access: WriteAccess, Spreads: true})
		}
	}
	return out
}

// kubeShows refuses secrets, and formats that are read from files.
func kubeShows(u *Use) string {
	for _, word := range u.Operands {
		for _, kind := range strings.FieldsFunc(strings.ToLower(word.Text), func(r rune) bool { return r == ',' || r == '/' || r == '.' }) {
			if strings.HasPrefix(kind, "secret") || strings.HasPrefix(kind, "sealedsecret") {
				return u.Command() + " of " + word.Text + " shows secrets"
			}
		}
	}
	for _, format := range u.Values("-o") {
		if strings.Contains(format.Text, "file") {
			return u.Command() + " with a format from a file"
		}
	}
	return ""
}

// composeLocal wants files of this machine: others are fetched.
func composeLocal(u *Use) string {
	for _, file := range u.Values("-f") {
		if strings.Contains(file.Text, ":") {
			return u.Command() + " fetches " + file.Text
		}
	}
	return ""
}
