package program

import (
	"path"
	"slices"
	"strings"
)

// findActs says why a find or fd, reading by its options, runs something all the same: the
// commands behind -exec must only read, with any file name among their words, and show the
// contents of nothing but sources.
func findActs(u *Use) string {
	for _, span := range u.Spans {
		inner := Read(u.Words[span[0]:span[1]])
		row := inner.Row()
		ok, why := inner.ReadsOnly()
		switch {
		case strings.Contains(inner.Words[0].Text, "/"), !inner.Words[0].Literal, inner.Words[0].Glob:
			return u.Program + " runs " + inner.Words[0].Text
		case !ok:
			return why
		case !row.Tame && !u.prefixes(inner) || row.Repo || row.Loose || inner.Inner > 0:
			return u.Program + " gives the names of files to " + inner.Command() + ", which may take one for an option"
		case !row.Names && !u.findsSources(span[0]):
			return u.Program + " shows the contents of files that are not named"
		}
	}
	return ""
}

// prefixes reports whether find gives the names of files to sed as its last words alone: they
// begin with a start directory, so none is an option, and none is part of the script.
func (u *Use) prefixes(inner *Use) bool {
	if u.Program != "find" || u.Has("-files0-from") || inner.Program != "sed" || len(inner.Operands) == 0 {
		return false
	}
	scripts, _ := sedScripts(inner)
	names := len(inner.Words) - 1
	return len(scripts) > 0 && inner.Words[names].Text == "{}" && !slices.ContainsFunc(inner.Words[:names], func(w Word) bool { return !w.Literal || strings.Contains(w.Text, "{}") })
}

// sourceNames are endings of file names without secrets.
var sourceNames = []string{
	"go", "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "rs", "c", "h", "cc", "cpp", "hpp", "cs", "java", "kt", "swift", "rb", "php", "pl", "lua", "md", "rst", "html", "css", "scss",
	"vue", "svelte", "proto", "scala", "ex", "exs", "erl", "hs", "ml", "clj", "dart", "r", "jl", "adoc", "tex", "cmake",
}

// projectNames are files of projects without secrets.
const projectNames = `
	package.json package-lock.json tsconfig.json jsconfig.json composer.json deno.json turbo.json nx.json lerna.json angular.json manifest.json go.mod go.sum go.work Cargo.toml Cargo.lock pyproject.toml setup.cfg
	requirements.txt Pipfile Gemfile Rakefile Makefile GNUmakefile CMakeLists.txt Dockerfile Justfile Taskfile.yml pom.xml build.gradle settings.gradle README LICENSE CHANGELOG CODEOWNERS .gitignore .dockerignore .editorconfig
`

// ordinaryName reports whether a name, or every expansion of a glob, belongs to a source or a
// project file without secrets.
func ordinaryName(w Word) bool {
	name := path.Base(w.Text)
	if !w.Literal || name == "" || strings.ContainsAny(w.Text, "[{:\\") {
		return false
	}
	dot := strings.LastIndexByte(name, '.')
	return listed(projectNames, name) || dot > 0 && slices.Contains(sourceNames, name[dot+1:])
}

// findsSources reports whether every found file has an ordinary name. find tests and acts in
// the order of its words, so the name must be tested before Words[at], and only paths may be
// left out.
func (u *Use) findsSources(at int) bool {
	if endings := u.Values("-e"); len(endings) > 0 {
		return !slices.ContainsFunc(endings, func(w Word) bool { return !w.Literal || !slices.Contains(sourceNames, w.Text) })
	}
	named, open := false, 0
	for i := 1; i < at; i++ {
		value := i+1 < len(u.Words) && slices.ContainsFunc(u.Options, func(o Option) bool { return o.At == i && o.Has })
		switch text := u.Words[i].Text; {
		case text == "(":
			open++
		case text == ")":
			open--
		case text == "-name" || text == "-iname":
			if !value || !ordinaryName(u.Words[i+1]) {
				return false
			}
			named = true
		case (text == "!" || text == "-not") && i+1 < at && slices.Contains([]string{"-path", "-ipath", "-wholename"}, u.Words[i+1].Text):
		case text == "!", text == "-not", text == ",", text == "-files0-from":
			return false
		case text == "-o" || text == "-or":
			if open == 0 || !slices.Contains([]string{"-name", "-iname"}, u.Words[i+1].Text) {
				return false
			}
		case open > 0 && strings.HasPrefix(text, "-"):
			return false
		}
		if value {
			i++
		}
	}
	return named && open == 0
}

