package bash

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

const (
	// maxParts bounds the rules of one line, maxExactText the bytes of an exact text: people
	// read no more.
	maxParts     = 12
	maxExactText = 1000
)

// suggestion is one rule content with its description, and the part of the line it is for.
type suggestion struct{ content, description, covers string }

// suggestions proposes rules to cover the line. For a line with one uncovered command: its
// kind, then the exact line, or the other way round where the kind cannot be undone. For a line
// with several: one rule for each of them, useful together, then the line. RATIONALE.md, "How
// wide is a suggested rule?".
func (c *call) suggestions() []suggestion {
	if c.line.Shut() || c.in.escalates() || c.danger() != "" {
		return nil
	}
	beside := c.mode == tool.ModeAcceptEdits && c.editsBeside()
	if beside {
		c.line.outputs = c.putsOutput
		defer func() { c.line.outputs = nil }()
	}
	parts, edits := c.parts(beside)
	// The effect of a line with hidden parts is known for that line alone.
	if c.line.Opaque != "" || c.line.Hidden != "" {
		parts = nil
	} else if len(parts) == 0 {
		return nil
	}
	var out []suggestion
	add := func(s suggestion) {
		at := slices.IndexFunc(out, func(had suggestion) bool { return had.content == s.content })
		switch {
		case s.content == "":
		case at < 0:
			out = append(out, s)
		case out[at].covers != s.covers:
			out[at].covers = quotable(out[at].covers + "; " + s.covers)
		}
	}
	several := len(parts) > 1
	if len(edits) > 0 && len(parts) > 0 {
		several = true
		add(suggestion{editContent, "making, changing, moving and removing plain files inside the working directories, in every mode", quotable(strings.Join(edits, "; "))})
	}
	for _, cmd := range parts {
		kinds, lasting := c.kinds(cmd, several)
		exact := c.exactly(cmd)
		if lasting || len(kinds) == 0 {
			kinds = append([]suggestion{exact}, kinds...)
		}
		if several {
			kinds = kinds[:1]
		}
		for _, s := range kinds {
			add(s)
		}
		// An exact command belongs to the directory the line goes to.
		if several && (kinds[0].content == "" || kinds[0] == exact && c.leaves() && !changesDir(cmd.Name())) || len(out) > maxParts {
			out = nil
			add(c.beginning())
			break
		}
	}
	if text := strings.TrimSpace(c.line.Text); len(text) <= maxExactText {
		add(suggestion{escapeRule(text), "exactly this command line", text})
	}
	return out
}

// leaves reports whether the line goes to another directory than one of the call's.
func (c *call) leaves() bool {
	return slices.ContainsFunc(c.line.Commands, func(cmd *Command) bool { return changesDir(cmd.Name()) && !c.cdInside(cmd) })
}

// parts are the commands of the line in need of a rule. With beside, edits are no parts, and
// edits has their texts.
func (c *call) parts(beside bool) (out []*Command, edits []string) {
	for _, cmd := range c.line.Commands {
		if beside && c.line.writesOutput(cmd) {
			edits = append(edits, strings.TrimSpace(cmd.Source))
		}
		if !cmd.stands() {
			continue
		}
		for cmd != nil {
			if beside && c.edited(cmd) {
				if text := strings.TrimSpace(cmd.Source); !slices.Contains(edits, text) {
					edits = append(edits, text)
				}
				break
			}
			if ok, _ := c.line.readOnlyTree(cmd, c); ok && safeAssigns(cmd) && (!changesDir(cmd.Name()) || c.cdInside(cmd)) {
				break
			}
			inner := c.line.forwarded(cmd)
			if inner == nil {
				out = append(out, cmd)
			}
			cmd = inner
		}
	}
	return out, edits
}

// exactly proposes cmd as it stands. A command reading its input, or with a variable that
// another line may set differently, is none by itself.
func (c *call) exactly(cmd *Command) suggestion {
	text := strings.TrimSpace(cmd.Source)
	if said := strings.Join(texts(cmd.Words), " "); cmd.Parent != nil && !program.Remover(cmd.Name()) && slices.Equal(splitWords(said), texts(cmd.Words)) {
		text = said // without what only runs it: timeout, rtk
	}
	if text == "" || len(text) > maxExactText || cmd.Piped || cmd.Input != nil || !allLiteral(cmd.Words) {
		return suggestion{}
	}
	if name := cmd.Name(); (name == "source" || name == ".") && !leadsIn(c.place(cmd, cmd.Words[len(cmd.Words)-1], read)) {
		return suggestion{}
	}
	s := suggestion{content: escapeRule(text), description: "exactly this command"}
	if changesDir(cmd.Name()) {
		s.description = "go to " + strings.TrimSpace(text[len(cmd.Name()):]) + "; what follows there is decided by its own rules"
	}
	return c.proved(s, cmd)
}

