package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/store/record"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// Session is the calls of one recorded session, in their order.
type Session struct {
	// Source is the file it was read from, without directory and ending.
	Source string
	ID     string
	// Root is the project's directory, Home the person's; absolute, Home may be empty.
	Root, Home string
	// Claude tells that the client was Claude Code.
	Claude bool
	Calls  []Call
}

// Call is one recorded call.
type Call struct {
	Tool  string
	Input jsontext.Value
	CWD   string
	// Mode is the one that it was decided in; empty when that is not known.
	Mode string
}

// maxLine bounds one line, in bytes.
const maxLine = 32 << 20

// Load reads records: files, and the *.jsonl of directories. A line is one of `callgate
// record`, or of a transcript: an object with tool, input and cwd, and session, root, home
// and agent as far as they are known; its other members are not heeded.
func Load(paths ...string) (sessions []Session, err error) {
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); err != nil {
			return nil, err
		} else if info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*.jsonl")); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s: no *.jsonl in it: callgate record writes them", path)
			}
		}
		for _, name := range files {
			read, err := loadFile(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			sessions = append(sessions, read...)
		}
	}
	return sessions, nil
}

func loadFile(name string) ([]Session, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return Read(strings.TrimSuffix(filepath.Base(name), ".jsonl"), f)
}

// Read reads one record; source names it in the report.
func Read(source string, in io.Reader) (sessions []Session, err error) {
	at := map[string]int{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		l, err := parse(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		i, known := at[l.Session]
		if !known {
			i = len(sessions)
			at[l.Session] = i
			sessions = append(sessions, Session{Source: source, ID: l.Session, Root: l.Root, Home: l.Home, Claude: l.Agent == "Claude Code"})
		}
		sessions[i].Calls = append(sessions[i].Calls, Call{Tool: l.Tool, Input: l.Input, CWD: l.CWD, Mode: l.Mode})
	}
	return sessions, lines.Err()
}

// line is a line of either form.
type line struct {
	Tool    string         `json:"tool"`
	Input   jsontext.Value `json:"input"`
	CWD     string         `json:"cwd"`
	Session string         `json:"session"`
	Root    string         `json:"root"`
	Home    string         `json:"home"`
	// Agent is the client's name, where a transcript tells it.
	Agent string `json:"agent"`
	// Op, Mode and Context are of `callgate record`.
	Op      string         `json:"op"`
	Mode    string         `json:"mode"`
	Context record.Context `json:"context"`
}

func parse(text []byte) (line, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return l, strictjson.Explain(err)
	}
	if l.Op == "" {
		l.Mode = ""
	} else {
		c := l.Context
		l.Session, l.CWD, l.Home = c.Session, c.CWD, c.Home
		l.Root = cmp.Or(first(c.WorkingDirectories), record.Project)
	}
	l.CWD = cmp.Or(l.CWD, l.Root)
	l.Root = cmp.Or(l.Root, l.CWD)
	l.Input = bytes.Clone(l.Input)
	switch {
	case l.Tool == "":
		return l, errors.New("tool: missing")
	case l.Input.Kind() != '{':
		return l, errors.New("input: want an object")
	}
	for _, p := range []string{l.Root, l.CWD, l.Home} {
		if p != "" && (!filepath.IsAbs(p) || filepath.Clean(p) != p) || l.Root == "" || l.Root == "/" {
			return l, fmt.Errorf("root %q, cwd %q, home %q: want clean absolute directories, and a root or a cwd below /", l.Root, l.CWD, l.Home)
		}
	}
	return l, nil
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
