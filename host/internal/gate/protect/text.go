package protect

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// Bounds on the search of a text; longer ones are not analysed further.
const (
	maxText   = 16 << 20
	maxTokens = 128 << 10
	maxPaths  = 1024
	maxToken  = 4 << 10
)

// quotes are the quoting characters of shells and other languages.
var quotes = strings.NewReplacer(`'`, "", `"`, "", `\`, "", "`", " ")

// text searches an unparsed text that may run: any mention of a protected place, of the
// endpoint, or of the program with one of its commands denies. This is the last net behind the
// others. It only tightens, and a text hiding its words from it (by composing them at run time)
// gains no allowance: the module's decision stays.
func (j *judge) text(text string) string {
	if len(text) > maxText {
		return "its text is too long to search for Callgate's own files; use a shorter one"
	}
	if strings.Contains(text, ".*") {
		text = anything().ReplaceAllString(text, " ")
	}
	w := words{seen: map[string]bool{}}
	for _, form := range []string{text, quotes.Replace(text)} {
		tokens := strings.FieldsFunc(form, isBreak)
		if len(tokens) > maxTokens {
			return "its text has too many words to search for Callgate's own files; use a shorter one"
		}
		if why := j.tokens(&w, tokens); why != "" {
			return why
		}
	}
	if why := j.told(&w); why != "" {
		return why
	}
	return j.waiting()
}

// anything is a regular expression for any text, beside a sign never in a shell's glob: such a
// glob means only names with a leading dot.
var anything = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\^\])(]/?\.\*|\.\*(?:\\[^\s]|[($\[])`) })

// words are the findings in the words of a text, each looked at once.
type words struct {
	seen                                      map[string]bool
	port, here, signals, pid, settings, takes bool
}

func isBreak(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"`;|&()<>=,\\!", r) }

func (j *judge) tokens(w *words, tokens []string) string {
	if why := j.parted(tokens); why != "" {
		return why
	}
	for i, token := range tokens {
		if i > 0 && entersDirectory(tokens[i-1]) && strings.ContainsAny(token, "*?[{") && !w.seen["cd "+token] {
			w.seen["cd "+token] = true // no word has a blank
			if j.leads(token, true) != "" {
				return "it enters " + token + ", perhaps a directory above Callgate's own"
			}
		}
		if name := fold(path.Base(token)); name == "callgate" && i+1 < len(tokens) && acts(tokens[i+1]) && j.isOurs(token) {
			return "it mentions Callgate's own program (" + token + " " + tokens[i+1] + ")"
		}
		if w.seen[token] {
			continue
		}
		w.seen[token] = true
		if why := j.word(w, token); why != "" {
			return why
		}
	}
	return ""
}

// word judges one word by itself, and notes its meaning beside others.
func (j *judge) word(w *words, token string) string {
	if why := j.token(token); why != "" {
		return why
	}
	verb := strings.ToLower(token[strings.LastIndexByte(token, '.')+1:])
	if verb == "tiocsti" {
		return "it types into a terminal (TIOCSTI), where it could answer for a person"
	}
	w.port = w.port || slices.Contains(j.ports(), strings.Trim(token, ":"))
	w.here = w.here || token != unknown && token != "*" && j.here(strings.ToLower(token))
	w.signals = w.signals || slices.Contains(signalWords, verb)
	w.takes = w.takes || slices.Contains(removalWords, verb)
	w.settings = w.settings || fold(path.Base(token)) == settingsDir
	n, err := strconv.Atoi(token)
	w.pid = w.pid || err == nil && n > 1 && (n == j.facts.PID || n == j.facts.Parent)
	return ""
}

// told judges the words of a text together.
func (j *judge) told(w *words) string {
	switch {
	case w.port && w.here:
		return "it mentions Callgate's own port, " + strings.Join(j.ports(), " or ")
	case w.pid && w.signals:
		return "it mentions Callgate's process"
	case w.settings && w.takes:
		return "it would move or remove " + settingsDir + ", the settings of Claude Code with Callgate's hook"
	}
	return ""
}

func entersDirectory(word string) bool {
	return word == "cd" || word == "pushd" || word == "-C" || word == "--chdir" || word == "--directory"
}

// signalWords are names of functions for signalling and tracing, without their module.
var signalWords = []string{"kill", "attach", "ptrace", "killpg", "process_vm_writev", "process_vm_readv", "pidfd_open", "terminate", "send_signal"}

// removalWords are names of functions for moving and removing, without their module.
var removalWords = []string{"rmtree", "rename", "renames", "renamesync", "replace", "remove", "unlink", "unlinksync", "move", "rmdir", "rmdirsync", "rm", "rmsync", "mv", "rm_rf", "rm_r", "delete_tree", "remove_tree"}

// parted finds the end of a protected path with each part a word of its own, as in
// join("config", "callgate") and "config"/"callgate".
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
				return "it mentions " + names[i] + " and " + names[i+1] + ", perhaps " + p.what
			}
		}
		if names[i] == settingsDir && slices.Contains(settingsFiles, names[i+1]) {
			return "it mentions " + names[i] + " and " + names[i+1] + ", settings of Claude Code with Callgate's hook"
		}
	}
	return ""
}

// acts tells whether a word after the program's name makes it act.
func acts(word string) bool {
	word = strings.Trim(word, "[]{}")
	return slices.Contains(powers, word) || strings.HasPrefix(word, "-") && word != "--help" && word != "--version" || strings.HasPrefix(word, "$")
}

var hostPort = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?:[^@/]*@)?(\[[^\]]+\]|[^:/@\[\]]+):(\d{1,5})(?:[/?#].*)?$`)
})

// token judges one word of a text as a path and as an address.
func (j *judge) token(token string) string {
	if len(token) > maxToken {
		return "" // no path and no address
	}
	if m := hostPort().FindStringSubmatch(token); m != nil {
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

// tail judges a path with a known end only: "$X/callgate/rules". It counts when the known part
// can be the end of a protected path and go on below it.
func (j *judge) tail(token string) string {
	_, rest, ok := strings.Cut(token, "/")
	if !ok {
		return ""
	}
	parts := components("/" + rest)
	for _, p := range j.places {
		for n := min(len(p.parts), len(parts)); n > 0; n-- {
			if slices.EqualFunc(parts[:n], p.parts[len(p.parts)-n:], mayBe) {
				return "it mentions " + token + ", perhaps " + p.what
			}
		}
	}
	return j.tie(token, parts)
}

// leads judges a text taken as a path. With above, parents of protected places count, too;
// without, the path is queued for a common look.
func (j *judge) leads(text string, above bool) string {
	if len(text) > maxToken || strings.ContainsRune(text, 0) {
		return ""
	}
	if j.looked++; j.looked > maxPaths {
		return "it names too many paths to check; name fewer"
	}
	t := engine.Target{Kind: "tree", Value: text, Access: "write"}
	if !above {
		j.paths = append(j.paths, t)
		return ""
	}
	return j.look([]engine.Target{t}, "tree")
}

// waiting judges the queued paths.
func (j *judge) waiting() string {
	paths := j.paths
	j.paths = nil
	for chunk := range slices.Chunk(paths, target.DefaultLimits().Targets) {
		if why := j.look(chunk, "path"); why != "" {
			return why
		}
	}
	return ""
}

// look judges paths as that kind, unresolvable ones as written.
func (j *judge) look(paths []engine.Target, kind string) string {
	got, err := j.resolve(paths)
	for i, t := range paths {
		if err == nil {
			t, t.Value = got[i], paths[i].Value
		}
		t.Kind = kind
		if why := j.target(t); why != "" {
			return why
		}
	}
	return ""
}
