package program

import (
	"slices"
	"strings"
)

// always is what changes more than it names, in every form.
func always(*Use) bool { return true }

// gitPartly is for restore and reset: with the index alone they change no file.
func gitPartly(r Row) Row {
	r.Sweeps = func(u *Use) bool { return !indexOnly(u) }
	return r
}

// gitListed is a group that lists when no sub-command is given.
func gitListed(r Row, why string) Row {
	r.Reads, r.Repo, r.Heeds, r.Names, r.Operands = why, true, gitHeeds, true, ""
	return r
}

// gitStashed is stash, whose options without a sub-command are those of push.
func gitStashed(name, options string) Row {
	r := gitGroup(name, options)
	r.Sweeps = always
	return r
}

// gitShells is a sub-command that gives its operands to a shell.
func gitShells(name, options string) Row {
	r := gitSweeps(name, "j", options)
	r.Touches = nil
	return r
}

// indexOnly tells whether a restore, reset or rm changes what will be committed,
// and no file.
func indexOnly(u *Use) bool {
	switch u.Command() {
	case "git restore":
		return u.Has("-S") && !u.Has("-W")
	case "git reset":
		return !u.Has("--hard", "--merge", "--keep", "-p")
	case "git rm":
		return u.Has("--cached")
	}
	return false
}

// gitTouches returns the paths among the operands, without the magic of path
// patterns. What a revision looks like is told, too: nothing is lost by it.
func gitTouches(u *Use) []Touch {
	var out []Touch
	for _, value := range u.Values("-L") { // FROM,TO:FILE
		if at := strings.LastIndexByte(value.Text, ':'); at >= 0 {
			out = append(out, Touch{Word: value.from(value.Text[at+1:]), Access: ReadAccess})
		}
	}
	for i, r := range u.Roles {
		word := u.Operands[i]
		word.Text = Pathspec(word.Text)
		if word.Text == "" {
			continue
		}
		switch {
		case r == Reads, (r == Writes || r == Removes) && indexOnly(u):
			out = append(out, Touch{Word: word, Access: ReadAccess})
			if file := gitBlob(u.Operands[i].Text); file != "" && file != word.Text {
				word.Text = file
				out = append(out, Touch{Word: word, Access: ReadAccess, Derived: true})
			}
		case r == Writes, r == Removes, r == Into:
			out = append(out, Touch{Word: word, Access: WriteAccess})
		}
	}
	return out
}

// gitBlob is the path of the file that REVISION:PATH or :STAGE:PATH names, of
// which git shows what was committed; empty when text is none of them. A path is
// taken for one below the current directory. Source: gitrevisions(7).
func gitBlob(text string) string {
	_, file, ok := strings.Cut(text, ":")
	if !ok || strings.HasPrefix(text, ":(") || strings.HasPrefix(file, "!") || strings.HasPrefix(file, "^") {
		return ""
	}
	if len(file) > 2 && file[1] == ':' && file[0] >= '0' && file[0] <= '3' && text[0] == ':' {
		file = file[2:]
	}
	return strings.TrimPrefix(strings.TrimLeft(file, "/"), "./")
}

// Pathspec is the path in one of git's path patterns, without its magic:
// ":(glob)x", ":/x", ":!x". Source: gitglossary(7), "pathspec".
func Pathspec(text string) string {
	rest, ok := strings.CutPrefix(text, ":")
	if !ok {
		return text
	}
	if _, after, long := strings.Cut(rest, ")"); long && strings.HasPrefix(rest, "(") {
		return after
	}
	return strings.TrimLeft(rest, "/!^:")
}

// gitHarmless are the settings that -c may give a command that reads: they say
// how it prints, and nothing else. Source: git-config(1).
var gitHarmless = []string{
	"color.", "column.", "advice.", "core.quotepath", "core.abbrev", "core.precomposeunicode", "core.ignorecase", "core.commentchar", "log.date", "log.decorate", "log.abbrevcommit", "log.follow",
	"log.mailmap", "log.showroot", "diff.renames", "diff.renamelimit", "diff.noprefix", "diff.mnemonicprefix", "diff.algorithm", "diff.context", "diff.interhunkcontext", "diff.colormoved",
	"diff.colormovedws", "diff.suppressblankempty", "diff.wserrorhighlight", "diff.statgraphwidth", "diff.statnamewidth", "diff.wordregex", "diff.relative", "diff.ignoresubmodules", "diff.dirstat",
	"status.", "grep.linenumber", "grep.column", "grep.patterntype", "grep.extendedregexp", "grep.threads", "grep.fullname", "branch.sort", "tag.sort", "versionsort.suffix", "blame.date",
	"blame.coloring", "blame.showroot", "blame.showemail", "i18n.logoutputencoding", "user.name", "user.email", "pack.threads", "index.threads", "gc.auto", "maintenance.auto", "fetch.prune",
}

