package bash

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// coveredBy returns the indices of the rules covering together every command of the line, for
// an allow; nil when they do not. inside reports whether a cd stays inside the working
// directories.
func (l *Line) coveredBy(rules []rule, world surroundings, inside func(*Command) bool) []int {
	if i := l.exactLine(rules); i >= 0 {
		return []int{i}
	}
	if i := l.begunBy(rules, world); i >= 0 {
		return []int{i}
	}
	if l.Opaque != "" || l.Hidden != "" {
		return nil
	}
	var used []int
	edits := slices.IndexFunc(rules, func(r rule) bool { return r.kind == editRule })
	if edits >= 0 && world.editsBeside() {
		l.outputs = world.putsOutput
		defer func() { l.outputs = nil }()
	} else {
		edits = -1
	}
	for _, cmd := range l.Commands {
		if edits >= 0 && l.writesOutput(cmd) {
			used = append(used, edits)
		}
		if !cmd.stands() {
			continue // judged with its wrapper
		}
		by, ok := l.coveredTree(rules, cmd, world, inside)
		if !ok && edits >= 0 && world.edited(cmd) {
			by, ok = []int{edits}, true
		}
		if !ok {
			return nil
		}
		used = append(used, by...)
	}
	slices.Sort(used)
	return slices.Compact(used)
}

// coveredTree returns the rules that cover cmd with the commands inside it; none where it only
// reads. The command inside timeout and its like may have a rule of its own.
func (l *Line) coveredTree(rules []rule, cmd *Command, world surroundings, inside func(*Command) bool) (used []int, ok bool) {
	if i := l.covering(rules, cmd, world); i >= 0 {
		return []int{i}, true
	}
	if ok, _ := l.readOnlyTree(cmd, world); ok && safeAssigns(cmd) && !l.heedsPlaced(cmd) && (!changesDir(cmd.Name()) || inside(cmd)) {
		return nil, true
	}
	if inner := l.forwarded(cmd); inner != nil && !program.Remover(inner.Name()) {
		return l.coveredTree(rules, inner, world, inside)
	}
	return nil, false
}

// forwarded returns the command that cmd runs unchanged, so a rule for it covers the same
// thing: behind timeout, nice, env with harmless variables. Nil when cmd is none of them, or
// does more.
func (l *Line) forwarded(cmd *Command) *Command {
	u := cmd.Use()
	if !u.Forwards() || !cmd.Wraps || cmd.Inner == 0 || cmd.Words[0].Quoted || !trusted(cmd) || !safeAssigns(cmd) || !l.coverable(cmd) {
		return nil
	}
	for _, inner := range l.Commands {
		if inner.Parent == cmd {
			return inner
		}
	}
	return nil
}

// stands reports whether a command is judged by itself: only the shell runs it, or the keyword
// time, which is no command.
func (c *Command) stands() bool {
	p := c.Parent
	for p != nil && p.keyword {
		p = p.Parent
	}
	return p == nil && !c.keyword
}

