package paths

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// Matches reports whether a rule's content, a glob, names the place.
//
// As an allow rule both forms must be named, exactly as spelled. As a deny or ask rule one is
// enough, compared case-folded; "dir/**" names dir too, "dir/" everything in it, and a pattern
// without a slash names files of every directory of the machine, where an allow rule names those of
// the root alone: a denial of "*.env" means all of them. A pattern with a plain name at its end
// means the directory of this name as well as the file: with everything in it. An unreadable
// pattern allows nothing and denies everything.
//
// A place with wildcards, or a tree, stands for many files. An allow rule names it only by this
// very text. An ask rule names it when it may name one of the files; a deny rule only when it names
// a directory among them, or all of them: "**/.env" would else deny every search of a project. The
// engine asks about other possible matches of a deny rule.
func Matches(behavior tool.Behavior, rule tool.Rule, c tool.Context, p Place) bool {
	if behavior == tool.Allow {
		g, err := compile(rule.Content, rule, c, behavior)
		return err == nil && !p.Tree && g.Match(p.Lexical, p.Directory) && g.Match(p.Resolved, p.Directory)
	}
	contents := []string{rule.Content}
	if strings.HasSuffix(rule.Content, "/") {
		contents = append(contents, rule.Content+"**")
	}
	if !strings.ContainsAny(rule.Content, "/~") {
		contents = append(contents, "**/"+rule.Content)
	}
	contents = append(contents, otherSpellings(rule.Content)...)
	many := p.Tree || hasMeta(p.Lexical) || hasMeta(p.Resolved)
	forms := spellings(p)
	for _, content := range contents {
		g, err := compile(content, rule, c, behavior)
		if err != nil || slices.ContainsFunc(forms, func(s string) bool { return g.Match(s, true) || many && g.meets(s, p.Tree, behavior == tool.Deny) }) {
			return true
		}
		if last := content[strings.LastIndexByte(content, '/')+1:]; last == "" || strings.ContainsAny(last, globCharacters) {
			continue
		}
		g, err = compile(content+"/**", rule, c, behavior)
		// A glob with possible matches in the directory asks; it denies only where the rule
		// itself ends in "/**": people mean a file of this name.
		if err != nil || slices.ContainsFunc(forms, func(s string) bool {
			return g.Match(s, true) || many && !p.Tree && behavior == tool.Ask && g.meets(s, false, false)
		}) {
			return true
		}
	}
	return false
}

// withoutSecrets ends a rule for reading a whole tree but the secrets in it.
const withoutSecrets = " without secrets"

// Limited returns a rule without the words "without secrets" behind its "**", whether it had
// them and allows, and whether it may name the files of a call. As an allow rule it names none unless
// reads, which tells whether the call only reads, no secret among its files. A deny or ask rule is
// as wide without the words.
func Limited(behavior tool.Behavior, rule tool.Rule, reads func() bool) (_ tool.Rule, limited, may bool) {
	tree, limited := strings.CutSuffix(rule.Content, withoutSecrets)
	if !limited || tree != "**" && !strings.HasSuffix(tree, "/**") {
		return rule, false, true
	}
	rule.Content = tree
	if behavior != tool.Allow {
		return rule, false, true
	}
	return rule, true, reads()
}

// globCharacters are those of a pattern.
const globCharacters = `*?[]{}\`

// otherSpellings are the possible meanings of a deny or ask rule written for another reader: with
// Windows' separators, as an address, with the shell's name for the home directory, in quotes, with
// invisible characters.
func otherSpellings(content string) []string {
	var list []string
	if strings.Contains(content, `\`) {
		list = append(list, strings.ReplaceAll(content, `\`, "/"))
	}
	for _, prefix := range []string{"$HOME", "${HOME}", "%USERPROFILE%"} {
		if rest, ok := strings.CutPrefix(content, prefix); ok && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
			list = append(list, "~"+strings.ReplaceAll(rest, `\`, "/"))
		}
	}
	if rest, ok := strings.CutPrefix(content, "file://"); ok && strings.HasPrefix(rest, "/") {
		list = append(list, rest)
	}
	if plain := strings.TrimSpace(strings.Trim(dropInvisible(content), "\"'`")); plain != content && plain != "" {
		list = append(list, plain)
	}
	return list
}

