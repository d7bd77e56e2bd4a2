package program

import (
	"slices"
	"strings"
)

// always marks commands that in every form change more than they name.
func always(*Use) bool { return true }

// gitPartly is for restore and reset: with the index alone they change no file.
func gitPartly(r Row) Row {
	r.Sweeps = func(u *Use) bool { return !indexOnly(u) }
	return r
}

// gitListed is a group that lists when it has no sub-command.
func gitListed(r Row, why string) Row {
	r.Reads, r.Repo, r.Heeds, r.Names, r.Operands = why, true, gitHeeds, true, ""
	return r
}

// gitStashed is stash; without a sub-command its options are those of push.
func gitStashed(name, options string) Row {
	r := gitGroup(name, options)
	r.Sweeps = always
	return r
}

// gitShells is a sub-command that hands its operands to a shell.
func gitShells(name, options string) Row {
	r := gitSweeps(name, "j", options)
	r.Touches = nil
	return r
}

// indexOnly reports whether a restore, reset or rm changes the index, and no file.
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

// gitTouches returns the paths among the operands, without the magic of path patterns. Words
// looking like a revision are included: nothing is lost by it.
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
			spec := word.Text
			for _, file := range gitBlobs(u.Operands[i].Text) {
				if file == spec {
					continue
				}
				word.Text = file
				out = append(out, Touch{Word: word, Access: ReadAccess, Derived: true, Rooted: !strings.HasPrefix(file, ".")})
			}
		case r == Writes, r == Removes, r == Into:
			out = append(out, Touch{Word: word, Access: WriteAccess})
		}
	}
	return out
}

// gitBlobs are the possible paths in REVISION:PATH or :STAGE:PATH, shown by git as committed;
// none for any other text. A revision may hold colons itself (HEAD@{12:00}:PATH,
// HEAD^{/a:b}:PATH), so the path may begin behind each of them. Source: gitrevisions(7).
func gitBlobs(text string) []string {
	var out []string
	for rest := text; ; {
		_, file, ok := strings.Cut(rest, ":")
		if !ok || len(out) == maxColons {
			return out
		}
		rest = file
		if file = strings.TrimPrefix(strings.TrimLeft(file, "/"), "./"); file != "" && !strings.HasPrefix(text, ":(") {
			out = append(out, file)
		}
	}
}

// maxColons bounds the paths of one word.
const maxColons = 16

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

// gitHarmless are the settings permitted with -c for a reading command: they change its output
// format, and nothing else. Source: git-config(1).
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

// gitUnless judges every reading command of git.
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

// asksSignature reports whether a format or an order makes git run gpg for signatures: %G?,
// %+GS, %(signature:grade).
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

// gitLists accepts operands of branch and tag only as the patterns of a list; else they would
// be created.
func gitLists(u *Use) string {
	if len(u.Operands) == 0 || u.Has("-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at") && !u.Has("--show-current") {
		return ""
	}
	return u.Command() + " with a name changes something"
}

// gitComparesFiles refuses a comparison outside of the repository, which shows all files of two
// directories, unless one side is the empty device: the other one is a file then.
func gitComparesFiles(u *Use) string {
	if !u.Has("--no-index") || len(u.Operands) == 2 && slices.ContainsFunc(u.Operands, func(w Word) bool { return w.Literal && w.Text == "/dev/null" }) {
		return ""
	}
	return "git diff --no-index may show every file of a directory"
}

// gitReflogShows accepts only a plain show: show, list, exists, or a word unlike any
// sub-command.
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

// gitRunKeys are configuration keys for programs to run or destinations of data; a trailing dot
// means a whole section.
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

// gitPushes returns the options equal to refspecs: "+x" is --force, ":x" is --delete.
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

// ownStrategies are git's own merge strategies.
var ownStrategies = []string{"ort", "recursive", "resolve", "octopus", "ours", "subtree"}

// gitStrategies finds a merge strategy that is none of git's own: git runs the program
// git-merge-NAME for it, and with a slash in the name it is a file of the project.
func gitStrategies(u *Use, option string) []int {
	var out []int
	for _, o := range u.Options {
		if o.Name == option && !(o.Value.Literal && slices.Contains(ownStrategies, o.Value.Text)) {
			out = append(out, o.At)
		}
	}
	return out
}

// sharedRefs are parts in the names of refs for builds, deploys and releases.
var sharedRefs = []string{"main", "master", "release", "production"}

// gitDestinations returns the parts in the names of the refs at the remote. No name, a
// pattern and an expansion count as each of sharedRefs; so do a version, a tag and the
// other usual names of shared branches. RATIONALE.md, "May a rule for `git push` come first?".
func gitDestinations(u *Use) []string {
	var out []string
	for i, word := range u.Operands {
		if i == 0 {
			continue
		}
		_, to, two := strings.Cut(strings.TrimPrefix(word.Text, "+"), ":")
		if !two {
			to = strings.TrimPrefix(word.Text, "+")
		}
		parts := strings.FieldsFunc(strings.ToLower(to), func(r rune) bool { return strings.ContainsRune("/-_.", r) })
		out = append(out, parts...)
		if !word.Literal || word.Glob || !workBranch(to) {
			out = append(out, sharedRefs...)
		}
	}
	if len(u.Operands) < 2 {
		out = append(out, sharedRefs...)
	}
	return out
}