// ListsOrdinary reports whether a use only prints names of files without secrets, one on each
// line.
func (u *Use) ListsOrdinary() bool {
	if ok, _ := u.ReadsOnly(); !ok {
		return false
	}
	every := func(list []Word) bool {
		return len(list) > 0 && !slices.ContainsFunc(list, func(w Word) bool { return !ordinaryName(w) })
	}
	switch u.Command() {
	case "find", "gfind", "fd", "fdfind":
		return len(u.Spans) == 0 && !u.Has("-printf", "-ls", "-l") && u.findsSources(len(u.Words))
	case "git ls-files":
		globs := !slices.ContainsFunc(u.Operands, func(w Word) bool { return !strings.Contains(w.Text, "*") }) // a plain name may be a directory's
		return globs && every(u.Operands) && !u.Has("-s", "-u", "--format", "--eol", "--debug")
	case "grep", "egrep", "fgrep":
		return u.Has("-l") && every(u.Values("--include")) && !u.Has("--exclude", "--exclude-from") // these would invert the selection
	case "rg":
		return u.Has("-l", "--files") && every(u.Values("-g")) && !u.Has("--iglob")
	}
	return false
}

// Passes tells whether a use prints lines of its input, and nothing else.
func (u *Use) Passes() bool {
	ok, _ := u.ReadsOnly()
	switch u.Program {
	case "head", "tail", "sort", "uniq", "shuf":
		return ok && len(u.Operands) == 0
	case "grep", "egrep", "fgrep":
		return ok && len(u.With(Reads)) == 0 && !u.Has("-o", "-c", "-n", "-H", "-b", "-r", "-R", "-f")
	}
	return false
}

// NamesAlone reports whether the use shows nothing but names and facts of files, for any
// further words.
func (u *Use) NamesAlone() bool {
	return u.grammar.Names && u.grammar.Tame && u.grammar.namesAlone() || u.grammar.Loose && u.grammar.Tame && u.Program == "echo"
}

// xargsActs requires a command that only reads with any words added, and takes no options from
// elsewhere. The caller judges the files named by the words.
func xargsActs(u *Use) string {
	splits := slices.ContainsFunc(u.Values("-d"), func(w Word) bool { return w.Text != `\n` && w.Text != "\n" && w.Text != `\0` })
	if splits || u.Inner == 0 || u.Inner >= len(u.Words) || u.Has("-a", "-p", "-o", "--process-slot-var") {
		return u.Program + " is not known to only read"
	}
	inner := Read(u.Words[u.Inner:u.End])
	ok, why := inner.ReadsOnly()
	switch {
	case !ok:
		return why
	case strings.Contains(inner.Words[0].Text, "/"), !inner.grammar.Tame, inner.grammar.Repo, inner.Inner > 0, len(inner.Spans) > 0, inner.Deep() && !inner.NamesAlone():
		return u.Program + " gives words to " + inner.Command() + ", which may take one for an option"
	}
	return ""
}

// grepPrintsAll says why a recursive grep prints whole files, hidden ones with
// their secrets among them: every line matches, and no filter chooses the files.
func grepPrintsAll(u *Use) string {
	if !u.Deep() || u.Has("-c", "-l", "-L", "-q", "--include") || !u.matchesAll() {
		return ""
	}
	return u.Program + " prints every line of all files, secrets among them"
}

