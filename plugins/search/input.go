package search

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/internal/option"
	"github.com/callgate/callgate/plugins/internal/paths"
)

// query is what a search looks for, and where.
type query struct {
	// pattern is what a rule may name exactly; empty for a listing.
	pattern string
	// dir is where the search starts, as written; empty means the cwd.
	dir string
	// files is a glob over file names that the search is limited to, or looks for.
	files string
}

// reach is what a search for contents below start reads: all of it, or the files
// of one name.
func (q query) reach(start string) string {
	if q.files == "" || strings.ContainsAny(q.files, "/!{},") {
		return start
	}
	return strings.TrimSuffix(start, "/") + "/**/" + q.files
}

// everything reports whether files of any name are looked into.
func (q query) everything() bool { return strings.Trim(q.files, "*?/.") == "" }

// input is what every search tool's input offers.
type input interface{ query() query }

// where is the start of a search in the spellings agents use.
type where struct {
	Path    string `json:"path"`
	DirPath string `json:"dir_path"`
}

func (w where) dir() string {
	if w.Path != "" && w.DirPath != "" {
		return "\x00" // two starts: no path at all, so that nothing is allowed
	}
	return w.Path + w.DirPath
}

type globInput struct {
	where
	Pattern          string       `json:"pattern"`
	CaseSensitive    option.Value `json:"case_sensitive"`
	RespectGitIgnore option.Value `json:"respect_git_ignore"`
}

func (in globInput) query() query { return query{in.Pattern, in.dir(), in.Pattern} }

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
}

func (in grepInput) query() query {
	files := in.Glob
	if in.Include != "" {
		files = strings.TrimPrefix(files+"/"+in.Include, "/")
	}
	return query{in.Pattern, in.dir(), files}
}

type listInput struct {
	where
	Ignore []string `json:"ignore"`
}

func (in listInput) query() query { return query{dir: in.dir()} }

// start returns the directory that a search cannot leave, as a path for the
// host to resolve. A glob may lead there by itself: "../x/*.go", "/etc/**".
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

// named are the paths that the search's glob over files names outright, so that
// a deny rule of Read holds for them as if they were read.
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
