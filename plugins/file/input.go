package file

import (
	"errors"
	"strings"
)

// location is the path of a call in the spellings agents use. Exactly one may be
// given: with two, the client decides which one counts (threat T25).
type location struct {
	FilePath      *string `json:"file_path"`
	Path          *string `json:"path"`
	FilePathCamel *string `json:"filePath"`
	AbsolutePath  *string `json:"absolute_path"`
	NotebookPath  *string `json:"notebook_path"`
}

// written returns the path as the call spells it, "" when it names none.
func (l location) written() (string, error) {
	value, count := "", 0
	for _, spelling := range []*string{l.FilePath, l.Path, l.FilePathCamel, l.AbsolutePath, l.NotebookPath} {
		if spelling != nil {
			value = *spelling
			count++
		}
	}
	if count > 1 {
		return "", errors.New("the call names its path more than once")
	}
	return value, nil
}

// input is what every file tool's input offers.
type input interface {
	written() (string, error)
	// preview is what would be written, and its language: "diff", or "" for that
	// of the file.
	preview() (text, language string)
}

type readInput struct {
	location
	Offset    any `json:"offset"`
	Limit     any `json:"limit"`
	Pages     any `json:"pages"`
	ViewRange any `json:"view_range"`
}

func (readInput) preview() (text, language string) { return "", "" }

type writeInput struct {
	location
	Content  string `json:"content"`
	FileText string `json:"file_text"`
}

func (w writeInput) preview() (text, language string) { return w.Content + w.FileText, "" }

// change is one replacement in the spellings agents use.
type change struct {
	OldString      string `json:"old_string"`
	NewString      string `json:"new_string"`
	OldStr         string `json:"old_str"`
	NewStr         string `json:"new_str"`
	OldStringCamel string `json:"oldString"`
	NewStringCamel string `json:"newString"`
	ReplaceAll     any    `json:"replace_all"`
	ReplaceAllCaml any    `json:"replaceAll"`
	Replacements   any    `json:"expected_replacements"`
	Instruction    string `json:"instruction"`
}

// shown renders the replacement as a small diff.
func (c change) shown() string {
	return prefixLines("-", c.OldString+c.OldStr+c.OldStringCamel) + prefixLines("+", c.NewString+c.NewStr+c.NewStringCamel)
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
	CellID     any    `json:"cell_id"`
	CellNumber any    `json:"cell_number"`
	CellType   string `json:"cell_type"`
	EditMode   string `json:"edit_mode"`
	NewSource  string `json:"new_source"`
}

func (n notebookInput) preview() (text, language string) { return n.NewSource, "" }

func prefixLines(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+prefix) + "\n"
}
