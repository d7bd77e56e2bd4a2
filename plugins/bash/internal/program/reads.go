package program

import (
	"slices"
	"strings"
)

// ReadsOnly reports whether the use changes nothing and runs nothing else, as far as its words
// say; why is the reason for either answer, for a person. The caller judges the files
// (secrets), and configuration (Row.Repo); the command inside a plain wrapper (Row.Plain) is a
// use of its own.
func (u *Use) ReadsOnly() (ok bool, why string) {
	g := u.grammar
	switch {
	case !u.Known:
		return false, u.Program + " is not known to only read"
	case u.asksVersion(), u.asksHelp():
		return true, u.Program + " prints its version or help"
	case u.Strange:
		return false, u.Command() + " is not known to only read"
	case g.Reads == "":
		return false, u.Command() + " is not known to only read"
	}
	if why := u.unplain(); why != "" {
		return false, why
	}
	for _, o := range u.Options {
		switch {
		case !o.Known:
			return false, u.Command() + " with " + o.Name + " is not known to only read"
		case o.spec.is(acts), o.spec.is(runsScript | runsCode):
			return false, u.Command() + " with " + o.Name + " does more than read"
		case o.Has && o.spec.is(writesPath|writesInto):
			return false, u.Command() + " with " + o.Name + " writes to " + o.Value.Text
		case o.Has && u.ambiguous(o.Value):
			return false, u.Command() + " with " + o.Value.Text + " may do more than read"
		}
	}
	for i, r := range u.Roles {
		switch r {
		case Text, Script, Reads, Host:
		case Writes:
			if !u.Operands[i].Literal || u.Operands[i].Text != "/dev/null" {
				return false, u.Command() + " writes to " + u.Operands[i].Text
			}
		case Extra:
			return false, u.Command() + " with the operand " + u.Operands[i].Text + " is not known to only read"
		default:
			return false, u.Command() + " does more than read " + u.Operands[i].Text
		}
	}
	if u.Inner > 0 && !g.Plain || len(u.lines) > 0 {
		return false, u.Command() + " runs another program"
	}
	for _, g := range append(slices.Clip(u.above), g) {
		if g.Unless == nil {
			continue
		}
		if why := g.Unless(u); why != "" {
			return false, why
		}
	}
	return true, g.Reads
}

// unplain returns a word that is not literal: an expansion, or a glob that could turn into an
// option.
func (u *Use) unplain() string {
	ended := false
	for i, word := range u.Words[1:] {
		switch {
		case word.Text == "--" && word.Literal:
			ended = true
		case !word.Literal && !u.takes(i+1):
			return u.Command() + " is given " + word.Text + ", which can be anything"
		case word.Glob && !u.grammar.Tame && !ended && strings.IndexAny(word.Text, "*?[{") == 0 && !(u.grammar.Dotless && dotted(word.Text)):
			return "a file found for " + word.Text + " could be taken for an option"
		}
	}
	return ""
}

// takes reports whether the use only reads for any value of word i, which is not literal: it is
// printed, is output of commands on the line, is a text or a name unlike any option, or belongs
// to a program that shows only names for any word.
func (u *Use) takes(i int) bool {
	word, role := u.Words[i], u.roleAt(i)
	switch {
	case i < u.At:
		return false
	case u.grammar.Loose:
		return true
	case word.Sums && !word.Splits:
		return role == Script && u.Program == "sed" // sedActs reads the script
	case word.Output:
		return role == Reads || u.valueAt(i).is(readsPath) && !u.valueAt(i).is(acts)
	case word.Plain:
		return role == Text || role == Reads && u.Program == "git" && !strings.Contains(word.Text, ":") || role == 0 && u.valueAt(i).is(takesValue) && !u.valueAt(i).is(^(takesValue|onlyAttached))
	case u.grammar.Names && u.grammar.Tame && u.grammar.namesAlone():
		return true
	case word.Files:
		return u.grammar.Tame && role == Reads && !u.Shows()
	case !u.Fixed(i):
		return false
	}
	return role == Text || role == Reads && !u.Shows() || role == 0 && u.valueAt(i).is(takesValue) && !u.valueAt(i).is(^(takesValue|onlyAttached))
}

// Fixed reports whether word i, which is not literal, is always one word and no option: it
// stands behind "--", begins with something else, or is the value of an option.
func (u *Use) Fixed(i int) bool {
	word := u.Words[i]
	if word.Splits || word.Output {
		return false
	}
	ended := slices.ContainsFunc(u.Words[:i], func(w Word) bool { return w.Literal && w.Text == "--" })
	return ended || strings.IndexAny(word.Text, "-$`<") != 0 || u.valueAt(i) != nil
}