// exactLine returns the rule with the whole line as plain text, or -1.
func (l *Line) exactLine(rules []rule) int {
	text := strings.TrimSpace(l.Text)
	plain := !l.Shut() || l.Opaque == patternProgram && l.reasons == 1
	if !plain && l.Setting.Dialect.analysed() || text == "" {
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

// heedsPlaced reports whether a command of the line puts files into the working tree that may make
// root run code: a module beside code on the line, and the configuration of another directory.
// git switch x && cd sub && git status runs what a repository in sub on that branch names.
func (l *Line) heedsPlaced(root *Command) bool {
	return slices.ContainsFunc(l.Commands, func(placer *Command) bool {
		row := placer.Use().Row()
		unpacks := row.Makes && row.Fetches // it may write the configuration of this directory, too
		return placer != root && !placer.within(root) && (unpacks || placer.Use().Sweeps()) && slices.ContainsFunc(l.Commands, func(cmd *Command) bool {
			if cmd != root && !cmd.within(root) {
				return false
			}
			heeds, _ := cmd.Use().Heeds()
			return cmd.Inline || heeds && !(!unpacks && slices.Equal(cmd.Dirs, placer.Dirs) && slices.Equal(texts(cmd.Use().Starts()), texts(placer.Use().Starts())))
		})
	})
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

// covering returns the first rule that covers cmd with all commands inside it, or -1.
func (l *Line) covering(rules []rule, cmd *Command, world surroundings) int {
	if !l.coverable(cmd) {
		return -1
	}
	for i := range rules {
		if l.covers(&rules[i], cmd, world) {
			return i
		}
	}
	return -1
}

// coverable reports whether a rule may cover cmd at all: a literal program, no write
// redirection but into files covered by a rule for edits, no input from the network, and no computed word unless it is a single word and
// no option.
func (l *Line) coverable(cmd *Command) bool {
	return l.plainlyRun(cmd) && (!l.writesOutput(cmd) || l.outputs != nil && l.outputs(cmd))
}

// writesOutput reports whether a redirection of cmd writes a file.
func (l *Line) writesOutput(cmd *Command) bool {
	return slices.ContainsFunc(cmd.Redirects, func(r Redirect) bool { return r.Write && !l.harmless(r.Word.Text) })
}

// plainlyRun is coverable, with write redirections permitted.
func (l *Line) plainlyRun(cmd *Command) bool {
	if len(cmd.Words) == 0 || !cmd.Words[0].Literal || cmd.Words[0].Glob {
		return false
	}
	for i, w := range cmd.Words {
		if w.Computed && !cmd.Use().Fixed(i) {
			return false
		}
	}
	for _, r := range cmd.Redirects {
		if !r.Word.Literal || strings.HasPrefix(r.Word.Text, "/dev/tcp/") || strings.HasPrefix(r.Word.Text, "/dev/udp/") {
			return false
		}
	}
	return true
}

// covers reports whether one allow rule covers cmd. It covers only what its text shows: a
// wrapped program, and a word that chooses another program, configuration or output, must be
// part of the prefix. Most rules fail by their texts, so these are compared first.
func (l *Line) covers(r *rule, cmd *Command, world surroundings) bool {
	shown := 0
	plain := !cmd.Words[0].Quoted // n\pm is written only to be misread
	switch r.kind {
	case exactRule:
		if r.text == cmd.Source {
			return true
		}
		if !plain || len(cmd.Assigns) > 0 || !slices.Equal(r.words, texts(cmd.Words)) || !allLiteral(cmd.Words) {
			return false
		}
	case prefixRule:
		if shown = l.spelled(r, cmd, world); !plain || shown == 0 || !r.leaves(l, cmd, shown) {
			return false
		}
	case globRule:
		if !globMatch(r.text, cmd.Source) && !(plain && globMatch(r.text, cmd.joined())) || !allLiteral(cmd.Words) {
			return false
		}
		shown = r.fixed
	case requestRule:
		return r.requests(cmd)
	case postRule:
		return r.post.covers(cmd)
	case placeRule:
		return r.place.covers(l, cmd, world)
	default:
		return false
	}
	if !safeAssigns(cmd) && !(r.kind == prefixRule && namedAssigns(cmd, r.words[:min(shown, len(r.words))])) {
		return false
	}
	return !setsVariables(cmd) && (r.kind == exactRule || l.shows(cmd, shown) && l.showsChoices(r, cmd, shown, world))
}

// spells reports whether words begin with want, all of them literal.
func spells(want []string, words []Word) bool {
	if len(want) > len(words) {
		return false
	}
	for i, text := range want {
		if w := &words[i]; w.Text != text && !alternative(text, w.Text) || !w.Literal {
			return false
		}
	}
	return true
}

// alternative reports whether a word of a rule lists text: {build,test}.
func alternative(want, text string) bool {
	if len(want) < 2 || want[0] != '{' || want[len(want)-1] != '}' || !strings.Contains(want, ",") || text == "" {
		return false
	}
	list := want[1 : len(want)-1]
	for one := range strings.SplitSeq(list, ",") {
		if one == text {
			return true
		}
	}
	return false
}

// spelled returns how many words of cmd, from the first, match the words of a prefix rule: they
// are its first words, or they are once the program's directory, if it is one of the system's,
// and harmless options before the sub-command are left out. 0 when they do not match.
func (l *Line) spelled(r *rule, cmd *Command, world surroundings) int {
	if spells(r.words, cmd.Words) {
		return len(r.words)
	}
	if len(r.words) == 0 || r.words[0] != cmd.Words[0].Text && r.words[0] != cmd.Name() {
		return 0
	}
	if cmd.plain == nil { // of many rules each would ask again
		cmd.plain = make([]plainReading, 2)
		for i := range cmd.plain {
			cmd.plain[i].words, cmd.plain[i].at = plainWords(cmd, i == 1, world)
		}
	}
	for _, p := range cmd.plain {
		if p.at > 0 && spells(r.words, p.words) {
			return max(len(r.words)+len(cmd.Words)-len(p.words), p.at)
		}
	}
	return 0
}

// plainReading is the result of plainWords.
type plainReading struct {
	words []Word
	at    int
}

// plainWords returns the words of cmd with the sub-command it means without naming it, without the
// program's directory, if it is one of the system's, and without the options before the naming
// words (with operand: and before the first operand), if none of them chooses more than a directory
// of the project; and how many words of cmd these are. None where there is nothing to leave out.
func plainWords(cmd *Command, operand bool, world surroundings) (words []Word, at int) {
	u := cmd.Use()
	first := cmd.Words[0]
	if cmd.Qualified() && trusted(cmd) && !program.Remover(cmd.Name()) {
		first.Text = cmd.Name()
	}
	implied := u.Implied()
	named, at := u.Plainly(operand && implied == "", func(value Word) bool { return value.Literal && leadsIn(world.place(cmd, value, read)) })
	switch {
	case at == 0:
		named, at = []Word{first}, 1
	case implied != "":
		named = append(named, Word{Text: implied, Literal: true})
	}
	if first.Text == cmd.Words[0].Text && len(named) == at {
		return nil, 0
	}
	words = append([]Word{first}, named[1:]...)
	return append(words, cmd.Words[at:]...), at
}

// leadsIn reports whether a place, as surroundings tell it, lies in the project.
func leadsIn(place string) bool { return place != "" && !path.IsAbs(place) }

// systemPlaces hold the programs of the system and of its package manager; their names alone
// find them as well.
var systemPlaces = []string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin", "/opt/local/bin", "/usr/local/go/bin", "/snap/bin", "/home/linuxbrew/.linuxbrew/bin"}

// trusted reports whether the program is called by its name, or by its path where
// the system keeps it.
func trusted(cmd *Command) bool {
	text := cmd.Words[0].Text
	return !cmd.Qualified() || path.Clean(text) == text && slices.Contains(systemPlaces, path.Dir(text))
}

// leaves reports whether the words of cmd behind the first n, and those of the commands inside
// it, respect the rule's limits. An option outside the tables, or a word that may become an
// option, does not.
func (r *rule) leaves(l *Line, cmd *Command, n int) bool {
	if !r.bare && len(r.without) == 0 {
		return true
	}
	for _, one := range l.Commands {
		if one != cmd && !one.within(cmd) {
			continue
		}
		if u, fixed := one.Use(), n-(one.Offset-cmd.Offset); one.Offset < 0 || u.Inner > 0 && fixed <= u.Inner || !allLiteral(one.Words[min(max(fixed, 0), len(one.Words)):]) || !u.Leaves(fixed, r.bare, r.without, r.words) {
			return false
		}
	}
	return true
}

// setsVariables reports whether a command assigns variables of the shell and may change the
// meaning of later commands.
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

// allLiteral reports whether all words are literal.
func allLiteral(words []Word) bool {
	return !slices.ContainsFunc(words, func(w Word) bool { return !w.Literal })
}

// shows reports whether the first n words of cmd show every program it runs, wrapped ones
// included.
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

// joined returns the words of the command with one blank between them. Blanks inside a word
// become NUL, so only a star can match them.
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

// hitBy reports whether a deny or ask rule names some command of the line, wrapped and spelt in
// any way.
func (l *Line) hitBy(r rule) bool {
	if l.Opaque != "" {
		return l.Setting.Dialect.analysed() || r.kind == exactRule && r.text == strings.TrimSpace(l.Text)
	}
	if r.kind == exactRule && r.text == strings.TrimSpace(l.Text) {
		return true
	}
	if slices.ContainsFunc(l.Commands, func(cmd *Command) bool { return hits(&r, cmd) }) {
		return true
	}
	texts, unread := l.written()
	return unread || len(r.leading()) > 0 && slices.ContainsFunc(texts, func(words []string) bool { return among(r.leading(), words) })
}

func hits(r *rule, cmd *Command) bool {
	if mentioned(r, cmd) || carried(r, cmd) {
		return true
	}
	if unfolded := cmd.unfolded(); unfolded != nil && hits(r, unfolded) {
		return true
	}
	if lowered := cmd.lowered(); lowered != nil && hits(r, lowered) {
		return true
	}
	if full := cmd.inFull(); full != nil && hits(r, full) {
		return true
	}
	if len(cmd.Words) == 0 {
		return false
	}
	switch r.kind {
	case exactRule:
		return r.text == cmd.Source || standTogether(r.words, cmd) || spelt(r, cmd, true)
	case prefixRule:
		return leads(r.words, cmd) || spelt(r, cmd, false) // the rule's exceptions do not count here
	case placeRule:
		return r.place.mentioned(cmd)
	case editRule:
		ok, _ := cmd.Use().ReadsOnly()
		return !ok || slices.ContainsFunc(cmd.Redirects, func(r Redirect) bool { return r.Write })
	case postRule:
		return r.post.mentioned(cmd) || globMatch(r.text, cmd.joined())
	case requestRule, globRule:
		return r.request != nil && r.request.mentioned(cmd) || globMatch(r.text, cmd.joined()) || globMatch(r.text, cmd.joinedBase()) ||
			globMatch(r.text, strings.ReplaceAll(cmd.joinedBase(), "\x00", " ")) || globMatch(r.text, cmd.Source) || globMatch(lowerFirst(r.text), lowerFirst(cmd.joinedBase()))
	}
	return false
}

// lowered returns the command with its program's name in small letters, where only this form is
// known; nil otherwise.
func (c *Command) lowered() *Command {
	if len(c.Words) == 0 || c.Use().Known {
		return nil
	}
	first := c.Words[0]
	first.Text = strings.ToLower(first.Text)
	if first.Text == c.Words[0].Text {
		return nil
	}
	out := &Command{Source: c.Source, Words: append([]Word{first}, c.Words[1:]...)}
	if !out.Use().Known {
		return nil
	}
	return out
}

// lowerFirst returns text with its first word, a program's name, in small letters.
func lowerFirst(text string) string {
	first, rest, _ := strings.Cut(text, " ")
	return strings.ToLower(first) + text[len(text)-len(rest)-min(1, len(text)-len(first)):]
}

// unfolded returns the command with its braces expanded (git {push,x}); nil when it has none.
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

// inFull returns the command with the sub-command it means without naming it; nil for any other.
func (c *Command) inFull() *Command {
	if len(c.Words) < 2 || c.Name() != "git" {
		return nil
	}
	u := c.Use()
	word := u.Implied()
	if word == "" {
		return nil
	}
	return &Command{Source: c.Source, Words: slices.Insert(slices.Clone(c.Words), u.At, Word{Text: word, Literal: true})}
}

// same reports whether a word of the line can be the word of a rule. An
// expansion can be anything.
func same(want string, word Word) bool {
	if !word.Literal || word.Text == want || alternative(want, word.Text) {
		return true
	}
	if !word.Glob {
		return false
	}
	found, err := path.Match(word.Text, want)
	return found || err != nil || globMatch(word.Text, want)
}

// sameProgram reports whether cmd runs the program of a deny or ask rule. The case of letters
// does not count: on many file systems RM is rm.
func sameProgram(want string, cmd *Command) bool {
	return strings.EqualFold(cmd.Words[0].Text, want) || strings.EqualFold(cmd.Name(), want)
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
