package bash

import (
	"path"
	"slices"
	"strings"
)

// coveredBy reports the indices of the rules that together cover every command of
// the line, as an allow needs it; nil when they do not. inside reports whether
// a cd stays inside the working directories.
func (l *Line) coveredBy(rules []rule, world surroundings, inside func(*Command) bool) []int {
	if i := l.exactLine(rules); i >= 0 {
		return []int{i}
	}
	if l.Opaque != "" || l.Hidden != "" {
		return nil
	}
	var used []int
	for _, cmd := range l.Commands {
		if !cmd.stands() {
			continue // judged with its wrapper
		}
		if i := l.covering(rules, cmd); i >= 0 {
			used = append(used, i)
			continue
		}
		if ok, _ := l.readOnlyTree(cmd, world); !ok || changesDir(cmd.Name()) && !inside(cmd) {
			return nil
		}
	}
	slices.Sort(used)
	return slices.Compact(used)
}

// stands reports whether a command is judged by itself: nothing else runs it but
// the keyword time, which is no command.
func (c *Command) stands() bool {
	p := c.Parent
	for p != nil && p.keyword {
		p = p.Parent
	}
	return p == nil && !c.keyword
}

// exactLine returns the rule whose plain text is the whole line, or -1.
func (l *Line) exactLine(rules []rule) int {
	text := strings.TrimSpace(l.Text)
	plain := l.Opaque == "" || l.Opaque == patternProgram && l.reasons == 1
	if !plain && l.Setting.Dialect.analysed() || l.Hidden != "" || text == "" {
		return -1
	}
	return slices.IndexFunc(rules, func(r rule) bool { return r.kind == exactRule && r.text == text })
}

// readOnlyTree judges a command with everything it wraps.
func (l *Line) readOnlyTree(root *Command, world surroundings) (bool, string) {
	for _, cmd := range l.Commands {
		if cmd == root || cmd.within(root) {
			if ok, why := l.readOnly(cmd, world); !ok {
				return false, why
			}
		}
	}
	return true, ""
}

// within reports whether root runs cmd, directly or through other wrappers.
func (c *Command) within(root *Command) bool {
	for p := c.Parent; p != nil; p = p.Parent {
		if p == root {
			return true
		}
	}
	return false
}

// covering returns the first rule that covers cmd with all it wraps, or -1.
func (l *Line) covering(rules []rule, cmd *Command) int {
	if !coverable(cmd) {
		return -1
	}
	for i := range rules {
		if l.covers(&rules[i], cmd) {
			return i
		}
	}
	return -1
}

// coverable reports whether a rule may cover cmd at all: a literal program, no
// write redirection, no input from the network.
func coverable(cmd *Command) bool {
	if len(cmd.Words) == 0 || !cmd.Words[0].Literal || cmd.Words[0].Glob {
		return false
	}
	for _, r := range cmd.Redirects {
		if !r.Word.Literal || r.Write && !harmlessDevice(r.Word.Text) || strings.HasPrefix(r.Word.Text, "/dev/tcp/") || strings.HasPrefix(r.Word.Text, "/dev/udp/") {
			return false
		}
	}
	return true
}

// covers reports whether one allow rule covers cmd. What its text does not
// show it does not cover: a wrapped program must be part of the prefix. Of many
// rules most fail by their texts, which are compared first.
func (l *Line) covers(r *rule, cmd *Command) bool {
	shown := 0
	plain := !cmd.Words[0].Quoted // nobody writes n\pm but to be misread
	switch r.kind {
	case exactRule:
		if r.text == cmd.Source {
			return true
		}
		if !plain || len(cmd.Assigns) > 0 || len(r.words) != len(cmd.Words) || !spells(r.words, cmd.Words) {
			return false
		}
	case prefixRule:
		if !plain || !spells(r.words, cmd.Words) {
			return false
		}
		shown = len(r.words)
	case globRule:
		if !globMatch(r.text, cmd.Source) && !(plain && globMatch(r.text, cmd.joined())) || !allLiteral(cmd.Words) {
			return false
		}
		shown = r.fixed
	default:
		return false
	}
	return safeAssigns(cmd) && !setsVariables(cmd) && (r.kind == exactRule || l.shows(cmd, shown))
}

// spells reports whether words begin with want, and are just what they look like
// so far.
func spells(want []string, words []Word) bool {
	if len(want) > len(words) {
		return false
	}
	for i, text := range want {
		if w := &words[i]; w.Text != text || !w.Literal {
			return false
		}
	}
	return true
}

// setsVariables reports whether a command gives variables of the shell a value,
// so that what follows may mean something else.
func setsVariables(cmd *Command) bool {
	args := cmd.Args()
	switch cmd.Name() {
	case "export", "declare", "typeset", "local", "readonly", "integer", "float", "unset", "read", "mapfile", "readarray", "getopts", "vared":
		return len(args) > 0
	case "printf", "wait":
		return slices.ContainsFunc(args, func(w Word) bool {
			return strings.HasPrefix(w.Text, "-v") || strings.HasPrefix(w.Text, "-p")
		})
	}
	return false
}

// allLiteral reports whether words are just what they look like.
func allLiteral(words []Word) bool {
	return !slices.ContainsFunc(words, func(w Word) bool { return !w.Literal })
}

