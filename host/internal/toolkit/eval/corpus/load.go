package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// The kinds with a form of their own.
const (
	MustNotAllow = "must-not-allow"
	MustAllow    = "must-allow"
	Suggestions  = "suggestions"
	Match        = "match"
	Actions      = "actions"
)

// kinds is the order in reports; all other kinds follow.
var kinds = []string{MustNotAllow, MustAllow, Suggestions, Match, Actions}

// Corpus is a set of files.
type Corpus struct {
	Files []File
	// Answers, when set, gets every whole answer as it came: FILE:LINE, the question and the
	// JSON, with tabs between, a line each.
	Answers io.Writer
}

// File is one class of one kind.
type File struct {
	Path, Kind, Class string
	Cases             []Case
}

// Case is one line.
type Case struct {
	// Line counts from 1.
	Line int
	// Text shows the case to a person: the command, or the tool and its input.
	Text string
	// Why is the line's reason for its demand.
	Why    string
	probes []probe
}

// Requests returns the case's first questions, as lines of the machine interface without an id.
func (c Case) Requests() ([][]byte, error) {
	lines := make([][]byte, len(c.probes))
	for i, p := range c.probes {
		text, err := json.Marshal(p.request, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		lines[i] = text
	}
	return lines, nil
}

// Load reads every .jsonl file below dir. The error names each invalid line, as file:line.
func Load(dir string) (*Corpus, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := new(Corpus)
	var bad []error
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		kind := filepath.Base(filepath.Dir(path))
		if filepath.Dir(path) == filepath.Clean(dir) {
			kind = filepath.Base(root)
		}
		f := File{Path: path, Kind: kind, Class: strings.TrimSuffix(filepath.Base(path), ".jsonl")}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		bad = append(bad, f.read(data)...)
		c.Files = append(c.Files, f)
		return nil
	})
	if err := errors.Join(append(bad, err)...); err != nil {
		return nil, err
	}
	if len(c.Files) == 0 {
		return nil, fmt.Errorf("%s: no .jsonl file in it or below it", dir)
	}
	slices.SortStableFunc(c.Files, func(a, b File) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Class, b.Class))
	})
	return c, nil
}

func rank(kind string) int {
	if i := slices.Index(kinds, kind); i >= 0 {
		return i
	}
	return len(kinds)
}

// read takes the lines of a file and returns their defects.
func (f *File) read(data []byte) (bad []error) {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		c, err := readCase(f.Kind, line)
		if err != nil {
			bad = append(bad, fmt.Errorf("%s:%d: %w", f.Path, i+1, err))
			continue
		}
		c.Line = i + 1
		f.Cases = append(f.Cases, c)
	}
	return bad
}

// form is how the lines of a kind are read: it fills itself from one and turns
// into a case.
type form interface {
	read() (Case, error)
}

func readCase(kind string, line []byte) (Case, error) {
	var f form
	switch kind {
	case MustNotAllow:
		f = &decideForm{allowed: false}
	case MustAllow:
		f = &decideForm{allowed: true}
	case Suggestions:
		f = new(suggestForm)
	case Match:
		f = new(matchForm)
	case Actions:
		f = new(actionForm)
	default:
		f = new(requestForm)
	}
	if err := strictjson.Explain(json.Unmarshal(line, f, json.RejectUnknownMembers(true))); err != nil {
		return Case{}, fmt.Errorf("a line of kind %q: %w", kind, err)
	}
	return f.read()
}
