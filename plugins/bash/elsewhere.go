package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// elsewhere is a place approved for reading by a rule such as "ssh web1: read": a command
// there, and nothing else, is checked as if it ran here. RATIONALE.md, "What may be read
// elsewhere?".
type elsewhere struct {
	// program is ssh or aws; name the host or the profile as written; port that of ssh, if the
	// rule has one. For git's settings these are git and config.
	program, name, port string
}

// readSuffix ends such a rule.
const readSuffix = ": read"

// parseElsewhere reads such a content; nil when it is none.
func parseElsewhere(content string) *elsewhere {
	head, ok := strings.CutSuffix(content, readSuffix)
	words := strings.Fields(head)
	if !ok || strings.Join(words, " ") != head || len(words) < 2 {
		return nil
	}
	var e *elsewhere
	switch {
	case words[0] == "ssh" && len(words) == 2:
		e = &elsewhere{words[0], words[1], ""}
	case words[0] == "ssh" && len(words) == 4 && words[1] == "-p" && smallNumber(words[2]):
		e = &elsewhere{words[0], words[3], words[2]}
	case head == "git config":
		e = &elsewhere{words[0], words[1], ""}
	case words[0] == "aws" && words[1] == "--profile" && len(words) == 3:
		e = &elsewhere{words[0], words[2], ""}
	}
	if e == nil || !e.plain() {
		return nil
	}
	return e
}

func (e *elsewhere) content() string {
	switch {
	case e.program == "git":
		return "git config" + readSuffix
	case e.program == "aws":
		return "aws --profile " + e.name + readSuffix
	case e.port != "":
		return "ssh -p " + e.port + " " + e.name + readSuffix
	}
	return "ssh " + e.name + readSuffix
}