// proved returns the suggestion if, read as a rule, it covers cmd.
func (c *call) proved(s suggestion, cmd *Command) suggestion {
	if r := parseRule(s.content); !c.line.coverable(cmd) || !c.line.covers(&r, cmd, c) {
		return suggestion{}
	}
	s.covers = quotable(strings.TrimSpace(cmd.Source))
	return s
}

// quotable bounds a part of the line in a message.
func quotable(text string) string {
	if len(text) <= maxExactText {
		return text
	}
	return strings.ToValidUTF8(text[:maxExactText], "") + "…"
}

// kinds proposes rules for commands like cmd, the widest first, described in full; lasting
// means: the kind cannot be undone, or reaches others. Among several commands a sub-command has a
// rule of its own, for people to see what the line does.
func (c *call) kinds(cmd *Command, several bool) (list []suggestion, lasting bool) {
	if s := c.reached(cmd); s.content != "" {
		return proposed(s), false
	}
	if len(cmd.Words) == 0 || cmd.Words[0].Quoted || !namedAssigns(cmd, texts(cmd.Words)) || !c.line.coverable(cmd) {
		return nil, false
	}
	if s := c.posted(cmd); s.content != "" {
		return proposed(s), false
	}
	if cmd.Use().Program == "curl" {
		s, lasting := c.requested(cmd)
		return proposed(s), lasting
	}
	words, offer := c.named(cmd)
	if offer.Named == 0 || slices.ContainsFunc(words, func(w Word) bool { return !w.Literal || w.Glob || w.Tilde && w.Quoted }) {
		return nil, false
	}
	// Programs are offered together behind a runner only: a first word is one program's name. A
	// variable may mean less to one of them than to the others (GIT_DIR to git add and commit).
	if len(words) > 1 && len(offer.Family) > 1 && !(offer.Kin && (several || !safeAssigns(cmd))) && slices.Contains(offer.Family, words[len(words)-1].Text) {
		together := slices.Clone(words)
		together[len(words)-1].Text = "{" + strings.Join(offer.Family, ",") + "}"
		list = proposed(c.kind(cmd, together, offer))
	}
	return append(list, proposed(c.kind(cmd, words, offer))...), offer.Lasting
}

// proposed is a list of the proposal, if any.
func proposed(s suggestion) []suggestion {
	if s.content == "" {
		return nil
	}
	return []suggestion{s}
}

// kind proposes the rule for commands beginning with words, as an offer has it.
func (c *call) kind(cmd *Command, words []Word, offer program.Offer) (s suggestion) {
	text := strings.Join(texts(words), " ")
	if !slices.Equal(splitWords(text), texts(words)) {
		return s
	}
	s.content, s.description = escapeRule(text)+":*", "every command that begins with "+text
	if offer.Bare {
		s.content, s.description = escapeRule(text)+":-*", text+" with any options, and nothing else"
	}
	if len(offer.Without) > 0 {
		list := strings.Join(offer.Without, " ")
		s.content, s.description = s.content+" without "+list, s.description+", without "+list
	}
	if cmd.Use().Projects() {
		s.description += "; it runs code of the project"
	}
	return c.proved(s, cmd)
}

// named returns the words of cmd in a rule for its kind, and the offer.
func (c *call) named(cmd *Command) ([]Word, program.Offer) {
	u := cmd.Use()
	switch {
	case cmd.Wraps && (u.Inner == 0 || u.Joined):
		if isShell(u.Program) {
			return c.script(cmd, u, 0)
		}
		return nil, program.Offer{}
	case u.Inner > 0:
		return c.behind(cmd, 0, false)
	}
	if at := c.module(u); at > 0 {
		return c.behind(cmd, at, false)
	}
	if offer := u.Led(); offer.Named > 0 && trusted(cmd) {
		return cmd.Words[:offer.Named], offer
	}
	if cmd.Qualified() && !u.Known {
		if words, offer := c.script(cmd, u, 0); offer.Named > 0 {
			return words, offer
		}
	}
	if offer := u.Offers(); offer.Named > 0 {
		return c.spelledOut(cmd, offer)
	}
	if passes(u) && !cmd.Qualified() {
		return c.behind(cmd, 1, true)
	}
	return c.script(cmd, u, 0)
}

// spelledOut returns the words in an offer: without the harmless options between them, else as
// they stand.
func (c *call) spelledOut(cmd *Command, offer program.Offer) ([]Word, program.Offer) {
	u := cmd.Use()
	if !trusted(cmd) && !c.kept(cmd, cmd.Words[0]) {
		return nil, program.Offer{}
	}
	if plain, at := plainWords(cmd, offer.Named > 1+len(u.Sub), c); at > 0 && len(plain) >= offer.Named {
		return plain[:offer.Named], offer
	}
	if at := u.NamedAt(offer.Named); at > 0 {
		return cmd.Words[:at], offer
	}
	return nil, program.Offer{}
}

