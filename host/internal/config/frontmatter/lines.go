package frontmatter

import (
	"slices"
	"strings"
)

// file is a text as lines, each with its end.
type file struct {
	mark  string
	lines []string
}

func lines(text string) file {
	rest := strings.TrimPrefix(text, "\ufeff")
	return file{mark: text[:len(text)-len(rest)], lines: strings.SplitAfter(rest, "\n")}
}

func (f file) text() string { return f.mark + strings.Join(f.lines, "") }

// end is how the file's lines end.
func (f file) end() string {
	if strings.HasSuffix(f.lines[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// insert puts lines before the line of index i.
func (f *file) insert(i int, texts ...string) {
	end := f.end()
	for k, t := range texts {
		texts[k] = t + end
	}
	f.lines = slices.Insert(f.lines, i, texts...)
}

// closing is the index of the head's last line; without a head, of the new one.
func (f *file) closing() int {
	if strings.TrimRight(f.lines[0], " \t\r\n") != "---" {
		f.insert(0, "---", "---")
		return 1
	}
	for i, l := range f.lines[1:] {
		if strings.TrimRight(l, " \t\r\n") == "---" {
			return i + 1
		}
	}
	return -1 // never: the text was read before
}

// dash is what stands before an entry of a list; empty for another line.
func dash(line string) string {
	entry, is := strings.CutPrefix(strings.TrimLeft(line, " \t"), "- ")
	if !is {
		return ""
	}
	return line[:len(line)-len(strings.TrimLeft(entry, " "))]
}

// indent is the indentation of entries in the head's lists: from another list, else two blanks.
func (f file) indent() string {
	for i, l := range f.lines {
		if strings.HasPrefix(l, "permissions_") && i+1 < len(f.lines) {
			if found := dash(f.lines[i+1]); found != "" {
				return found
			}
		}
	}
	return "  - "
}