// plain reports whether the program takes the name literally: no option, and for ssh a host
// with or without a user.
func (e *elsewhere) plain() bool {
	return e.name != "" && e.name[0] != '-' && strings.Trim(e.name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-") == ""
}

func smallNumber(s string) bool { return s != "" && len(s) <= 5 && strings.Trim(s, "0123456789") == "" }

// covers reports whether cmd does nothing but read at the place.
func (e *elsewhere) covers(l *Line, cmd *Command, world surroundings) bool {
	got := l.goes(cmd, world)
	return got != nil && *got == *e
}

// goes returns the place if cmd only reads there; nil if it reaches none, may do more there, or
// does more than its words say.
func (l *Line) goes(cmd *Command, world surroundings) *elsewhere {
	if len(cmd.Words) == 0 || cmd.Words[0].Quoted || !trusted(cmd) || !allLiteral(cmd.Words) || slices.ContainsFunc(cmd.Words, func(w Word) bool { return w.Glob }) {
		return nil
	}
	for c := cmd; c != nil; c = c.Parent { // input sent there, also from a program running cmd
		if c.Piped || c.Input != nil || slices.ContainsFunc(c.Redirects, func(r Redirect) bool { return r.Read }) {
			return nil
		}
	}
	profile := l.exported()
	for i, other := range l.Commands {
		// A variable may name another configuration with programs in it.
		if sets := setsVariables(other) || len(other.Words) == 0 && len(other.Assigns) > 0 || other.Name() == "export"; sets && other != cmd && !safeAssigns(other) && !(i == 0 && profile != "") {
			return nil
		}
	}
	words := texts(cmd.Words)
	switch name := cmd.Name(); {
	case name == "ssh" && len(cmd.Assigns) == 0:
		return sshReads(words[1:], world)
	case name == "git" && len(cmd.Assigns) == 0 && cmd.Use().ShowsSettings():
		return &elsewhere{program: "git", name: "config"}
	case name == "aws":
		return awsReads(words[1:], cmd.Assigns, profile)
	case name == "export" && profile != "" && cmd == l.Commands[0]:
		// Other rules for aws were not made for this profile.
		for _, other := range l.Commands[1:] {
			if got := l.goes(other, world); slices.ContainsFunc(other.Words, func(w Word) bool { return !w.Literal || strings.Contains(w.Text, "aws") }) && (got == nil || got.program != "aws" || got.name != profile) {
				return nil
			}
		}
		return &elsewhere{program: "aws", name: profile}
	}
	return nil
}

// exported returns the profile at the beginning of the line: export AWS_PROFILE=X && ...
func (l *Line) exported() string {
	if len(l.Commands) < 2 {
		return ""
	}
	first := l.Commands[0]
	if first.Name() != "export" || first.Words[0].Quoted || len(first.Words) != 1 || len(first.Assigns) != 1 || len(first.Redirects) > 0 {
		return ""
	}
	a := first.Assigns[0]
	rest, begins := strings.CutPrefix(strings.TrimSpace(l.Text), first.Source)
	rest = strings.TrimLeft(rest, " \t")
	if !begins || a.Name != "AWS_PROFILE" || a.Appends || !a.Value.Literal || !strings.HasPrefix(rest, "&&") && !strings.HasPrefix(rest, ";") && !strings.HasPrefix(rest, "\n") {
		return ""
	}
	return a.Value.Text
}

// mentioned reports whether a deny or ask rule for the place covers cmd: the program and the
// name match, in any use.
func (e *elsewhere) mentioned(cmd *Command) bool {
	about := len(cmd.Words) > 0 && (sameProgram(e.program, cmd) || cmd.Name() == "export" && e.program == "aws")
	return about && (slices.ContainsFunc(cmd.Words, func(w Word) bool { return !w.Literal || strings.Contains(w.Text, e.name) }) ||
		slices.ContainsFunc(cmd.Assigns, func(a Assign) bool { return !a.Value.Literal || strings.Contains(a.Value.Text, e.name) }))
}

// reached proposes the rule for the place where cmd only reads.
func (c *call) reached(cmd *Command) suggestion {
	e := c.line.goes(cmd, c)
	switch {
	case e == nil:
		return suggestion{}
	case e.program == "git":
		if !cmd.Use().Has("-l") {
			return suggestion{} // others may show more than the person saw
		}
		return c.proved(suggestion{content: e.content(), description: "what git config shows, with the tokens that some settings hold; it sets nothing"}, cmd)
	}
	what := map[string]string{"ssh": "what only reads on the host ", "aws": "what only describes, lists or gets with the profile "}[e.program]
	return c.proved(suggestion{content: e.content(), description: what + e.name + ", secrets excepted"}, cmd)
}

// flag is an option without influence on the destination of a command or its effects there.
type flag struct {
	// value means: a word follows, or stands behind "=".
	value bool
	// ok looks at the value; nil takes any.
	ok func(string) bool
}

// sshFlags are the options of ssh accepted by a rule for reading. Any other may forward (-L,
// -R, -D, -A, -X, -W), run a program here (-o ProxyCommand, -F), go on in the background or
// elsewhere (-J, -f, -M).
var sshFlags = map[string]flag{
	"-n": {}, "-T": {}, "-q": {}, "-4": {}, "-6": {}, "-C": {}, "-v": {}, "-x": {}, "-a": {},
	"-i": {value: true}, "-o": {value: true, ok: sshSetting},
}

// sshSettings are the settings of -o for time-outs, prompts and verbosity alone, with their
// possible values; "" is a small number.
var sshSettings = map[string][]string{
	"connecttimeout": {""}, "connectionattempts": {""}, "serveraliveinterval": {""}, "serveralivecountmax": {""},
	"batchmode": {"yes", "no"}, "identitiesonly": {"yes", "no"}, "clearallforwardings": {"yes"}, "forwardagent": {"no"}, "forwardx11": {"no"}, "requesttty": {"no"},
	"passwordauthentication": {"no"}, "kbdinteractiveauthentication": {"no"}, "stricthostkeychecking": {"yes", "accept-new"}, "loglevel": {"QUIET", "FATAL", "ERROR", "INFO"},
}

// sshSetting reports whether a setting of -o is one of these.
func sshSetting(text string) bool {
	name, value, ok := strings.Cut(text, "=")
	allowed := sshSettings[strings.ToLower(name)]
	return ok && (slices.Contains(allowed, value) && value != "" || slices.Equal(allowed, []string{""}) && smallNumber(value))
}

// sshReads reads the words behind ssh: options, a host, and the line for the shell there.
func sshReads(words []string, world surroundings) *elsewhere {
	e := &elsewhere{program: "ssh"}
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		if words[0] == "-p" && len(words) > 1 && smallNumber(words[1]) && e.port == "" {
			e.port, words = words[1], words[2:]
			continue
		}
		f, known := sshFlags[words[0]]
		switch {
		case !known, f.value && (len(words) < 2 || f.ok != nil && !f.ok(words[1])):
			return nil
		case f.value:
			words = words[1:]
		}
		words = words[1:]
	}
	// Options may stand behind the host as well; without a line a person's shell begins.
	if len(words) < 2 || strings.HasPrefix(words[1], "-") {
		return nil
	}
	if e.name = words[0]; !e.plain() || !world.readsThere(strings.Join(words[1:], " ")) {
		return nil
	}
	return e
}

// readsThere implements surroundings.readsThere: the other machine's shell and files are
// unknown, so a line using a repository's configuration is not read-only.
func (c *call) readsThere(text string) bool {
	if strings.TrimSpace(text) == "" {
		return false
	}
	there := &call{set: Setting{Dialect: Unknown, CWD: c.set.Home, Home: c.set.Home}, policy: c.policy, dirty: true}
	there.line = Analyze(text, there.set)
	if slices.ContainsFunc(there.line.Commands, func(cmd *Command) bool { return goesOn(cmd.Use()) }) {
		return false
	}
	ok, _ := there.line.readsOnly(there)
	return ok
}

// goesOn reports whether a program leads to a further place.
func goesOn(u *program.Use) bool {
	return slices.Contains([]string{"ssh", "aws", "kubectl", "curl", "wget", "gh", "glab", "gcloud", "az"}, u.Program) || u.Row().Fetches
}