// workBranch tells whether a name is plainly the branch of one piece of work.
func workBranch(name string) bool {
	name = strings.ToLower(strings.TrimPrefix(name, "refs/heads/"))
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789/-_.") != "" || name == "" || name == "head" || strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "tags/") {
		return false
	}
	version := strings.TrimPrefix(name[strings.LastIndexByte(name, '/')+1:], "v")
	if version == "" || strings.Trim(version, "0123456789.") == "" || version[0] >= '0' && version[0] <= '9' && strings.Contains(version, ".") {
		return false
	}
	first, _, _ := strings.Cut(name, "/")
	return !slices.ContainsFunc([]string{name, first}, func(part string) bool {
		return slices.Contains(sharedRefs, part) || slices.Contains([]string{"trunk", "develop", "development", "dev", "prod", "staging", "stage", "stable", "live", "deploy", "publish", "releases", "gh-pages", "pages", "next", "beta", "canary", "preview", "hotfix", "tag"}, part)
	})
}

// gitBranches returns the long options of branch: -D is --delete --force, and the reverse; -M
// and -C likewise.
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

// gitSettable are further settings of git's work on its repository; they name no program,
// destination or source. Source: git-config(1).
var gitSettable = []string{
	"init.defaultbranch", "core.autocrlf", "core.eol", "core.safecrlf", "core.filemode", "core.longpaths", "core.symlinks", "core.whitespace", "core.compression", "core.untrackedcache", "core.preloadindex", "core.logallrefupdates",
	"pull.rebase", "pull.ff", "push.default", "push.autosetupremote", "push.followtags", "fetch.prunetags", "fetch.parallel", "rebase.autostash", "rebase.autosquash", "rebase.updaterefs", "merge.conflictstyle", "merge.ff", "merge.stat", "rerere.enabled", "rerere.autoupdate",
	"branch.autosetuprebase", "branch.autosetupmerge", "commit.gpgsign", "commit.verbose", "commit.cleanup", "commit.status", "tag.gpgsign", "tag.forcesignannotated", "log.", "format.pretty", "apply.whitespace", "feature.manyfiles", "checkout.defaultremote", "stash.showpatch", "pack.window", "pack.depth", "index.version", "gc.pruneexpire",
}

// gitRunners are sub-commands of git that run programs named by options and operands.
var gitRunners = []string{"instaweb", "web--browse", "hook", "for-each-repo", "daemon", "shell", "http-backend", "p4", "remote-ext", "remote-fd", "upload-pack", "receive-pack", "upload-archive", "credential-cache", "sh-i18n--envsubst"}

// gitSets tells whether a setting with a key may be stored without a person's
// having named it.
func gitSets(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(slices.Concat(gitHarmless, gitSettable), func(k string) bool {
		return key == k || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k)
	})
}

// gitChooses finds choosing settings: in git's own -c, in clone's, and in git config.
func gitChooses(u *Use) []int {
	var out []int
	for _, o := range u.Options {
		if o.Name != "-c" || !o.Has || !u.own(o) && u.Command() != "git clone" {
			continue
		}
		if key, _, _ := strings.Cut(o.Value.Text, "="); !gitPlain(o.Value) && (!gitSets(key) || !o.Value.Literal) {
			out = append(out, o.At)
		}
	}
	if u.Command() == "git fetch" {
		for i, word := range u.Operands {
			// Without a plus, git refuses to lose commits of a branch.
			if source, to, ok := strings.Cut(word.Text, ":"); i > 0 && ok && strings.HasPrefix(source, "+") && !strings.HasPrefix(to, "refs/remotes/") {
				out = append(out, u.ats[i])
			}
		}
	}
	if len(u.Sub) > 0 && slices.Contains(gitRunners, u.Sub[0]) {
		out = append(out, u.At-1)
		for _, o := range u.Options {
			if o.At >= u.At {
				out = append(out, o.At)
			}
		}
	}
	if u.Command() != "git config" || gitConfigReads(u) == "" || u.Has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l") {
		return out
	}
	for _, o := range u.Options {
		if slices.Contains([]string{"-f", "--blob", "-e", "--rename-section", "--remove-section"}, o.Name) {
			out = append(out, o.At)
		}
	}
	key := 0
	for key < len(u.Operands) && slices.Contains([]string{"set", "unset"}, u.Operands[key].Text) {
		key++
	}
	if key < len(u.Operands) && (!gitSets(u.Operands[key].Text) || !u.Operands[key].Literal) {
		out = append(out, u.ats[key])
	}
	return out
}
