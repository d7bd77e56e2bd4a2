package program

import (
	"slices"
	"strings"
)

// makeAsks finds a makefile that is read from the input.
func makeAsks(u *Use) string {
	if slices.ContainsFunc(u.Values("-f"), func(w Word) bool { return IsInput(w.Text) }) || slices.ContainsFunc(u.Operands, func(w Word) bool { return w.Text == "-" }) {
		return u.Program + " runs whatever its input says"
	}
	return ""
}

// ccTouches returns a compiler's sources, and the files of options in "@FILE".
func ccTouches(u *Use) []Touch {
	var out []Touch
	for _, word := range u.Operands {
		word.Text = strings.TrimPrefix(word.Text, "@")
		out = append(out, Touch{Word: word, Access: ReadAccess})
	}
	return out
}

// needsEach is a judge that wants every one of the options, by the names that
// begin with two dashes.
func needsEach(options ...string) func(*Use) string {
	return func(u *Use) string {
		for _, option := range options {
			if !u.Has(option) && !(option == "--no-cache" && u.Has("-n")) {
				return u.Command() + " without " + option + " may change something"
			}
		}
		return ""
	}
}

// noProgramsOfItsOwn is for checkers that run others which they find.
func noProgramsOfItsOwn(u *Use) string {
	if u.Program == "actionlint" {
		return "actionlint runs shellcheck and pyflakes"
	}
	return ""
}

// fmtChecks wants terraform fmt to check only.
func fmtChecks(u *Use) string {
	for _, o := range u.Options {
		if o.Name == "-check" && (!o.Has || o.Value.Text == "true") {
			return ""
		}
	}
	return u.Command() + " without -check writes"
}