// spellings are the forms of a place for a deny or ask rule.
func spellings(p Place) []string {
	var list []string
	for _, form := range []string{Fold(p.Lexical), Fold(p.Resolved), foldLoosely(p.Lexical), foldLoosely(p.Resolved)} {
		if !slices.Contains(list, form) {
			list = append(list, form)
		}
	}
	return list
}

// compile anchors and compiles a pattern: for an allow rule as spelled, else
// folded.
func compile(content string, rule tool.Rule, c tool.Context, behavior tool.Behavior) (Glob, error) {
	pattern, err := Anchor(content, root(rule, c, behavior), c.Home)
	if err != nil {
		return Glob{}, err
	}
	if behavior != tool.Allow {
		pattern = Fold(pattern)
	}
	return Compile(pattern)
}

// root is the starting directory of a rule's relative pattern. A call's own word for it anchors no
// allow rule: the caller could choose (threat T02).
func root(rule tool.Rule, c tool.Context, behavior tool.Behavior) string {
	switch {
	case rule.Root != "":
		return path.Clean(rule.Root)
	case len(c.WorkingDirectories) > 0:
		return path.Clean(c.WorkingDirectories[0])
	case c.CWD != "" && behavior != tool.Allow:
		return path.Clean(c.CWD)
	}
	return ""
}

// Suggest proposes rules naming the place: for writing its part of the project, its directory, the
// file alone. A directory above the home directory, or above everything, is not proposed; nor is
// anything when the two forms differ, because no pattern acceptable to a person names both. For
// writing, a directory above a working directory is not proposed either, and of one outside only
// its own files, or its tree of temporary ones: a permission to write a README does not mean the
// project. For reading, the whole project without its secrets is proposed. RATIONALE.md, "How wide
// is a suggested rule?".
func Suggest(c tool.Context, p Place, access string) []tool.Suggestion {
	if p.Lexical != p.Resolved {
		return nil
	}
	var list []tool.Suggestion
	dir := path.Dir(p.Lexical)
	among := projects(c)
	holds := slices.ContainsFunc(among, func(root string) bool { return within(dir, root) })
	inside := slices.ContainsFunc(among, func(root string) bool { return within(root, dir) })
	switch pattern, ok := SuggestDirectory(c, Place{Lexical: dir, Resolved: dir}); {
	case !ok || access == tool.Write && holds:
	case access == tool.Write && Scratch(c, p) != "":
		list = append(list, tool.Propose(Escape(Scratch(c, p))+"/**", "every file below "+Scratch(c, p)))
	case access == tool.Write && !inside:
		list = append(list, tool.Propose(strings.TrimSuffix(pattern, "*"), "every file of "+dir+" itself"))
	case access == tool.Read && inside:
		if s, ok := SuggestProject(c, p); ok {
			list = append(list, s)
		}
		if !holds {
			list = append(list, tool.Propose(pattern, "every file below "+dir))
		}
	default:
		if part := partOf(c, dir); part != dir && access == tool.Write {
			list = append(list, tool.Propose(Escape(part)+"/**", "every file below "+part))
		}
		list = append(list, tool.Propose(pattern, "every file below "+dir))
	}
	if !p.Directory || len(list) == 0 && access == tool.Write && !holdsHome(c, p.Lexical) {
		list = append(list, tool.Propose(Escape(p.Lexical), "this file"))
	}
	return list
}

// partOf returns the part of the project that a directory lies in: the tree two levels below the
// working directory (src/shared, packages/api); the directory itself where it is none, or hidden.
func partOf(c tool.Context, dir string) string {
	for _, wd := range projects(c) {
		levels := strings.Split(strings.TrimPrefix(dir, wd+"/"), "/")
		if dir != wd && within(wd, dir) && len(levels) > 2 && !strings.HasPrefix(levels[0], ".") && !strings.HasPrefix(levels[1], ".") {
			return wd + "/" + levels[0] + "/" + levels[1]
		}
	}
	return dir
}

