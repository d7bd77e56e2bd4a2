package file

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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
	DirPathCamel  *string `json:"dirPath"`
}

// files returns the path as the call spells it, none when it names none.
func (l location) files() ([]string, error) {
	var given []string
	for _, spelling := range []*string{l.FilePath, l.Path, l.FilePathCamel, l.AbsolutePath, l.NotebookPath, l.TargetFile, l.DirPathCamel} {
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

// input is the common form of every file tool's input.
type input interface {
	// files are the call's paths, as it spells them. An error means they are unknown.
	files() ([]string, error)
	// preview is the new text, and its language: "diff", or "" for the file's.
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
	// Mode, Indentation and Detail are Codex's, Large Copilot's, Wait Gemini CLI's.
	Mode        option.Value `json:"mode"`
	Indentation indentation  `json:"indentation"`
	Detail      option.Value `json:"detail"`
	Large       option.Value `json:"forceReadLargeFiles"`
	Wait        option.Value `json:"wait_for_previous"`
	// Explanation is prose from Cursor.
	Explanation string `json:"explanation"`
}

// indentation selects the lines around one for Codex's read_file.
type indentation struct {
	Anchor   option.Value `json:"anchor_line"`
	Levels   option.Value `json:"max_levels"`
	Siblings option.Value `json:"include_siblings"`
	Header   option.Value `json:"include_header"`
	Lines    option.Value `json:"max_lines"`
}

func (readInput) preview() (text, language string) { return "", "" }

// maxFiles bounds the files of one call, as the host does.
const maxFiles = 256

// manyInput reads several files, possibly named by globs. Source: Gemini CLI's read_many_files.
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
	Wait option.Value `json:"wait_for_previous"`
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

// mayHold reports whether a path without a glob may be a directory; the tool then reads the files
// below: "docs/", "." and names without an extension.
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
	// Explanation is prose, Wait Gemini CLI's.
	Explanation string       `json:"explanation"`
	Wait        option.Value `json:"wait_for_previous"`
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
	// Code is VS Code's; Explanation is its prose.
	Code        string       `json:"code"`
	Explanation string       `json:"explanation"`
	Multiple    option.Value `json:"allow_multiple"`
	Wait        option.Value `json:"wait_for_previous"`
}

// shown renders the replacement as a small diff.
func (c change) shown() string {
	return prefixLines("-", c.OldString+c.OldStr+c.OldStringCamel) + prefixLines("+", c.NewString+c.NewStr+c.NewStringCamel+c.CodeEdit+c.Code)
}

type editInput struct {
	location
	change
	// Command is the command of Copilot's editor or the Anthropic API's: each counts as a change,
	// even if it only shows the file.
	Command    editorCommand `json:"command"`
	FileText   string        `json:"file_text"`
	InsertLine option.Value  `json:"insert_line"`
	InsertText string        `json:"insert_text"`
	ViewRange  option.Value  `json:"view_range"`
}

func (e editInput) preview() (text, language string) {
	return e.shown() + prefixLines("+", e.FileText+e.InsertText), "diff"
}

// editorCommand is a command of an editor tool.
type editorCommand string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *editorCommand) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if *c = editorCommand(token.String()); token.Kind() != '"' || !slices.Contains([]editorCommand{"view", "create", "str_replace", "insert", "undo_edit"}, *c) {
		return errors.New("the editor's command is not known")
	}
	return nil
}

type multiEditInput struct {
	location
	Edits []change `json:"edits"`
	// Replacements are VS Code's, each in a file of its own.
	Replacements []replacement `json:"replacements"`
	Explanation  string        `json:"explanation"`
}

// replacement is a change with its file.
type replacement struct {
	location
	change
}

func (m multiEditInput) files() ([]string, error) {
	list, err := m.location.files()
	if err == nil && len(list) > 0 && len(m.Replacements) > 0 {
		return nil, errors.New("the call names its files in two ways")
	}
	for _, r := range m.Replacements {
		own, ownErr := r.files()
		if err = cmp.Or(err, ownErr); err == nil && len(own) == 0 {
			err = errors.New("one of the files has no name")
		}
		list = append(list, own...)
	}
	if err == nil && len(list) > maxFiles {
		err = errors.New("the call names too many files")
	}
	if err != nil {
		return nil, err
	}
	return slices.Compact(list), nil
}

func (m multiEditInput) preview() (text, language string) {
	var b strings.Builder
	for _, edit := range m.Edits {
		b.WriteString(edit.shown())
	}
	for _, r := range m.Replacements {
		b.WriteString(r.shown())
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
	// The next ones are VS Code's.
	CellIDCamel string       `json:"cellId"`
	EditType    string       `json:"editType"`
	NewCode     notebookCode `json:"newCode"`
	Language    string       `json:"language"`
	Explanation string       `json:"explanation"`
}

// notebookCode is a text or its lines.
type notebookCode string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *notebookCode) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var lines []string
	if value.Kind() != '[' {
		lines = make([]string, 1)
		err = json.Unmarshal(value, &lines[0])
	} else {
		err = json.Unmarshal(value, &lines)
	}
	*c = notebookCode(strings.Join(lines, "\n"))
	return err
}

func (n notebookInput) preview() (text, language string) { return n.NewSource + string(n.NewCode), "" }

func prefixLines(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+prefix) + "\n"
}