// gitPlain tells whether a setting only says how a reading command prints.
func gitPlain(setting Word) bool {
	key, value, _ := strings.Cut(setting.Text, "=")
	key = strings.ToLower(key)
	if !setting.Literal {
		return false
	}
	if key == "core.pager" || strings.HasPrefix(key, "pager.") {
		return value == "cat" || value == "" && strings.Contains(setting.Text, "=")
	}
	if key == "core.fsmonitor" {
		return value == "false"
	}
	return !asksSignature(value) && slices.ContainsFunc(gitHarmless, func(k string) bool {
		return key == k || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k)
	})
}

// gitUnless judges every command of git that would read.
func gitUnless(u *Use) string {
	for _, setting := range u.settings() {
		if !gitPlain(setting) {
			return "git with the setting " + setting.Text + " may do more than read"
		}
	}
	for _, o := range u.Options {
		if o.At < u.At || !o.Has {
			continue
		}
		if (o.Name == "--format" || o.Name == "--pretty" || o.Name == "--sort") && asksSignature(o.Value.Text) {
			return u.Command() + " with " + o.Value.Text + " runs gpg"
		}
	}
	for _, word := range u.Operands {
		if u.grammar.actsAlone(word.Text) {
			return u.Command() + " with " + word.Text + " may do more than read"
		}
	}
	return ""
}

// asksSignature tells whether a format or an order asks for signatures, which gpg
// is run for: %G?, %+GS, %(signature:grade).
func asksSignature(format string) bool {
	for i := range format {
		if format[i] == '%' && strings.HasPrefix(strings.TrimLeft(format[i+1:], "+- "), "G") {
			return true
		}
	}
	return strings.Contains(format, "signature")
}

// settings are the values of git's own -c.
func (u *Use) settings() []Word {
	var out []Word
	for _, o := range u.Options {
		if o.Name == "-c" && u.own(o) {
			out = append(out, o.Value)
		}
	}
	return out
}

// own tells whether an option is the program's, not the sub-command's.
func (u *Use) own(o Option) bool {
	g := u.grammar
	if len(u.above) > 0 {
		g = u.above[0]
	}
	return o.spec != nil && g.options.find(o.Name) == o.spec
}

// gitLists accepts operands of branch and tag, which would be made, only as the
// patterns of a list.
func gitLists(u *Use) string {
	if len(u.Operands) == 0 || u.Has("-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at") && !u.Has("--show-current") {
		return ""
	}
	return u.Command() + " with a name changes something"
}

// gitReflogShows accepts what is plainly to be shown: show, list, exists, or
// something that no sub-command's name looks like.
func gitReflogShows(u *Use) string {
	if len(u.Operands) == 0 {
		return ""
	}
	first := u.Operands[0].Text
	switch first {
	case "show", "list", "exists", "main", "master", "develop", "dev", "trunk", "stash", "staging", "next", "release":
		return ""
	}
	if strings.Trim(first, "abcdefghijklmnopqrstuvwxyz-") != "" {
		return ""
	}
	return "git reflog " + first + " is not known to only read"
}

// gitConfigVerbs are the words and options of git config that read.
var gitConfigVerbs = []string{"--get", "--get-all", "--get-regexp", "-l"}

// gitConfigScopes are the options with which a key alone is read.
var gitConfigScopes = []string{"--global", "--local", "--system", "--worktree", "-f", "-t", "--bool", "--int", "--bool-or-int", "--path", "-z", "--show-origin", "--show-scope", "--includes", "--default"}

// gitConfigReads wants what only reads, no value to set, and no secret.
func gitConfigReads(u *Use) string {
	operands := u.Operands
	reads := u.Has(gitConfigVerbs...) || len(operands) == 1 && strings.Contains(operands[0].Text, ".") && !slices.ContainsFunc(u.Options, func(o Option) bool {
		return o.At >= u.At && !slices.Contains(gitConfigScopes, o.Name)
	})
	if len(operands) > 0 && !reads && (operands[0].Text == "get" || operands[0].Text == "list") {
		reads, operands = true, operands[1:]
	}
	switch {
	case !reads:
		return "git config without --get or --list may set something"
	case len(operands) > 2:
		return "git config with that many values may set something"
	}
	for _, o := range operands {
		text := strings.ToLower(o.Text)
		for _, word := range []string{"token", "extraheader", "password", "secret", "passwd", "credential", "cookie"} {
			if strings.Contains(text, word) {
				return "git config " + o.Text + " may hold a secret"
			}
		}
	}
	return ""
}