// Scratch returns the tree in a directory for temporary files that the place lies in; empty for
// none, for one beside a working directory, and for the trees of clients, of Callgate and of other
// programs. A link out of the tree is no part of it.
func Scratch(c tool.Context, p Place) string {
	for _, root := range []string{"/tmp", "/private/tmp", "/var/tmp", "/private/var/tmp"} {
		rest, below := strings.CutPrefix(p.Lexical, root+"/")
		name, _, deeper := strings.Cut(rest, "/")
		kind, _, _ := strings.Cut(name, "-")
		if tree := root + "/" + name; below && deeper && name[0] != '.' && !slices.Contains(owned, kind) &&
			!slices.ContainsFunc(projects(c), func(root string) bool { return within(tree, root) || within(root, tree) }) {
			return tree
		}
	}
	return ""
}

// owned begin the names of trees that programs keep for themselves in such a directory.
var owned = []string{"callgate", "claude", "codex", "copilot", "gemini", "opencode", "snap", "ssh", "systemd", "tmux"}

func holdsHome(c tool.Context, dir string) bool {
	return c.Home != "" && within(dir, path.Clean(c.Home))
}

// Relative returns how profiles name the place: relative to the first working
// directory, absolute outside it, links followed. Source: docs/seeds.md,
// "Action Strings by Tool".
func Relative(c tool.Context, p Place) string {
	if len(c.WorkingDirectories) == 0 {
		return p.Resolved
	}
	dir := path.Clean(c.WorkingDirectories[0])
	if p.Resolved == dir {
		return "."
	}
	if within(dir, p.Resolved) {
		return strings.TrimPrefix(p.Resolved[len(dir):], "/")
	}
	return p.Resolved
}

// Shown returns how a call's path is named in its action string and title:
// as Relative does when the host has resolved it, else by its text alone.
func Shown(c tool.Context, value string) string {
	if p, err := Locate(c, value); err == nil {
		return Relative(c, p)
	}
	lexical := value
	switch {
	case strings.HasPrefix(value, "~/") && c.Home != "":
		lexical = c.Home + value[1:]
	case !path.IsAbs(value) && c.CWD != "":
		lexical = c.CWD + "/" + value
	}
	lexical = path.Clean(lexical)
	return Relative(c, Place{Resolved: lexical, Lexical: lexical})
}

// projects are the directories that a call works in: the working directories, or the repository where
// none is configured.
func projects(c tool.Context) []string {
	var list []string
	for _, wd := range c.WorkingDirectories {
		list = append(list, path.Clean(wd))
	}
	if len(list) == 0 && c.ProjectRoot != "" {
		list = append(list, path.Clean(c.ProjectRoot))
	}
	return list
}

// SuggestProject proposes to read the project around a place, without its secrets. It is false where
// there is none, or it is too wide (see Suggest).
func SuggestProject(c tool.Context, p Place) (tool.Suggestion, bool) {
	if p.Lexical != p.Resolved {
		return tool.Suggestion{}, false
	}
	for _, root := range projects(c) {
		if pattern, ok := SuggestDirectory(c, Place{Lexical: root, Resolved: root}); ok && within(root, p.Lexical) {
			return tool.Propose(pattern+withoutSecrets, "reading everything below "+root+" but secrets, and searching there"), true
		}
	}
	return tool.Suggestion{}, false
}

// SuggestDirectory returns a pattern for everything below a directory, unless it is too wide to
// propose (see Suggest).
func SuggestDirectory(c tool.Context, p Place) (string, bool) {
	if p.Lexical != p.Resolved || p.Lexical == "/" || holdsHome(c, p.Lexical) {
		return "", false
	}
	return Escape(p.Lexical) + "/**", true
}
