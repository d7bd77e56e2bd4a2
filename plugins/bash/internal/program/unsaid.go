package program

import (
	"slices"
	"strings"
)

// Unsaid are the words of a use that may name a file or a host without a statement in its row.
// Deny and ask rules about files and hosts look at them, and so does the protection of the gate
// itself: a word too many costs a question, and no allowance ever rests on one. RATIONALE.md,
// "Why do deny rules read the same marks as self-protection?".
type Unsaid struct {
	// Any are words with any possible meaning: of a program without a row, behind an option
	// without one, arguments of code run by the program, operands of an action without a row.
	Any []Word
	// Parts are texts according to the row. Of those, a part counts if it looks like a path or
	// stands behind a separator (--mount type=bind,src=DIR).
	Parts []Word
	// Changed are paths read according to the row, where an option or the program itself may
	// change them (gofmt -w FILE), and the directories it starts in (make -C DIR).
	Changed []Word
	// Scripts are programs in unparsed languages, with possible paths between quotes.
	Scripts []Word
}

// Unsaid returns them. A use that only reads has none.
func (u *Use) Unsaid() Unsaid {
	if ok, _ := u.ReadsOnly(); ok {
		return Unsaid{}
	}
	var out Unsaid
	if u.Strange {
		out.Parts = append(out.Parts, u.Words[u.At-1])
	}
	for i, r := range u.Roles {
		word := u.Operands[i]
		switch r {
		case Reads, Extra:
			switch {
			case !u.Known || u.Strange && u.Program != "git":
				out.Any = append(out.Any, word)
			case u.changes():
				out.Changed = append(out.Changed, word)
			}
			if strings.HasPrefix(word.Text, "@") {
				out.Parts = append(out.Parts, word)
			}
		case Script:
			if !u.readsScript() {
				out.Scripts = append(out.Scripts, word)
			}
		case Text, Assign:
			switch {
			case u.runsAny() && !u.isGoal(i):
				out.Any = append(out.Any, word)
			case r == Text && i > 0 && u.grammar.Verb && len(u.Sub) == 0 && !u.isGoal(i):
				// The action has no row of its own (gsutil cp SOURCE DIR).
				out.Any = append(out.Any, word)
			case u.Program != "git" || u.Strange:
				out.Parts = append(out.Parts, word)
			}
		case Host:
			out.Parts = append(out.Parts, word)
		case Writes:
			// A program with commands of its own can also show the file that it changes.
			if u.grammar.Terminal {
				out.Changed = append(out.Changed, word)
			}
		case Line, Removes, Runs, Into, Place:
		}
	}
	out.Changed = append(out.Changed, u.Values(strings.Fields(u.grammars()[0].In)...)...)
	for _, o := range u.Options {
		word := u.Words[o.At]
		if o.spec.is(twoWords) && o.At+1 < len(u.Words) {
			out.Parts = append(out.Parts, u.Words[o.At+1])
		}
		switch {
		case u.isProse(o):
		case o.Has && o.Known && !o.spec.is(readsPath|writesPath|writesInto|runsScript|runsWords|namesHost):
			out.Parts = append(out.Parts, o.Value)
		case o.Known:
		case o.Has:
			out.Any = append(out.Any, o.Value)
		case len(word.Text) > 2 && word.Text[1] != '-':
			out.Any = append(out.Any, word.from(word.Text[2:]))
		}
	}
	return out
}

// proseOptions are the long names of options with prose.
var proseOptions = []string{"--message", "--title", "--body", "--description", "--comment", "--notes", "--subject"}

// isProse tells whether people read the value of an option.
func (u *Use) isProse(o Option) bool {
	return slices.ContainsFunc(proseOptions, func(name string) bool {
		return o.Name == name || o.spec != nil && u.grammar.options.find(name) == o.spec
	})
}

// changes reports whether a path read according to the row may be changed: the sub-command is
// unknown, or a reader has an acting option or does more than read without one (ruff format).
func (u *Use) changes() bool {
	if u.Strange {
		return true
	}
	if u.grammar.Reads != "" && u.grammar.Unless != nil && u.grammar.Unless(u) != "" {
		return true
	}
	return (u.grammar.Reads != "" || u.grammar.Project) && slices.ContainsFunc(u.Options, func(o Option) bool { return !o.Known || o.spec.is(acts) })
}

// runsAny reports whether the texts among the operands are arguments of unknown code.
func (u *Use) runsAny() bool {
	g := u.grammar
	return !u.Known || u.Strange && u.Program != "git" || g.Project || g.Terminal || u.Runs()
}

// readsScript reports whether files named by a script are read from it: sed's are, unless it
// runs programs.
func (u *Use) readsScript() bool { return strings.HasSuffix(u.Program, "sed") && u.Asked() == "" }

// isGoal reports whether operand i names the action (a make target, an npm script). Programs
// stopping at it hand the rest to the script; a word behind an unknown option may be its value.
func (u *Use) isGoal(i int) bool {
	if !u.grammar.Verb || strings.ContainsAny(u.Operands[i].Text, "=/") {
		return false
	}
	if at := u.Index(i) - 1; slices.ContainsFunc(u.Options, func(o Option) bool { return o.At == at && !o.Known && !o.Has }) {
		return false
	}
	return i == 0 || u.grammar.Project && !u.grammar.Stop
}

// Connects reports whether the program talks to other machines.
func (u *Use) Connects() bool {
	return slices.ContainsFunc(u.grammar.roles, func(r role) bool { return r.Role == Host }) || strings.Contains(u.grammar.Options, "=@")
}

// Listing tells whether the use takes names of files from a list: the value of an
// option, or its input.
func (u *Use) Listing() bool {
	names := u.grammar.Lists
	return names != "" && (names == "*" || u.Has(strings.Fields(names)...))
}

// Lists are the files with such lists; nil where the input is one.
func (u *Use) Lists() []Word {
	var out []Word
	for _, word := range u.Values(strings.Fields(u.grammar.Lists)...) {
		if !IsInput(word.Text) {
			out = append(out, word)
		}
	}
	return out
}