// roleAt returns the role of word i as an operand; 0 for another word.
func (u *Use) roleAt(i int) Role {
	if at := slices.Index(u.ats, i); at >= 0 && at < len(u.Roles) {
		return u.Roles[at]
	}
	return 0
}

// valueAt returns the option with word i as its value, or with one behind "="; nil for another
// word.
func (u *Use) valueAt(i int) *spec {
	for _, o := range u.Options {
		attached := o.At == i && strings.HasPrefix(u.Words[i].Text, o.Name+"=")
		if o.Has && o.Known && o.spec.is(takesValue) && !o.spec.is(twoWords) && (attached || o.At == i-1 && o.Value.Text == u.Words[i].Text && !o.spec.is(onlyAttached)) {
			return o.spec
		}
	}
	return nil
}

// namesAlone tells whether no word at all makes the program show contents of files,
// or fail to take any number of words.
func (g *grammar) namesAlone() bool {
	if len(g.roles) != 1 || !g.roles[0].many || g.Listed != "" || g.Unless != nil || g.Commands {
		return false
	}
	return !slices.ContainsFunc(g.options.list, func(s spelling) bool {
		return s.spec.is(readsPath | writesPath | writesInto | runsScript | runsCode | runsWords | namesHost | acts)
	})
}

// dotted reports whether every expansion of a glob ends with a dot and something behind it.
func dotted(glob string) bool {
	return strings.Contains(glob[strings.LastIndexAny(glob, "*?]}")+1:], ".")
}

// ambiguous reports whether a value in a word of its own would, read as an option, do more than
// read: versions of a program differ in the options with a value.
func (u *Use) ambiguous(value Word) bool {
	if !strings.HasPrefix(value.Text, "-") || !slices.ContainsFunc(u.Words, func(w Word) bool { return w.Text == value.Text }) {
		return false
	}
	return slices.ContainsFunc(append(slices.Clip(u.above), u.grammar), func(g *grammar) bool { return !g.OneDash && g.actsAlone(value.Text) })
}

// actsAlone tells whether a word, read as an option, would do more than read.
func (g *grammar) actsAlone(text string) bool {
	if len(text) < 2 || text[0] != '-' {
		return false
	}
	name, _, _ := strings.Cut(text, "=")
	found := g.spelled(name)
	if !strings.HasPrefix(text, "--") {
		found = append(found, g.options.find(text[:2]))
	}
	return slices.ContainsFunc(found, func(s *spec) bool { return s.is(acts | writesPath | writesInto | runsScript) })
}

// Access is the use of a path.
type Access string

// The accesses, as the host names them.
const (
	ReadAccess  Access = "read"
	WriteAccess Access = "write"
	RunAccess   Access = "run"
)

// Touch is one path touched by a use, as written.
type Touch struct {
	Word   Word
	Access Access
	// Removes means: the path itself is removed; Recursive: everything below it is included.
	Removes, Recursive bool
	// Derived means: the path is not written on the line as such (the file made by cp inside a
	// directory).
	Derived bool
	// Spreads means: files of any name are made inside the path.
	Spreads bool
	// Rooted means: the path is relative to the root of the repository, the program's directory
	// or one above it.
	Rooted bool
	// Start means: the program starts in this directory (git -C).
	Start bool
	// Here means: no word names the path, the program's own directory.
	Here bool
}

// Hosts are the words for other machines: host operands, and values of options. The form of a
// host differs by program.
func (u *Use) Hosts() []Word { return append(u.valued(namesHost), u.With(Host)...) }

// Starts are the start directories given by options for the program, or the command inside:
// each relative to the one before it.
func (u *Use) Starts() []Word {
	var out []Word
	for _, o := range u.Options {
		if u.starts(o) {
			out = append(out, o.Value)
		}
	}
	return out
}

// starts tells whether an option names such a directory.
func (u *Use) starts(o Option) bool {
	in := append(slices.Clip(u.above), u.grammar)[0].In
	return o.Has && in != "" && slices.Contains(strings.Fields(in), o.Name) && (len(u.Sub) == 0 || o.At < u.At)
}

// Fetches tells whether the program brings files from elsewhere.
func (u *Use) Fetches() bool {
	return slices.ContainsFunc(append(slices.Clip(u.above), u.grammar), func(g *grammar) bool { return g.Fetches })
}

// Shows tells whether the contents of the operands may appear in the output, and
// not only names and facts.
func (u *Use) Shows() bool { return !u.grammar.Names || u.Has(strings.Fields(u.grammar.Listed)...) }

// Opened are the paths read because of options.
func (u *Use) Opened() []Word { return u.valued(readsPath) }

// OpenedToShow are those of Opened with contents that may appear in the output.
func (u *Use) OpenedToShow() []Word {
	facts := u.Values(strings.Fields(u.grammar.Facts)...)
	return slices.DeleteFunc(u.Opened(), func(w Word) bool {
		return u.grammar.Names && slices.ContainsFunc(facts, func(f Word) bool { return f.Text == w.Text })
	})
}

