package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// These places replace the recorded machine's in a record.
const (
	Project = "/project"
	Home    = "/home/user"
)

// op is the operation of eval in every line.
const op = "decide"

// Line is one recorded call.
type Line struct {
	// ID is the client's own id of the call, or the number of its audit row.
	ID string `json:"id"`
	Op string `json:"op"`
	// Note is the call's outcome when it was recorded.
	Note string `json:"note,omitempty"`
	// Mode is the mode to decide in; empty means default.
	Mode    string         `json:"mode,omitempty"`
	Tool    string         `json:"tool"`
	Input   jsontext.Value `json:"input"`
	Context Context        `json:"context,omitzero"`
}

// Context says where a recorded call ran.
type Context struct {
	CWD                string   `json:"cwd,omitempty"`
	Home               string   `json:"home,omitempty"`
	WorkingDirectories []string `json:"working_directories,omitempty"`
	Agent              string   `json:"agent,omitempty"`
	Session            string   `json:"session,omitempty"`
}

// maxLine bounds one line, in bytes.
const maxLine = 1 << 20

// Read returns the lines of a record in their order. An error names its line and comes last.
func Read(in io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		n := 0
		for lines.Scan() {
			n++
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			l, err := parse(lines.Bytes())
			if err != nil {
				yield(Line{}, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if !yield(l, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Line{}, fmt.Errorf("line %d: %w", n+1, err))
		}
	}
}

func parse(text []byte) (Line, error) {
	var l Line
	if err := json.Unmarshal(text, &l, json.RejectUnknownMembers(true)); err != nil {
		return Line{}, strictjson.Explain(err)
	}
	switch {
	case l.Op != op:
		return Line{}, fmt.Errorf("op: %q: a record holds %q only", l.Op, op)
	case l.Tool == "":
		return Line{}, errors.New("tool: missing")
	case len(l.Input) == 0:
		return Line{}, errors.New("input: missing")
	}
	return l, nil
}
