package protect

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/engine"
)

// Bounds on the search of a text: what is beyond is not told apart any more.
const (
	maxText   = 16 << 20
	maxTokens = 128 << 10
	maxPaths  = 1024
	maxToken  = 4 << 10
)

// quotes are what shells and other languages put around and into words.
var quotes = strings.NewReplacer(`'`, "", `"`, "", `\`, "", "`", " ")

// text searches a text that may be run and that nobody parsed: any mention of a
// protected place, of the endpoint, or of the program with one of its commands
// denies. This is the last net behind the others. It only tightens, and a text
// that hides its words from it (by putting them together at run time) gets no
// allowance by that: it stays what the module makes of it.
func (j *judge) text(text string) string {
	if len(text) > maxText {
		return "its text is too long to be searched for Callgate's own places"
	}
	for _, form := range []string{text, quotes.Replace(text)} {
		tokens := strings.FieldsFunc(form, isBreak)
		if len(tokens) > maxTokens {
			return "its text has too many words to be searched for Callgate's own places"
		}
		if why := j.tokens(tokens); why != "" {
			return why
		}
	}
	return ""
}

func isBreak(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"`;|&()<>=,\\!", r) }

func (j *judge) tokens(tokens []string) string {
	port, here, signals, pid, settings, takes := false, false, false, false, false, false
	if why := j.parted(tokens); why != "" {
		return why
	}
	ours := j.ports()
	for i, token := range tokens {
		if why := j.token(token); why != "" {
			return why
		}
		if i > 0 && entersDirectory(tokens[i-1]) && strings.ContainsAny(token, "*?[{") && j.leads(token, true) != "" {
			return "it enters " + token + ", which can be a directory above Callgate's own"
		}
		if name := fold(path.Base(token)); name == "callgate" && i+1 < len(tokens) && acts(tokens[i+1]) && j.isOurs(token) {
			return "it mentions Callgate's own program (" + token + " " + tokens[i+1] + ")"
		}
		port = port || slices.Contains(ours, strings.Trim(token, ":"))
		here = here || j.here(strings.ToLower(token)) && token != unknown && token != "*"
		verb := strings.ToLower(token[strings.LastIndexByte(token, '.')+1:])
		signals = signals || slices.Contains(signalWords, verb)
		takes = takes || slices.Contains(removalWords, verb)
		settings = settings || fold(path.Base(token)) == settingsDir
		if verb == "tiocsti" {
			return "it types into a terminal (TIOCSTI), where it could answer for a person"
		}
		n, err := strconv.Atoi(token)
		pid = pid || err == nil && n > 1 && (n == j.facts.PID || n == j.facts.Parent)
	}
	switch {
	case port && here:
		return "it mentions the port on which Callgate answers, " + strings.Join(ours, " or ")
	case pid && signals:
		return "it mentions Callgate's process"
	case settings && takes:
		return "it moves or removes " + settingsDir + ", the settings of Claude Code, which hook Callgate in"
	}
	return ""
}

func entersDirectory(word string) bool {
	return word == "cd" || word == "pushd" || word == "-C" || word == "--chdir" || word == "--directory"
}

// signalWords are what code calls signalling and tracing, without its module.
var signalWords = []string{"kill", "attach", "ptrace", "killpg", "process_vm_writev", "process_vm_readv", "pidfd_open", "terminate", "send_signal"}

// removalWords are what code calls moving and removing, without its module.
var removalWords = []string{"rmtree", "rename", "renames", "renamesync", "replace", "remove", "unlink", "unlinksync", "move", "rmdir", "rmdirsync", "rm", "rmsync", "mv", "rm_rf", "rm_r", "delete_tree", "remove_tree"}

// parted finds the end of a protected path of which each part is a word of its
// own, as in join("config", "callgate") and "config"/"callgate".
func (j *judge) parted(tokens []string) string {
	var names []string
	for _, token := range tokens {
		if strings.Trim(token, "/") != "" {
			names = append(names, fold(strings.Trim(token, "/")))
		}
	}
	for i := range max(len(names)-1, 0) {
		for _, p := range j.places {
			if n := len(p.parts); n > 1 && names[i] == p.parts[n-2] && names[i+1] == p.parts[n-1] && p.ifThere == "" {
				return "it mentions " + names[i] + " and " + names[i+1] + ", which can be " + p.what
			}
		}
		if names[i] == settingsDir && slices.Contains(settingsFiles, names[i+1]) {
			return "it mentions " + names[i] + " and " + names[i+1] + ", settings of Claude Code, which hook Callgate in"
		}
	}
	return ""
}

// acts tells whether a word after the program's name makes it act.
func acts(word string) bool {
	word = strings.Trim(word, "[]{}")
	return slices.Contains(powers, word) || strings.HasPrefix(word, "-") && word != "--help" && word != "--version" || strings.HasPrefix(word, "$")
}

var hostPort = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?:[^@/]*@)?(\[[^\]]+\]|[^:/@\[\]]+):(\d{1,5})(?:[/?#].*)?$`)

// token judges one word of a text as a path and as an address.
func (j *judge) token(token string) string {
	if len(token) > maxToken {
		return "" // no path and no address
	}
	if m := hostPort.FindStringSubmatch(token); m != nil {
		if why := j.address(m[1] + " " + m[2]); why != "" && j.here(strings.ToLower(strings.Trim(m[1], "[]"))) {
			return why
		}
	}
	token = strings.TrimPrefix(token, "file://")
	if !strings.Contains(token, "/") && !strings.HasPrefix(token, ".") && !strings.HasPrefix(token, "~") {
		return ""
	}
	for _, home := range []string{"$HOME", "${HOME}", "$env:HOME", "%USERPROFILE%"} {
		if rest, ok := strings.CutPrefix(token, home); ok && (rest == "" || rest[0] == '/') {
			token = "~" + rest
		}
	}
	if strings.HasPrefix(token, "$") || strings.HasPrefix(token, "${") {
		return j.tail(token)
	}
	return j.leads(token, false)
}

// tail judges a path of which only the end is written: "$X/callgate/rules". It
// counts when what is written can be the end of a protected path and go on
// below it.
func (j *judge) tail(token string) string {
	_, rest, ok := strings.Cut(token, "/")
	if !ok {
		return ""
	}
	parts := components("/" + rest)
	for _, p := range j.places {
		for n := min(len(p.parts), len(parts)); n > 0; n-- {
			if slices.EqualFunc(parts[:n], p.parts[len(p.parts)-n:], mayBe) {
				return "it mentions " + token + ", which can be " + p.what
			}
		}
	}
	return j.tie(token, parts)
}

// leads judges a text taken as a path. With above, what holds protected places
// counts, too.
func (j *judge) leads(text string, above bool) string {
	if len(text) > maxToken || strings.ContainsRune(text, 0) {
		return ""
	}
	if j.looked++; j.looked > maxPaths {
		return "it names too many paths to be looked at"
	}
	t := engine.Target{Kind: "tree", Value: text, Access: "write"}
	if got, err := j.resolve([]engine.Target{t}); err == nil {
		t = got[0]
		t.Value = text
	}
	if !above {
		t.Kind = "path"
	}
	return j.target(t)
}