// Touches returns the paths in the options and operands of the use. The command inside a
// wrapper is a use of its own.
func (u *Use) Touches() []Touch {
	var out []Touch
	for _, o := range u.Options {
		if !o.Has {
			continue
		}
		switch {
		case o.spec.is(writesInto):
			out = append(out, Touch{Word: o.Value, Access: WriteAccess, Spreads: true})
		case o.spec.is(standsLast):
			out = append(out, u.placed(o.Value)...)
		case o.spec.is(writesPath):
			out = append(out, Touch{Word: o.Value, Access: WriteAccess})
		}
		if o.spec.is(readsPath) {
			out = append(out, Touch{Word: o.Value, Access: ReadAccess, Start: u.starts(o)})
		}
	}
	if u.grammar.Touches != nil {
		return append(out, u.grammar.Touches(u)...)
	}
	deep := u.Deep()
	moved := u.Carries()
	for i, r := range u.Roles {
		word := u.Operands[i]
		switch r {
		case Reads, Extra:
			out = append(out, Touch{Word: word, Access: ReadAccess, Recursive: deep})
		case Writes:
			out = append(out, Touch{Word: word, Access: WriteAccess, Recursive: deep})
		case Removes:
			if moved {
				out = append(out, Touch{Word: word, Access: ReadAccess})
			}
			out = append(out, Touch{Word: word, Access: WriteAccess, Removes: true, Recursive: deep})
		case Runs:
			out = append(out, Touch{Word: word, Access: RunAccess})
		case Into:
			out = append(out, Touch{Word: word, Access: WriteAccess, Spreads: true})
		case Place:
			out = append(out, u.placed(word)...)
		}
	}
	if u.readsHere() {
		out = append(out, Touch{Word: here(), Access: ReadAccess, Recursive: deep, Here: true})
	}
	return out
}

// readsHere reports whether the use reads its own directory: the program does, and no operand
// names another place.
func (u *Use) readsHere() bool {
	options := u.grammar.Here
	return options != "" && (options == "*" || u.Has(strings.Fields(options)...)) && len(u.With(Reads)) == 0
}

// Filters are the globs choosing among the files read, without those that leave files out.
func (u *Use) Filters() []Word {
	var out []Word
	for _, word := range u.Values(strings.Fields(u.grammar.Filters)...) {
		if u.Program == "rg" { // a type's definition, NAME:GLOB
			_, glob, found := strings.Cut(word.Text, ":")
			if found {
				word.Text = glob
			}
		}
		if !strings.HasPrefix(word.Text, "!") {
			out = append(out, word)
		}
	}
	return out
}

// Deep tells whether the use acts on everything below its operands.
func (u *Use) Deep() bool {
	return slices.Contains(u.grammar.deep, "*") || u.Has(u.grammar.deep...)
}

// Follows tells whether the use follows links below its operands.
func (u *Use) Follows() bool {
	options := u.grammar.Follows
	return options != "" && u.Deep() && (options == "*" || u.Has(strings.Fields(options)...))
}

// Carries tells whether the use puts operands, or files below them, at another place: cp, mv.
func (u *Use) Carries() bool {
	return slices.Contains(u.Roles, Place) || slices.ContainsFunc(u.Options, func(o Option) bool { return o.spec.is(standsLast) })
}

// placed returns the files written when the operands before a place are put there.
func (u *Use) placed(place Word) []Touch {
	out := []Touch{{Word: place, Access: WriteAccess}}
	for i, r := range u.Roles {
		src := u.Operands[i]
		if r == Place || r == Text || !src.Literal || u.Has("-T") {
			continue
		}
		inside := place
		inside.Text = strings.TrimSuffix(place.Text, "/") + "/" + LastName(src.Text)
		inside.Glob, inside.Brace = place.Glob || src.Glob, place.Brace || src.Brace
		out = append(out, Touch{Word: inside, Access: WriteAccess, Derived: true})
		if strings.HasSuffix(src.Text, "/") { // BSD's cp puts the contents of the directory there
			inside.Text = strings.TrimSuffix(place.Text, "/") + "/."
			out = append(out, Touch{Word: inside, Access: WriteAccess, Derived: true})
		}
	}
	return out
}

// LastName is the name of a source inside its destination directory; "x/." is the directory
// itself.
func LastName(p string) string {
	p = strings.TrimRight(p, "/")
	if name := p[strings.LastIndexByte(p, '/')+1:]; name != ".." {
		return name
	}
	return "."
}

// Sweeps reports whether the use changes files below its directory without naming them.
func (u *Use) Sweeps() bool { return u.grammar.Sweeps != nil && u.grammar.Sweeps(u) }
