package record

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/store"
)

// Source is further information about a session beside its rows.
type Source struct {
	Session store.Session
	// Mode is the one the session's calls were decided in.
	Mode string
	// Home and WorkingDirectories are the agent's, absolute.
	Home               string
	WorkingDirectories []string
	// CWD tells where a call ran, by its id; nil, and the empty answer, mean the
	// session's own directory.
	CWD func(callID string) string
}

// Report is the result of Write.
type Report struct {
	// Calls were written.
	Calls int `json:"calls"`
	// Skipped are calls with an incomplete input in the audit.
	Skipped int `json:"skipped"`
}

// Write writes the calls among rows, each once: at its first place, with its last outcome. Rows are
// those of one session in their order.
func Write(w io.Writer, s Source, rows iter.Seq2[store.Row, error]) (Report, error) {
	var report Report
	var lines []Line
	known := map[string]int{}
	for row, err := range rows {
		switch {
		case err != nil:
			return Report{}, fmt.Errorf("record session %s: %w", s.Session.ID, err)
		case row.Event != store.EventDecision || row.Tool == "":
			continue
		}
		if at, again := known[row.CallID]; again && row.CallID != "" && lines[at].Tool == row.Tool {
			lines[at].Note = note(row)
			continue
		}
		input := jsontext.Value(row.Input)
		if !input.IsValid() || input.Kind() != '{' {
			report.Skipped++
			continue
		}
		if len(lines) == 0 && s.Session.ProjectRoot == "" {
			s.Session.ProjectRoot = s.root(row)
		}
		known[row.CallID] = len(lines)
		lines = append(lines, s.line(row, input))
	}
	for _, l := range lines {
		text, err := json.Marshal(l)
		if err != nil {
			return Report{}, fmt.Errorf("record session %s: call %s: %w", s.Session.ID, l.ID, err)
		}
		if _, err := w.Write(append(text, '\n')); err != nil {
			return Report{}, err
		}
		report.Calls++
	}
	return report, nil
}

// line makes a line of a row, with the machine's places replaced.
func (s Source) line(row store.Row, input jsontext.Value) Line {
	l := Line{
		ID: row.CallID, Op: op, Note: note(row), Mode: s.Mode, Tool: row.Tool, Input: bytes.Clone(input),
		Context: Context{
			CWD: s.cwd(row), Home: s.Home, WorkingDirectories: s.WorkingDirectories,
			Agent: row.Agent, Session: row.Session,
		},
	}
	if l.ID == "" {
		l.ID = "row-" + strconv.FormatInt(row.Seq, 10)
	}
	return l.Move(s.moves()...)
}

// cwd is where a call ran.
func (s Source) cwd(row store.Row) string {
	if s.CWD != nil {
		if cwd := s.CWD(row.CallID); cwd != "" {
			return cwd
		}
	}
	return s.Session.CWD
}

// root replaces the project of a session without one: the first working directory, or the session's
// first directory.
func (s Source) root(first store.Row) string {
	if len(s.WorkingDirectories) > 0 {
		return s.WorkingDirectories[0]
	}
	return s.cwd(first)
}

// moves replace the project before the home directory, as it may hold the project.
func (s Source) moves() []Move {
	var out []Move
	root := s.Session.ProjectRoot
	if root != "" && root != "/" {
		out = append(out, Move{root, Project})
	}
	if s.Home != "" && s.Home != "/" {
		out = append(out, Move{s.Home, Home})
	}
	return out
}

// note describes a call's outcome, for the reader.
func note(row store.Row) string {
	text := string(row.Decision)
	if row.Stage != "" {
		text += " (" + row.Stage + ")"
	}
	if row.RuleText != "" {
		text += " " + row.RuleText
	}
	return text
}
