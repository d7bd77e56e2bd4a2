package search

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/internal/option"
	"github.com/callgate/callgate/plugins/internal/paths"
)

// query is a search's pattern and place.
type query struct {
	// pattern is the text a rule may name exactly; empty for a listing.
	pattern string
	// dir is where the search starts, as written; empty means the cwd.
	dir string
	// files is a glob over the file names of the search.
	files string
}

// reach is the part read by a search for contents below start: all of it, or the files of one name.
func (q query) reach(start string) string {
	if q.files == "" || strings.ContainsAny(q.files, "/!{},") {
		return start
	}
	return strings.TrimSuffix(start, "/") + "/**/" + q.files
}

// everything reports whether files of any name are looked into.
func (q query) everything() bool { return strings.Trim(q.files, "*?/.") == "" }

// input is the common form of every search tool's input.
type input interface{ query() query }

// where is the start of a search in the spellings agents use.
type where struct {
	Path    string `json:"path"`
	DirPath string `json:"dir_path"`
}

func (w where) dir() string {
	if w.Path != "" && w.DirPath != "" {
		return "\x00" // two starts: no path at all, so nothing is allowed
	}
	return w.Path + w.DirPath
}

type globInput struct {
	where
	Pattern          string       `json:"pattern"`
	CaseSensitive    option.Value `json:"case_sensitive"`
	RespectGitIgnore option.Value `json:"respect_git_ignore"`
	GeminiIgnore     option.Value `json:"respect_gemini_ignore"`
	// Query is VS Code's name of the pattern.
	Query string       `json:"query"`
	Most  option.Value `json:"maxResults"`
	Wait  option.Value `json:"wait_for_previous"`
}

func (in globInput) query() query {
	pattern, dir := in.either(in.Pattern, in.Query)
	return query{pattern, dir, pattern}
}

// either is the pattern in one of two spellings, and the search's start. With both spellings the
// client decides which one counts: then it starts nowhere (threat T25).
func (w where) either(pattern, query string) (string, string) {
	if pattern != "" && query != "" {
		return pattern, "\x00"
	}
	return pattern + query, w.dir()
}

type grepInput struct {
	where
	Pattern    string       `json:"pattern"`
	Glob       string       `json:"glob"`
	Include    string       `json:"include"`
	Type       option.Value `json:"type"`
	OutputMode option.Value `json:"output_mode"`
	After      option.Value `json:"-A"`
	Before     option.Value `json:"-B"`
	Around     option.Value `json:"-C"`
	Context    option.Value `json:"context"`
	Numbers    option.Value `json:"-n"`
	IgnoreCase option.Value `json:"-i"`
	OnlyMatch  option.Value `json:"-o"`
	HeadLimit  option.Value `json:"head_limit"`
	Offset     option.Value `json:"offset"`
	Multiline  option.Value `json:"multiline"`
	// IncludePattern is Gemini CLI's, IncludeCamel VS Code's; Query is VS Code's pattern.
	IncludePattern string       `json:"include_pattern"`
	IncludeCamel   string       `json:"includePattern"`
	Query          string       `json:"query"`
	IsRegexp       option.Value `json:"isRegexp"`
	Most           option.Value `json:"maxResults"`
	Limit          option.Value `json:"limit"`
	NamesOnly      option.Value `json:"names_only"`
	CaseSensitive  option.Value `json:"case_sensitive"`
	FixedStrings   option.Value `json:"fixed_strings"`
	AfterLines     option.Value `json:"after"`
	BeforeLines    option.Value `json:"before"`
	MostPerFile    option.Value `json:"max_matches_per_file"`
	MostOfAll      option.Value `json:"total_max_matches"`
	Wait           option.Value `json:"wait_for_previous"`
}

func (in grepInput) query() query {
	var files []string
	for _, glob := range []string{in.Glob, in.Include, in.IncludePattern, in.IncludeCamel} {
		if glob != "" {
			files = append(files, glob)
		}
	}
	pattern, dir := in.either(in.Pattern, in.Query)
	return query{pattern, dir, strings.Join(files, "/")}
}

type listInput struct {
	where
	Ignore []string `json:"ignore"`
	// Offset, Limit and Depth are Codex's, the next ones Gemini CLI's.
	Offset      option.Value `json:"offset"`
	Limit       option.Value `json:"limit"`
	Depth       option.Value `json:"depth"`
	Wait        option.Value `json:"wait_for_previous"`
	FilterFiles struct {
		GitIgnore    option.Value `json:"respect_git_ignore"`
		GeminiIgnore option.Value `json:"respect_gemini_ignore"`
	} `json:"file_filtering_options"`
}

func (in listInput) query() query { return query{dir: in.dir()} }

// start returns the directory containing the whole search, as a path for the host to resolve. A
// glob may lead there by itself: "../x/*.go", "/etc/**".
func (q query) start(fromPattern bool) (string, error) {
	dir := q.dir
	if dir == "" {
		dir = "."
	}
	if !fromPattern {
		return dir, nil
	}
	fixed, rest := splitGlob(q.pattern)
	if leaves(rest) {
		return "", errors.New("the pattern may lead out of the directory it starts in")
	}
	switch {
	case fixed == "":
		return dir, nil
	case path.IsAbs(fixed) || strings.HasPrefix(fixed, "~"):
		return fixed, nil
	}
	return strings.TrimSuffix(dir, "/") + "/" + fixed, nil
}

// leaves reports whether a glob may lead out of the directory it starts in.
func leaves(glob string) bool {
	texts, err := paths.Alternatives(glob)
	return err != nil || slices.ContainsFunc(append(texts, glob), func(text string) bool {
		return strings.HasPrefix(text, "/") || slices.ContainsFunc([]string{"..", "~", "{/", ",/", `\`}, func(way string) bool { return strings.Contains(text, way) })
	})
}

// named are the paths named outright by the search's glob over files: a deny rule of Read holds for
// them like for a read.
func (q query) named() ([]string, error) {
	beginnings, err := paths.Beginnings(q.files)
	if err != nil {
		return nil, err
	}
	for i, b := range beginnings {
		if q.dir != "" && !path.IsAbs(b) && !strings.HasPrefix(b, "~") {
			beginnings[i] = strings.TrimSuffix(q.dir, "/") + "/" + b
		}
	}
	return beginnings, nil
}

// splitGlob cuts a glob into the directories it begins with and the rest.
func splitGlob(pattern string) (fixed, rest string) {
	meta := strings.IndexAny(pattern, `*?[{(\`) // "(" for "@(a|b)"
	if meta < 0 {
		meta = len(pattern)
	}
	slash := strings.LastIndexByte(pattern[:meta], '/')
	switch {
	case slash < 0:
		return "", pattern
	case slash == 0:
		return "/", pattern[1:]
	}
	return pattern[:slash], pattern[slash+1:]
}
