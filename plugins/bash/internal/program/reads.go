package program

import (
	"slices"
	"strings"
)

// ReadsOnly tells whether the use changes nothing and runs nothing else, as far
// as its words say; why is the reason for either answer, for a person. What the
// files it reads hold (secrets), and what configuration makes of it (Row.Repo),
// is for the caller to judge; the command that a plain wrapper runs (Row.Plain)
// is a use of its own.
func (u *Use) ReadsOnly() (ok bool, why string) {
	g := u.grammar
	switch {
	case !u.Known:
		return false, u.Program + " is not known to only read"
	case u.asksVersion():
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

// unplain says which word is not what it looks like: an expansion, or a glob that
// could turn into an option.
func (u *Use) unplain() string {
	ended := false
	for i, word := range u.Words[1:] {
		switch {
		case word.Text == "--" && word.Literal:
			ended = true
		case !word.Literal && !u.grammar.Loose, !word.Literal && i+1 < u.At:
			return u.Command() + " is given " + word.Text + ", which can be anything"
		case word.Glob && !u.grammar.Tame && !ended && strings.IndexAny(word.Text, "*?[{") == 0 && !(u.grammar.Dotless && dotted(word.Text)):
			return "a file found for " + word.Text + " could be taken for an option"
		}
	}
	return ""
}

// dotted tells whether every name that a glob stands for ends with a dot and
// something behind it.
func dotted(glob string) bool {
	return strings.Contains(glob[strings.LastIndexAny(glob, "*?]}")+1:], ".")
}

// ambiguous tells whether a value that is a word of its own would, read as an
// option, do more than read: which options take the next word differs between
// versions of a program.
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

// Access is what happens to a path.
type Access string

// The accesses, as the host names them.
const (
	ReadAccess  Access = "read"
	WriteAccess Access = "write"
	RunAccess   Access = "run"
)

// Touch is one path that a use touches, as written.
type Touch struct {
	Word   Word
	Access Access
	// Removes tells that the path itself goes away; Recursive that everything
	// below is meant, too.
	Removes, Recursive bool
	// Derived tells that the path is not written on the line as such (the file
	// that cp makes inside a directory).
	Derived bool
	// Spreads tells that files of any name are made inside the path.
	Spreads bool
}

// Hosts are the words that name other machines: host operands, and values of
// options. How a host is written in them differs by program.
func (u *Use) Hosts() []Word { return append(u.valued(namesHost), u.With(Host)...) }

// Starts are the directories in which options tell the program, or the command
// that it runs, to begin: each as seen from the one before it.
func (u *Use) Starts() []Word {
	in := strings.Fields(append(slices.Clip(u.above), u.grammar)[0].In)
	var out []Word
	for _, o := range u.Options {
		if o.Has && slices.Contains(in, o.Name) && (len(u.Sub) == 0 || o.At < u.At) {
			out = append(out, o.Value)
		}
	}
	return out
}

// Fetches tells whether the program brings files from elsewhere.
func (u *Use) Fetches() bool {
	return slices.ContainsFunc(append(slices.Clip(u.above), u.grammar), func(g *grammar) bool { return g.Fetches })
}

// Opened are the paths that options make the program read.
func (u *Use) Opened() []Word { return u.valued(readsPath) }

// Touches returns the paths that the use touches: what its options and operands
// name. The command that a wrapper runs is a use of its own.
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
			out = append(out, Touch{Word: o.Value, Access: ReadAccess})
		}
	}
	out = append(out, u.perhaps()...)
	if u.grammar.Touches != nil {
		return append(out, u.grammar.Touches(u)...)
	}
	deep := u.Deep()
	moved := slices.Contains(u.Roles, Place) || slices.ContainsFunc(u.Options, func(o Option) bool { return o.spec.is(standsLast) })
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
	return out
}

// perhaps returns what looks like a path in words that the row calls texts or
// knows nothing of (make X -- .env, upload --from=.env): what the program does with
// it nobody knows, so it counts as read. A use that only reads has told all of its
// own.
func (u *Use) perhaps() []Touch {
	var found []Word
	for i, r := range u.Roles {
		if r == Text || r == Reads && strings.HasPrefix(u.Operands[i].Text, "@") {
			found = append(found, u.Operands[i])
		}
	}
	for _, o := range u.Options {
		if o.Known {
			continue
		}
		if word := u.Words[o.At]; o.Has {
			found = append(found, o.Value)
		} else if len(word.Text) > 2 && word.Text[1] != '-' {
			found = append(found, word.from(word.Text[2:]))
		}
	}
	var out []Touch
	for _, word := range found {
		word = word.from(strings.TrimPrefix(word.Text, "@"))
		if looksLikePath(word.Text) {
			out = append(out, Touch{Word: word, Access: ReadAccess})
		}
	}
	if len(out) == 0 {
		return nil
	}
	if ok, _ := u.ReadsOnly(); ok {
		return nil
	}
	return out
}

// looksLikePath tells whether a word can hardly be anything but a path: it begins
// at the root, at home, or with a dot that a name or a slash follows.
func looksLikePath(text string) bool {
	if strings.ContainsAny(text, " \t\n*:,=()") {
		return false
	}
	begins := strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")
	return len(text) > 2 && (begins || text[0] == '.' && text[1] != '.')
}

// Deep tells whether the use acts on everything below its operands.
func (u *Use) Deep() bool {
	return slices.Contains(u.grammar.deep, "*") || u.Has(u.grammar.deep...)
}

// placed returns what is written when the operands before a place are put there.
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
		if strings.HasSuffix(src.Text, "/") { // BSD's cp puts there what the directory holds
			inside.Text = strings.TrimSuffix(place.Text, "/") + "/."
			out = append(out, Touch{Word: inside, Access: WriteAccess, Derived: true})
		}
	}
	return out
}

// LastName is the name under which a source is put into a directory; that of
// "x/." is the directory itself.
func LastName(p string) string {
	p = strings.TrimRight(p, "/")
	if name := p[strings.LastIndexByte(p, '/')+1:]; name != ".." {
		return name
	}
	return "."
}

// Sweeps tells whether the use changes files below its directory that it need
// not name.
func (u *Use) Sweeps() bool { return u.grammar.Sweeps != nil && u.grammar.Sweeps(u) }