// rgPrintsAll is grepPrintsAll for rg and ag: they skip hidden files by default.
func rgPrintsAll(u *Use) string {
	hidden := u.Has("-.", "--hidden", "-u")
	if !hidden || u.Has("-c", "--count-matches", "-l", "--files-without-match", "-q", "--files", "--type-list", "-t") || len(u.Filters()) > 0 || !u.matchesAll() {
		return ""
	}
	return u.Program + " prints every line of all files, secrets among them"
}

// matchesAll reports whether a search prints nearly every line: some branch of its pattern
// requires no text at all, or it prints the lines without a match.
func (u *Use) matchesAll() bool {
	if u.Has("-v", "--passthru") {
		return true
	}
	patterns := u.Values("-e")
	if len(patterns) == 0 {
		patterns = u.With(Text)
	}
	signs := "^.*" // the signs other than text in a basic expression
	if u.Program != "grep" || u.Has("-E", "-P") {
		signs += "+?(){},0"
	}
	return slices.ContainsFunc(patterns, func(p Word) bool {
		return slices.ContainsFunc(strings.Split(strings.ReplaceAll(p.Text, `\|`, "|"), "|"), func(branch string) bool { return matchesAnything(branch, signs) })
	})
}

// matchesAnything tells whether a regular expression without alternatives consists
// of anchors, classes and the signs alone.
func matchesAnything(expression, signs string) bool {
	expression = strings.TrimSuffix(expression, "$")
	class := false
	for i := 0; i < len(expression); i++ {
		switch c := expression[i]; {
		case class:
			class = c != ']'
		case c == '[':
			class = true
			if strings.HasPrefix(expression[i+1:], "^]") || strings.HasPrefix(expression[i+1:], "]") {
				i += len("]") // a leading bracket belongs to the class
			}
		case c == '\\' && i+1 < len(expression) && strings.IndexByte("wWsSbBdD(){}?+", expression[i+1]) >= 0:
			i++
		case strings.IndexByte(signs, c) < 0:
			// An optional character requires nothing.
			if i+1 == len(expression) || strings.IndexByte("*?", expression[i+1]) < 0 {
				return false
			}
		}
	}
	return true
}

// Remover reports whether a program's business is to remove files. A find that runs it removes,
// and a rule for it covers it only in the rule's own spelling: not behind a wrapper, not by a
// path (RATIONALE.md, "Why is a wrapped command judged twice?").
func Remover(name string) bool { return slices.Contains(removers, path.Base(name)) }

var removers = []string{"rm", "unlink", "rmdir", "shred", "srm", "trash", "trash-put"}

// findTouches are the start directories of find, removed with everything below them under
// -delete.
func findTouches(u *Use) []Touch {
	deletes := u.Has("-delete")
	for _, span := range u.Spans {
		deletes = deletes || Remover(u.Words[span[0]].Text)
	}
	starts := u.Operands
	if len(starts) == 0 {
		starts = []Word{here()}
	}
	var out []Touch
	for _, start := range starts {
		out = append(out, Touch{Word: start, Access: ReadAccess})
	}
	for _, start := range starts {
		if deletes {
			out = append(out, Touch{Word: start, Access: WriteAccess, Removes: true, Recursive: true})
		}
	}
	return out
}

func fdTouches(u *Use) []Touch {
	deletes := false
	for _, span := range u.Spans {
		deletes = deletes || Remover(u.Words[span[0]].Text)
	}
	starts := u.With(Reads)
	if len(starts) == 0 {
		starts = append(u.Values("--search-path", "--base-directory", "-C"), here())[:1]
	}
	var out []Touch
	for _, start := range starts {
		out = append(out, Touch{Word: start, Access: ReadAccess})
		if deletes {
			out = append(out, Touch{Word: start, Access: WriteAccess, Removes: true, Recursive: true})
		}
	}
	return out
}
