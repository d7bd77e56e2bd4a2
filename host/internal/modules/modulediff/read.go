package modulediff

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// Calls are those of one module's tools.
type Calls struct {
	List []history.DiffCall
	// Rows is how many rows they come from; Unreadable how many of these were left
	// out, as their input is no longer whole or was none.
	Rows, Unreadable int
}

// maxRow is the longest row to read, in bytes: the audit bounds its texts.
const maxRow = 4 << 20

// mostCalls bounds how many different calls of an export are kept; later rows replace nothing.
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
			c.add(store.PastCall{Seq: row.Seq, Time: row.Time, Tool: row.Tool, Decision: row.Decision, Input: row.Input}, at, mostCalls)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return Calls{}, fmt.Errorf("a row has more than %d bytes: not an export of the audit", maxRow)
	}
	return c, lines.Err()
}

// Past keeps the newest past calls on wanted tools, equal calls once: at most so many different ones.
// It stops there, so calls older than those are neither read nor counted; more means there are any.
func Past(past iter.Seq2[store.PastCall, error], wanted func(tool string) bool, most int) (c Calls, more bool, err error) {
	at := map[string]int{}
	for call, err := range past {
		if err != nil {
			return Calls{}, false, err
		}
		if call.Digest == "" || !wanted(call.Tool) { // without a digest it was no call: a malformed request
			continue
		}
		if !c.add(call, at, most) {
			return c, true, nil
		}
	}
	return c, false, nil
}

// add notes a row; false for a different call beyond the bound.
func (c *Calls) add(row store.PastCall, at map[string]int, most int) bool {
	c.Rows++
	input, err := strictjson.Object([]byte(row.Input))
	if err != nil {
		c.Unreadable++
		return true
	}
	key := row.Tool + "\x00" + string(input)
	i, known := at[key]
	switch {
	case known:
	case len(c.List) == most:
		c.Unreadable++
		return false
	default:
		i = len(c.List)
		at[key] = i
		c.List = append(c.List, history.DiffCall{Tool: row.Tool, Input: input, Masked: strings.Contains(string(input), maskMark)})
	}
	one := &c.List[i]
	if one.Times++; row.Seq >= one.Seq {
		one.Seq, one.Time, one.Decision = row.Seq, row.Time, row.Decision
	}
	return true
}