// shows reports whether the first n words of cmd show every program that it
// runs, wrapped ones included.
func (l *Line) shows(cmd *Command, n int) bool {
	if cmd.Wraps && cmd.Inner == 0 {
		return false // it runs a script
	}
	for _, inner := range l.Commands {
		if inner.within(cmd) && (inner.Offset < 0 || inner.Offset-cmd.Offset >= n || len(inner.Words) > 0 && inner.Words[0].Quoted) {
			return false
		}
	}
	return true
}

// joined returns the words of the command with one blank between them. Blanks
// inside a word become NUL, so that only a star can stand for them.
func (c *Command) joined() string {
	if c.joint == "" {
		c.joint = strings.Join(c.unblanked(), " ")
	}
	return c.joint
}

// joinedBase is joined with the program's name without its directory.
func (c *Command) joinedBase() string {
	if c.jointBase == "" && len(c.Words) > 0 {
		words := c.unblanked()
		words[0] = c.Name()
		c.jointBase = strings.Join(words, " ")
	}
	return c.jointBase
}

func (c *Command) unblanked() []string {
	words := texts(c.Words)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, " ", "\x00")
	}
	return words
}

// hitBy reports whether a deny or ask rule matches: some command of the line,
// however it is wrapped or spelt, is one that the rule names.
func (l *Line) hitBy(r rule) bool {
	if l.Opaque != "" {
		return l.Setting.Dialect.analysed() || r.kind == exactRule && r.text == strings.TrimSpace(l.Text)
	}
	if r.kind == exactRule && r.text == strings.TrimSpace(l.Text) {
		return true
	}
	return slices.ContainsFunc(l.Commands, func(cmd *Command) bool { return hits(&r, cmd) }) || len(r.leading()) > 0 && among(r.leading(), l.written())
}

// written returns the words of the line when it runs a file that it has written
// itself, so that its text is the code; kept because every rule asks for them.
func (l *Line) written() []string {
	if !l.writtenRead {
		l.writtenRead = true
		if l.runsWhatItWrites() {
			l.writtenWords = strings.FieldsFunc(l.Text, betweenWords)
		}
	}
	return l.writtenWords
}

// runsWhatItWrites reports whether the line runs a file that it has written itself.
func (l *Line) runsWhatItWrites() bool {
	var made []string
	for _, cmd := range l.Commands {
		for _, t := range l.touches(cmd) {
			switch {
			case t.path == "":
			case t.access == write:
				made = append(made, path.Clean(t.path))
			case t.access == run && slices.Contains(made, path.Clean(t.path)):
				return true
			}
		}
	}
	return false
}

func hits(r *rule, cmd *Command) bool {
	if mentioned(r, cmd) || carried(r, cmd) {
		return true
	}
	if unfolded := cmd.unfolded(); unfolded != nil && hits(r, unfolded) {
		return true
	}
	if len(cmd.Words) == 0 {
		return false
	}
	switch r.kind {
	case exactRule:
		return r.text == cmd.Source || standTogether(r.words, cmd) || spelt(r, cmd, true)
	case prefixRule:
		return leads(r.words, cmd) || spelt(r, cmd, false)
	case globRule:
		return globMatch(r.text, cmd.joined()) || globMatch(r.text, cmd.joinedBase()) ||
			globMatch(r.text, strings.ReplaceAll(cmd.joinedBase(), "\x00", " ")) || globMatch(r.text, cmd.Source)
	}
	return false
}

// unfolded returns the command with the words that its braces stand for (git
// {push,x}); nil when it has none.
func (c *Command) unfolded() *Command {
	if !slices.ContainsFunc(c.Words, func(w Word) bool { return w.Brace }) {
		return nil
	}
	out := &Command{Source: c.Source}
	for _, word := range c.Words {
		if !word.Brace {
			out.Words = append(out.Words, word)
			continue
		}
		list := expandBraces(word.Text)
		for _, text := range list {
			out.Words = append(out.Words, Word{Text: text, Literal: word.Literal && !strings.Contains(text, ".."), Glob: strings.ContainsAny(text, "*?[")})
		}
		if list == nil {
			out.Words = append(out.Words, Word{Text: word.Text})
		}
	}
	return out
}

// same reports whether a word of the line can be the word of a rule. An
// expansion can be anything.
func same(want string, word Word) bool {
	if !word.Literal || word.Text == want {
		return true
	}
	if !word.Glob {
		return false
	}
	found, err := path.Match(word.Text, want)
	return found || err != nil || globMatch(word.Text, want)
}

func sameProgram(want string, cmd *Command) bool {
	return cmd.Words[0].Text == want || cmd.Name() == want
}

// leads reports whether the rule's words are the first words of cmd.
func leads(words []string, cmd *Command) bool {
	if len(words) == 0 || len(words) > len(cmd.Words) || !sameProgram(words[0], cmd) {
		return false
	}
	for i, want := range words[1:] {
		if !same(want, cmd.Words[i+1]) {
			return false
		}
	}
	return true
}

// standTogether reports whether the rule's words stand together, in order,
// somewhere in cmd. The first of them must stand there literally.
func standTogether(words []string, cmd *Command) bool {
	for at := range cmd.Words {
		if len(words) == 0 || at+len(words) > len(cmd.Words) {
			return false
		}
		first := cmd.Words[at].Literal && cmd.Words[at].Text == words[0] || at == 0 && sameProgram(words[0], cmd)
		if !first {
			continue
		}
		all := true
		for i, want := range words[1:] {
			all = all && same(want, cmd.Words[at+1+i])
		}
		if all {
			return true
		}
	}
	return false
}
