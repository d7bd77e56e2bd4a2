package store

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// WriteJSONLines writes rows, as [Store.Audit] gives them, one JSON object to a
// line. It holds one row at a time and stops at the first error of either side.
func WriteJSONLines(w io.Writer, rows iter.Seq2[Row, error]) error {
	e := json.NewEncoder(w)
	for row, err := range rows {
		if err != nil {
			return err
		}
		if err := e.Encode(row); err != nil {
			return fmt.Errorf("export audit row %d: %w", row.Seq, err)
		}
	}
	return nil
}

// csvHeader names the columns as in the JSON export.
var csvHeader = []string{"seq", "timestamp", "event", "agent_name", "session", "user_id", "tool", "action_string", "decision", "decided_by",
	"detail", "stage", "code", "rule_id", "rule_text", "module_digest", "call_id", "digest", "input", "latency_ns", "prev", "hash"}

// WriteCSV writes rows, as [Store.Audit] gives them, as CSV with a header. A cell
// that a spreadsheet would take for a formula begins with an apostrophe.
func WriteCSV(w io.Writer, rows iter.Seq2[Row, error]) error {
	c := csv.NewWriter(w)
	if err := c.Write(csvHeader); err != nil {
		return err
	}
	for row, err := range rows {
		if err != nil {
			c.Flush()
			return err
		}
		if err := c.Write(row.cells()); err != nil {
			return fmt.Errorf("export audit row %d: %w", row.Seq, err)
		}
	}
	c.Flush()
	return c.Error()
}

// cells are the row's fields as text, in the order of the columns.
func (r *Row) cells() []string {
	out := make([]string, 0, len(csvHeader))
	out = append(out, fmt.Sprint(r.Seq), r.Time.Format(time.RFC3339Nano))
	for _, p := range r.texts() {
		out = append(out, inertCell(*p))
	}
	return append(out, fmt.Sprint(int64(r.Latency)), r.Prev.String(), r.Hash.String())
}

func inertCell(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		return "'" + s
	}
	return s
}
