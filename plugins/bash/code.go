package bash

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// commandVariables are variables whose value is a command line for some program; so are names
// with one of commandEndings.
var (
	commandVariables = []string{
		"PROMPT_COMMAND", "LESSOPEN", "LESSCLOSE", "BROWSER", "GIT_SSH", "GIT_EXTERNAL_DIFF", "RSYNC_RSH", "CVS_RSH", "TAR_OPTIONS", "RUSTC", "CC", "CXX", "LD", "SHELL",
		"FZF_DEFAULT_COMMAND", "FZF_DEFAULT_OPTS", "GREP_OPTIONS", "ENV", "BASH_ENV", "PS0", "PS1", "PS2", "PS4", "MAKEFLAGS", "MAKE", "TERMINAL", "NPM_CONFIG_SCRIPT_SHELL", "GIT_PROXY_COMMAND",
	}
	commandEndings = []string{"EDITOR", "VISUAL", "PAGER", "_COMMAND", "_CMD", "ASKPASS", "_WRAPPER", "_EDIT", "FCEDIT", "RUNNER"}
)

func holdsCommand(name string) bool {
	return slices.Contains(commandVariables, name) || slices.ContainsFunc(commandEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}

// codeTexts returns the texts run or read as code by another program: no shell grammar can read
// them, but deny rules search them for their words.
func (c *Command) codeTexts() []string {
	out := slices.Clone(c.code)
	for _, a := range c.Assigns {
		if holdsCommand(a.Name) || len(c.Words) > 0 && (namesCommand(a.Name) || slices.Contains(loaderVariables, a.Name) || strings.HasSuffix(a.Name, "FLAGS")) {
			out = append(out, a.Value.Text)
		}
	}
	if len(c.Words) == 0 {
		return out
	}
	out = append(out, c.givenTexts()...)
	if c.Inline || c.runsItsScript() {
		out = append(out, texts(c.Args())...)
	}
	u := c.Use()
	if opensShell(u) || c.Inline || c.runsItsScript() || !u.Known {
		if c.Input != nil {
			out = append(out, c.Input.Text)
		}
		out = append(out, c.Fed)
	}
	if (u.Program == "git" || u.Program == "socat") && u.Asked() != "" {
		out = append(out, texts(c.Args())...) // a setting run by git, an address that is a program
	}
	for _, v := range u.Values("-o") {
		if strings.Contains(v.Text, "Command") {
			out = append(out, v.Text) // ssh -o ProxyCommand=
		}
	}
	for _, word := range c.Args() {
		if name, value, ok := strings.Cut(word.Text, "="); ok && holdsCommand(name) {
			out = append(out, value) // make SHELL=
		}
		if strings.HasPrefix(word.Text, "+") && strings.Contains(word.Text, "!") {
			out = append(out, word.Text) // a command to a pager or an editor
		}
	}
	return out
}

// opensShell reports whether a program may read commands from its input without being a shell:
// they are not on the line (su, sudo -s, chroot), or partly in the input.
func opensShell(u *program.Use) bool {
	return u.Inner == 0 && len(u.Spans) == 0 && (u.Asked() != "" || u.Row().Terminal || u.Unnamed())
}

// runsItsScript reports whether the script of sed, awk or their like does more
// than read.
func (c *Command) runsItsScript() bool {
	u := c.Use()
	if len(u.With(program.Script)) == 0 && u.Program != "sed" {
		return false
	}
	ok, _ := u.ReadsOnly()
	return !ok
}

// codeWords are the code texts, each split into words, kept because every rule
// asks for them.
func (c *Command) codeWords() [][]string {
	if !c.split {
		c.split = true
		for _, text := range c.codeTexts() {
			if words := strings.FieldsFunc(text, betweenWords); len(words) > 0 {
				c.words = append(c.words, words)
			}
		}
	}
	return c.words
}

func betweenWords(r rune) bool { return strings.ContainsRune(" \t\n\"'`()[]{};&|<>,=!$:", r) }

// mentioned reports whether the words of a deny rule occur in code handed by cmd to another
// program.
func mentioned(r *rule, cmd *Command) bool {
	words := r.leading()
	return len(words) > 0 && slices.ContainsFunc(cmd.codeWords(), func(code []string) bool { return among(words, code) })
}

// leading returns the first words of a rule.
func (r *rule) leading() []string {
	if r.kind == postRule {
		return []string{"gh", "api"}
	}
	if r.kind == globRule || r.kind == requestRule {
		return strings.Fields(strings.Split(r.text, "*")[0])
	}
	return r.words
}

// among reports whether the words of a command occur in the words of code, the
// program first.
func among(words, code []string) bool {
	at := slices.IndexFunc(code, func(word string) bool { return strings.EqualFold(path.Base(word), words[0]) })
	return at >= 0 && !slices.ContainsFunc(words[1:], func(w string) bool {
		return !slices.ContainsFunc(code[at:], func(word string) bool { return word == w || alternative(w, word) })
	})
}

// carried reports whether a program able to run it gets the rule's command: in its arguments,
// or in one of them.
func carried(r *rule, cmd *Command) bool {
	if len(cmd.Words) < 2 || len(r.words) == 0 {
		return false
	}
	for _, inner := range cmd.handed() {
		if !strings.EqualFold(path.Base(inner[0].Text), r.words[0]) {
			continue
		}
		one := &Command{Words: inner}
		if r.kind == prefixRule && leads(r.words, one) || r.kind == exactRule && standTogether(r.words, one) || spelt(r, one, false) {
			return true
		}
	}
	return false
}

// runningVerbs make a program run the command behind them, here or elsewhere.
var runningVerbs = []string{
	"exec", "run", "shell", "ssh", "sh", "rsh", "enter", "console", "lock", "debug", "start", "watch", "with", "invoke", "run-command", "execute-command", "send-command", "alias", "attach", "do", "cmd", "dlx", "unshare",
}

// handed returns the possible commands in the arguments of cmd, cached because every rule needs
// them. An unknown program may run any of its words; a known one, the words behind a running
// verb, or behind "--" where its row does not describe them.
func (c *Command) handed() [][]Word {
	if c.handedRead {
		return c.handedTo
	}
	c.handedRead = true
	u := c.Use()
	if u.Program == "git" {
		c.handedTo = append(aliases(c.Args(), c.Assigns), c.gitHands(u)...)
	}
	from, scripts := 1, 1
	if u.Known {
		from, scripts = handsOver(u), len(c.Words)
		if vague(u) {
			scripts = u.At
		}
	}
	for i := 1; i < len(c.Words); i++ {
		word := c.Words[i]
		option := strings.HasPrefix(word.Text, "-")
		if option {
			_, word.Text, _ = strings.Cut(word.Text, "=")
		}
		given := from > 0 && i >= from
		switch {
		case strings.ContainsAny(word.Text, " \t\"'`("):
			if given || i >= scripts && !isProse(u, i) {
				c.handedTo = append(c.handedTo, handedIn(word.Text)...)
			}
		case given && word.Literal && word.Text != "" && (option || i+1 < len(c.Words) || strings.HasPrefix(c.Words[i-1].Text, "-")):
			c.handedTo = append(c.handedTo, append([]Word{word}, c.Words[i+1:]...))
		}
	}
	return c.handedTo
}

// gitHands returns the possible commands in the words of an acting git command (git remote-ext
// x 'rm x'), messages left out.
func (c *Command) gitHands(u *program.Use) (out [][]Word) {
	if ok, _ := u.ReadsOnly(); ok {
		return nil
	}
	for i := u.At; i < len(c.Words); i++ {
		if word := c.Words[i]; strings.ContainsAny(word.Text, " \t") && !isProse(u, i) {
			out = append(out, handedIn(word.Text)...)
		}
	}
	return out
}

// aliases returns the git commands renamed by arguments of git (-c alias.p=push, config alias.p
// push) and, as settings, by assignments before it.
func aliases(args []Word, assigns []Assign) [][]Word {
	for _, a := range assigns {
		if strings.HasPrefix(a.Name, "GIT_CONFIG_") {
			name, value, set := strings.Cut(strings.Trim(a.Value.Text, "'"), "=")
			if !set {
				name, value = "alias.", name
			}
			args = append(slices.Clip(args), Word{Text: strings.Trim(name, "'") + "=" + strings.Trim(value, "'")})
		}
	}
	var out [][]Word
	for i, word := range args {
		name, value, set := strings.Cut(word.Text, "=")
		if !strings.HasPrefix(strings.ToLower(name), "alias.") {
			continue
		}
		if !set {
			value = strings.Join(texts(args[i+1:]), " ")
		}
		inner := []Word{{Text: "git", Literal: true}}
		for _, field := range strings.Fields(value) {
			inner = append(inner, Word{Text: field, Literal: true})
		}
		out = append(out, inner)
	}
	return out
}

// proseOptions are options whose value is prose, or a name to search for.
var proseOptions = []string{"-m", "--message", "--title", "--body", "--description", "--comment", "--notes", "--subject", "-k"}

// isProse reports whether the word at an index is the value of such an option.
func isProse(u *program.Use, at int) bool {
	name, _, attached := strings.Cut(u.Words[at].Text, "=")
	return attached && slices.Contains(proseOptions, name) || slices.Contains(proseOptions, u.Words[at-1].Text)
}

// handedIn returns the possible commands in a text of any language: the words between its
// signs, and those behind a running verb. A word by itself is one only where it is quoted.
func handedIn(text string) [][]Word {
	var out [][]Word
	quoted := strings.ContainsAny(text, "\"'`")
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;&|()`!=:\"'[],", r) }) {
		var inner []Word
		for _, field := range strings.Fields(strings.TrimLeft(part, "{ ")) {
			inner = append(inner, Word{Text: field, Literal: true})
		}
		if len(inner) > 1 || quoted && len(inner) == 1 {
			out = append(out, inner)
		}
		for len(inner) > 1 && (slices.Contains(runningVerbs, inner[0].Text) || slices.Contains(beforeCommands, inner[0].Text)) {
			inner = inner[1:]
			out = append(out, inner)
		}
	}
	return out
}

// beforeCommands are the shell's own words in front of a command.
var beforeCommands = []string{"if", "then", "else", "elif", "while", "until", "do", "!", "time"}

// vague reports whether a known program may run some of its words although no row says so: it
// runs a target of the project, takes commands from its terminal, has an unknown sub-command,
// or always needs a person.
func vague(u *program.Use) bool {
	if u.Program == "git" || u.Inner > 0 || len(u.Spans) > 0 {
		return false
	}
	ok, _ := u.ReadsOnly()
	return !ok && (u.Strange || u.Row().Verb || u.Row().Terminal || u.Asked() != "")
}

// handsOver returns the index in Words of the first word of a command not described by the
// program's row, -1 without one.
func handsOver(u *program.Use) int {
	row := u.Row()
	if u.Inner > 0 || len(u.Spans) > 0 || u.Program == "git" || u.Program == "npm" {
		return -1
	}
	vague := u.Strange || row.Verb || row.Terminal
	if ok, _ := u.ReadsOnly(); ok {
		return -1
	}
	if len(u.Sub) > 0 && (slices.Contains(runningVerbs, u.Sub[len(u.Sub)-1]) || u.Sub[0] == "alias") {
		return u.At
	}
	for i := range min(2, len(u.Operands)) {
		if slices.Contains(runningVerbs, u.Operands[i].Text) && (vague || row.Reads != "") {
			return u.Index(i) + 1
		}
	}
	if at := slices.IndexFunc(u.Words, func(w Word) bool { return w.Text == "--" }); at > 0 && vague {
		return at + 1
	}
	return -1
}