// gitConfigTouches tells the file that is changed.
func gitConfigTouches(u *Use) []Touch {
	if gitConfigReads(u) == "" {
		return nil
	}
	var out []Touch
	for _, file := range u.Values("-f") {
		out = append(out, Touch{Word: file, Access: WriteAccess})
	}
	return out
}

// gitRunKeys are configuration keys by which git runs programs or sends data
// elsewhere; a trailing dot means a whole section.
var gitRunKeys = []string{
	"core.fsmonitor", "core.hookspath", "core.pager", "core.editor", "core.sshcommand", "core.askpass", "core.gitproxy", "core.alternaterefscommand", "core.attributesfile", "core.worktree",
	"alias.", "diff.", "filter.", "merge.", "credential.", "gpg.", "include.", "includeif.", "url.", "pager.", "protocol.", "sequence.editor", "interactive.difffilter", "man.", "browser.",
	"mergetool.", "difftool.", "uploadpack.", "remote.", "submodule.", "init.templatedir", "sendemail.", "tar.", "http.proxy", "http.sslverify", "web.", "instaweb.", "trailer.", "commit.template", "fsmonitor.", "user.signingkey", "hook.", "extensions.",
}

// gitRuns tells whether a key can make git run a program.
func gitRuns(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(gitRunKeys, func(k string) bool {
		return key == k || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k)
	})
}

// gitAsks finds the ways to make git run something else.
func gitAsks(u *Use) string {
	for _, setting := range u.settings() {
		if key, _, _ := strings.Cut(setting.Text, "="); !gitPlain(setting) && (gitRuns(key) || !setting.Literal) {
			return "git -c " + key + " can make git run a program"
		}
	}
	for _, o := range u.Options {
		if u.own(o) && (o.Name == "--config-env" || o.Name == "--exec-path" && o.Has) {
			return "git " + o.Name + " can make git run a program"
		}
	}
	switch u.Command() {
	case "git config":
		return gitConfigAsks(u)
	case "git clone", "git init", "git init-db":
		if u.Has("--template") {
			return u.Command() + " --template brings hooks that git runs"
		}
		for _, setting := range u.Values("-c") {
			if key, _, _ := strings.Cut(setting.Text, "="); u.Sub[0] == "clone" && !slices.ContainsFunc(u.settings(), func(w Word) bool { return w.Text == setting.Text }) && (gitRuns(key) || !setting.Literal) {
				return "git clone -c " + key + " can make git run a program"
			}
		}
	}
	for _, o := range u.Options {
		if o.Name == "--receive-pack" || o.Name == "--upload-pack" || o.Name == "-u" && u.Command() == "git clone" || o.Name == "--exec" && u.Command() == "git archive" {
			return u.Command() + " with " + o.Name + " runs a program"
		}
	}
	for _, word := range u.Args() {
		name, value, _ := strings.Cut(word.Text, "=")
		if u.Command() == "git send-email" && (strings.HasSuffix(name, "-cmd") || name == "--smtp-server" && !strings.Contains(value, ".")) {
			return "git send-email with " + word.Text + " runs a program"
		}
		if strings.HasPrefix(word.Text, "ext::") || strings.HasPrefix(word.Text, "--upload-pack") || strings.HasPrefix(word.Text, "--receive-pack") {
			return "git with " + word.Text + " runs a program"
		}
	}
	return ""
}

// gitConfigAsks says which key that is set can make git run a program.
func gitConfigAsks(u *Use) string {
	if gitConfigReads(u) == "" {
		return ""
	}
	if u.Has("--rename-section") {
		return "git config --rename-section can make git run a program"
	}
	for _, word := range u.Args() {
		if gitRuns(word.Text) || !word.Literal {
			return "git config " + word.Text + " can make git run a program"
		}
	}
	return ""
}

// gitPushes returns what refspecs mean: "+x" is --force, ":x" is --delete.
func gitPushes(u *Use) []string {
	var out []string
	for _, word := range u.Operands {
		if strings.HasPrefix(word.Text, "+") {
			out = append(out, "-f")
		}
		if strings.HasPrefix(word.Text, ":") && len(word.Text) > 1 {
			out = append(out, "-d")
		}
	}
	return out
}

// gitBranches returns what options of branch mean: -D is --delete --force, and
// the reverse; -M and -C likewise.
func gitBranches(u *Use) []string {
	var out []string
	for _, pair := range [][2]string{{"-D", "-d"}, {"-M", "-m"}, {"-C", "-c"}} {
		switch {
		case u.Has(pair[0]):
			out = append(out, pair[1], "-f")
		case u.Has(pair[1]) && u.Has("-f"):
			out = append(out, pair[0])
		}
	}
	return out
}