// behind is the name of the command inside, from the word at of cmd, and all before it. adds
// means: words out of sight may be added, or no table reads the rest.
func (c *call) behind(cmd *Command, at int, adds bool) ([]Word, program.Offer) {
	words := cmd.Words
	u := program.Read(words[at:])
	if row := u.Row(); u.Inner > 0 && !u.Joined && (row.Adds || row.Project || len(u.Sub) > 0 || u.Forwards()) {
		return c.behind(cmd, at+u.Inner, adds || row.Adds)
	}
	if !u.Known && !adds && strings.Contains(words[at].Text, "/") {
		return c.script(cmd, u, at) // its first argument is no sub-command
	}
	offer := u.Led()
	n := offer.Named
	if n == 0 {
		offer = u.Offers()
		n = u.NamedAt(offer.Named)
	}
	switch {
	case offer.Named == 0 && passes(u):
		return c.behind(cmd, at+1, true)
	case offer.Named == 0 && !adds:
		return c.script(cmd, u, at)
	case n > 0 && (!strings.Contains(words[at].Text, "/") || !adds && c.kept(cmd, words[at])) && !(adds && (offer.Bare || offer.Lasting || len(offer.Without) > 0)):
		return words[:at+n], offer
	}
	return nil, program.Offer{}
}

// passes reports whether an unknown program, or one made for it, is followed by the name of
// another, to run.
func passes(u *program.Use) bool {
	return !u.Known && len(u.Words) > 2 && program.Read(u.Words[1:]).Known
}

// runningModules are modules of Python that run their arguments.
var runningModules = []string{"timeit", "trace", "pdb", "cProfile", "profile", "runpy", "code", "idlelib", "doctest", "asyncio", "http", "ensurepip", "zipapp", "xmlrpc", "test", "IPython", "ipykernel", "debugpy", "kernprof", "memory_profiler", "pyinstrument", "scalene", "viztracer"}

// module returns the index of the name of a module that Python runs as a program (python -m
// pytest); 0 where it runs none, or one that runs its arguments.
func (c *call) module(u *program.Use) int {
	if u.Program != "python" || !u.Has("-m") {
		return 0
	}
	for i, word := range u.Words {
		if top, _, _ := strings.Cut(word.Text, "."); i > 1 && u.Words[i-1].Text == "-m" {
			if slices.Contains(runningModules, top) {
				return 0
			}
			return i
		}
	}
	return 0
}

// scriptEndings are endings of files for an interpreter.
var scriptEndings = []string{".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".rb", ".pl", ".php", ".lua", ".r", ".R", ".jl", ".exs", ".ps1", ".groovy", ".kts", ".swift", ".go"}

// dispatchers are scripts with a command as first argument.
var dispatchers = []string{"manage.py", "artisan", "console", "cli.py", "cli.js", "setup.py", "fabfile.py", "tasks.py", "wp-cli.phar", "composer.phar"}

// script returns the words of cmd up to the name of a script of u, which begins at the word
// from, with any arguments: a file inside the call's directories, or in a place where files do
// not come to be in passing.
func (c *call) script(cmd *Command, u *program.Use, from int) ([]Word, program.Offer) {
	at, word := 0, u.Words[0]
	if !strings.Contains(word.Text, "/") && from == 0 || u.Known {
		if slices.Index(u.Roles, program.Runs) != 0 {
			return nil, program.Offer{}
		}
		at, word = u.Index(0), u.Operands[0]
	}
	base := path.Base(word.Text)
	if !slices.Contains(scriptEndings, path.Ext(base)) || slices.Contains(dispatchers, base) || !c.kept(cmd, word) ||
		slices.ContainsFunc(u.Words[at:], lastingWord) {
		return nil, program.Offer{}
	}
	return cmd.Words[:from+at+1], program.Offer{Named: from + at + 1}
}

// lastingWord reports whether an argument of a script names a lasting effect: as a word or the
// value of an option, or as the beginning of an option's name (--force, not --source-root). The
// path of a file names none.
func lastingWord(w Word) bool {
	text := w.Text
	if option := strings.TrimLeft(text, "-"); option != text {
		name, value, _ := strings.Cut(option, "=")
		first, _, _ := strings.Cut(name, "-")
		if program.Lasting(first) {
			return true
		}
		text = value
	}
	return !strings.Contains(text, "/") && program.Lasting(text)
}

// kept reports whether a file lies in the project, or elsewhere than where anybody
// may put files.
func (c *call) kept(cmd *Command, word Word) bool {
	where := c.place(cmd, word, read)
	return leadsIn(where) || where != "" && path.IsAbs(word.Text) && !slices.ContainsFunc(openPlaces, func(dir string) bool { return within(where, dir) })
}

// openPlaces are directories in which anybody may put files.
var openPlaces = []string{"/tmp", "/private/tmp", "/var/tmp", "/private/var/tmp", "/dev/shm", "/run/shm", "/var/folders", "/private/var/folders"}
