package modulediff

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// Call is one past call, or several with the same tool and input.
type Call struct {
	// Seq and Time are of the audit's last row of it.
	Seq   int64           `json:"seq"`
	Time  time.Time       `json:"timestamp"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	// Masked means: the audit holds placeholders where secrets were.
	Masked bool `json:"masked,omitempty"`
	// Decision is its latest outcome; Times how often it came.
	Decision store.Outcome `json:"decision"`
	Times    int           `json:"times"`
}

// Calls are those of one module's tools.
type Calls struct {
	List []Call
	// Rows is how many rows they come from; Unreadable how many of these were left
	// out, as their input is no longer whole or was none.
	Rows, Unreadable int
}

// maxRow is the longest row to read, in bytes: the audit bounds its texts.
const maxRow = 4 << 20

// mostCalls bounds how many different calls are kept; later rows replace nothing.
const mostCalls = 20_000

// maskMark begins a placeholder for a secret in the audit.
const maskMark = "[masked:"

// Read reads an export of the audit in JSON lines and keeps the decisions since a time (the
// zero time keeps all) on wanted tools, equal calls once.
func Read(r io.Reader, since time.Time, wanted func(tool string) bool) (Calls, error) {
	var c Calls
	at := map[string]int{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRow)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var row store.Row
		if err := json.Unmarshal(line, &row); err != nil {
			return Calls{}, fmt.Errorf("line %d: not a row of the audit in JSON lines (callgate audit export --format jsonl): %w", n, err)
		}
		if row.Event == store.EventDecision && !row.Time.Before(since) && wanted(row.Tool) {
			c.add(row, at)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return Calls{}, fmt.Errorf("a row has more than %d bytes: not an export of the audit", maxRow)
	}
	return c, lines.Err()
}

func (c *Calls) add(row store.Row, at map[string]int) {
	c.Rows++
	input, err := strictjson.Object([]byte(row.Input))
	if err != nil {
		c.Unreadable++
		return
	}
	key := row.Tool + "\x00" + string(input)
	i, known := at[key]
	switch {
	case known:
	case len(c.List) == mostCalls:
		c.Unreadable++
		return
	default:
		i = len(c.List)
		at[key] = i
		c.List = append(c.List, Call{Tool: row.Tool, Input: input, Masked: strings.Contains(string(input), maskMark)})
	}
	one := &c.List[i]
	one.Seq, one.Time, one.Decision, one.Times = row.Seq, row.Time, row.Decision, one.Times+1
}
