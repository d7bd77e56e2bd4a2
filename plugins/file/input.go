package file

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/internal/option"
)

// location is the path of a call in the spellings agents use. Exactly one may be
// given: with two, the client decides which one counts (threat T25).
type location struct {
	FilePath      *string `json:"file_path"`
	Path          *string `json:"path"`
	FilePathCamel *string `json:"filePath"`
	AbsolutePath  *string `json:"absolute_path"`
	NotebookPath  *string `json:"notebook_path"`
	TargetFile    *string `json:"target_file"`
}

// files returns the path as the call spells it, none when it names none.
func (l location) files() ([]string, error) {
	var given []string
	for _, spelling := range []*string{l.FilePath, l.Path, l.FilePathCamel, l.AbsolutePath, l.NotebookPath, l.TargetFile} {
		if spelling != nil {
			given = append(given, *spelling)
		}
	}
	switch {
	case len(given) > 1:
		return nil, errors.New("the call names its path more than once")
	case len(given) == 1 && given[0] == "":
		return nil, nil
	}
	return given, nil
}

// input is what every file tool's input offers.
type input interface {
	// files are the paths that the call touches, as it spells them. An error means
	// that they cannot be told.
	files() ([]string, error)
	// preview is what would be written, and its language: "diff", or "" for that
	// of the file.
	preview() (text, language string)
}

type readInput struct {
	location
	Offset     option.Value `json:"offset"`
	Limit      option.Value `json:"limit"`
	Pages      option.Value `json:"pages"`
	ViewRange  option.Value `json:"view_range"`
	StartLine  option.Value `json:"start_line"`
	EndLine    option.Value `json:"end_line"`
	WholeFile  option.Value `json:"should_read_entire_file"`
	FirstLine  option.Value `json:"start_line_one_indexed"`
	LastLine   option.Value `json:"end_line_one_indexed_inclusive"`
	CamelStart option.Value `json:"startLine"`
	CamelEnd   option.Value `json:"endLine"`
	// Explanation is prose that Cursor sends along.
	Explanation string `json:"explanation"`
}

func (readInput) preview() (text, language string) { return "", "" }

// maxFiles bounds the files of one call, as the host does.
const maxFiles = 256

// manyInput reads several files, which it may name by globs. Source: Gemini CLI's
// read_many_files.
type manyInput struct {
	Paths       []string     `json:"paths"`
	Include     []string     `json:"include"`
	Exclude     []string     `json:"exclude"`
	Recursive   option.Value `json:"recursive"`
	Defaults    option.Value `json:"useDefaultExcludes"`
	GitIgnore   option.Value `json:"respect_git_ignore"`
	FilterFiles struct {
		GitIgnore    option.Value `json:"respect_git_ignore"`
		GeminiIgnore option.Value `json:"respect_gemini_ignore"`
	} `json:"file_filtering_options"`
}

func (m manyInput) files() ([]string, error) {
	list := slices.Concat(m.Paths, m.Include)
	switch {
	case len(list) > maxFiles:
		return nil, errors.New("the call names too many files")
	case slices.Contains(list, ""):
		return nil, errors.New("one of the files has no name")
	case slices.ContainsFunc(list, leaves):
		return nil, errors.New("a pattern may lead out of the directory it starts in")
	}
	return list, nil
}

// mayHold reports whether a path that is no glob may be a directory, of which the
// tool then reads what lies below: "docs/", "." and names without an extension.
func mayHold(file string) bool {
	base := path.Base(file)
	return strings.HasSuffix(file, "/") || base == ".." || strings.LastIndexByte(base, '.') <= 0
}

// leaves reports whether a glob may lead elsewhere behind its first wildcard.
func leaves(pattern string) bool {
	i := strings.IndexAny(pattern, "*?[{")
	return i >= 0 && (strings.Contains(pattern[i:], "..") || strings.Contains(pattern[i:], "{"))
}

func (manyInput) preview() (text, language string) { return "", "" }

type writeInput struct {
	location
	Content  string `json:"content"`
	FileText string `json:"file_text"`
}

func (w writeInput) preview() (text, language string) { return w.Content + w.FileText, "" }

// deleteInput removes a file.
type deleteInput struct {
	location
	Explanation string `json:"explanation"`
}

func (deleteInput) preview() (text, language string) { return "", "" }

// change is one replacement in the spellings agents use.
type change struct {
	OldString      string       `json:"old_string"`
	NewString      string       `json:"new_string"`
	OldStr         string       `json:"old_str"`
	NewStr         string       `json:"new_str"`
	OldStringCamel string       `json:"oldString"`
	NewStringCamel string       `json:"newString"`
	ReplaceAll     option.Value `json:"replace_all"`
	ReplaceAllCaml option.Value `json:"replaceAll"`
	Replacements   option.Value `json:"expected_replacements"`
	Instruction    string       `json:"instruction"`
	// Instructions and CodeEdit are Cursor's way of an edit.
	Instructions string `json:"instructions"`
	CodeEdit     string `json:"code_edit"`
}

// shown renders the replacement as a small diff.
func (c change) shown() string {
	return prefixLines("-", c.OldString+c.OldStr+c.OldStringCamel) + prefixLines("+", c.NewString+c.NewStr+c.NewStringCamel+c.CodeEdit)
}

type editInput struct {
	location
	change
}

func (e editInput) preview() (text, language string) { return e.shown(), "diff" }

type multiEditInput struct {
	location
	Edits []change `json:"edits"`
}

func (m multiEditInput) preview() (text, language string) {
	var b strings.Builder
	for _, edit := range m.Edits {
		b.WriteString(edit.shown())
	}
	return b.String(), "diff"
}

type notebookInput struct {
	location
	CellID     string       `json:"cell_id"`
	CellNumber option.Value `json:"cell_number"`
	CellType   string       `json:"cell_type"`
	EditMode   string       `json:"edit_mode"`
	NewSource  string       `json:"new_source"`
}

func (n notebookInput) preview() (text, language string) { return n.NewSource, "" }

func prefixLines(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+prefix) + "\n"
}
