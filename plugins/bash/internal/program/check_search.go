package program

import (
	"path"
	"slices"
	"strings"
)

// findActs says why a find or fd that only looks by its options runs something
// all the same: the commands behind -exec must only read, with any name of a
// file among their words, and show the contents of nothing but sources.
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
		case !row.Tame || row.Repo || row.Loose || inner.Inner > 0:
			return u.Program + " gives the names of files to " + inner.Command() + ", which may take one for an option"
		case !row.Names && !u.findsSources(span[0]):
			return u.Program + " shows the contents of files that are not named"
		}
	}
	return ""
}

// sourceNames are endings of names of files that hold no secrets by themselves.
var sourceNames = []string{
	"go", "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "rs", "c", "h", "cc", "cpp", "hpp", "cs", "java", "kt", "swift", "rb", "php", "pl", "lua", "md", "rst", "html", "css", "scss",
	"vue", "svelte", "proto", "scala", "ex", "exs", "erl", "hs", "ml", "clj", "dart", "r", "jl", "adoc", "tex", "cmake",
}

// findsSources tells whether every file that is found has the name of a source.
// find tests and acts in the order of its words, so that the name must be tested
// before Words[at].
func (u *Use) findsSources(at int) bool {
	endings := u.Values("-e")
	for _, o := range u.Options {
		if !o.Has || o.Name != "-name" && o.Name != "-iname" {
			continue
		}
		ending, ok := strings.CutPrefix(o.Value.Text, "*.")
		if !ok || o.At > at {
			return false
		}
		v := o.Value
		v.Text = ending
		endings = append(endings, v)
	}
	return len(endings) > 0 && !u.Has("-o", "-or", "-not", "-files0-from") && !slices.ContainsFunc(u.Words, func(w Word) bool { return w.Text == "!" || w.Text == "," }) &&
		!slices.ContainsFunc(endings, func(v Word) bool { return !v.Literal || !slices.Contains(sourceNames, v.Text) })
}

// removers are the programs that make a find one that removes.
var removers = []string{"rm", "unlink", "rmdir", "shred", "srm", "trash", "trash-put"}

// findTouches are the directories that find starts in, removed with everything
// below them when find is told to delete.
func findTouches(u *Use) []Touch {
	deletes := u.Has("-delete")
	for _, span := range u.Spans {
		deletes = deletes || slices.Contains(removers, path.Base(u.Words[span[0]].Text))
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
		deletes = deletes || slices.Contains(removers, path.Base(u.Words[span[0]].Text))
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
