package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// appendMany appends n decisions at once.
func appendMany(t testing.TB, s *store.Store, n int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			r := decision()
			r.CallID = fmt.Sprint(i)
			if _, err := s.Append(context.Background(), r); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func rowsOf(t *testing.T, s *store.Store, f store.Filter) []store.Row {
	t.Helper()
	var rows []store.Row
	for r, err := range s.Audit(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

func TestAppend_keepsEveryField(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	want, err := s.Append(t.Context(), decision())
	if err != nil {
		t.Fatal(err)
	}
	got := rowsOf(t, s, store.Filter{})
	if len(got) != 1 || got[0] != want {
		t.Errorf("read back: got %+v, want %+v", got, want)
	}
	in := decision()
	want.Seq, want.Time, want.Prev, want.Hash, in.Event = 0, time.Time{}, store.Hash{}, store.Hash{}, store.EventDecision
	if want != in {
		t.Errorf("appended: got %+v, want %+v", want, in)
	}
}

func TestAppend_refusesADecisionWithoutOutcome(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for name, r := range map[string]store.Row{
		"none":                        {},
		"unknown":                     {Decision: "maybe"},
		"an event that decides":       {Event: store.EventRuleAdded, Decision: store.Allowed},
		"an event of unknown outcome": {Event: store.EventRuleAdded, Decision: "x"},
	} {
		if row, err := s.Append(t.Context(), r); err == nil {
			t.Errorf("%s: got row %d, want an error", name, row.Seq)
		}
	}
	if got := rowsOf(t, s, store.Filter{}); len(got) != 0 {
		t.Errorf("rows: got %d, want none", len(got))
	}
}

func TestAppend_afterCloseIsAnError(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), decision()); !errors.Is(err, store.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if _, err := s.RulesFor(t.Context(), "a", "", "", nil); !errors.Is(err, store.ErrClosed) {
		t.Errorf("RulesFor: got %v, want ErrClosed", err)
	}
	for _, err := range s.Audit(t.Context(), store.Filter{}) {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("Audit: got %v, want ErrClosed", err)
		}
	}
}

// When the disk, or a stranger's hand, takes the table away, nothing is answered; when it is
// back, the chain goes on from there.
func TestAppend_failsAndRecovers(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	appendMany(t, s, 3)
	tamper(t, s.Path(), "ALTER TABLE audit_log RENAME TO gone")
	if _, err := s.Append(t.Context(), decision()); err == nil {
		t.Error("without its table: got no error")
	}
	tamper(t, s.Path(), "ALTER TABLE gone RENAME TO audit_log")
	row, err := s.Append(t.Context(), decision())
	if err != nil || row.Seq != 4 {
		t.Errorf("after recovery: got row %d, %v, want row 4", row.Seq, err)
	}
	if r, err := s.VerifyAudit(t.Context()); err != nil || !r.OK() || r.Rows != 4 {
		t.Errorf("verify: got %+v, %v, want 4 sound rows", r, err)
	}
}

func TestAppend_cutsAndCleansTexts(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	in := store.Row{Decision: store.Denied, Detail: strings.Repeat("é", 64<<10), Tool: "a\x00b\xffc"}
	if _, err := s.Append(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	got := rowsOf(t, s, store.Filter{})[0]
	if len(got.Detail) > 64<<10 || !strings.HasSuffix(got.Detail, "é...") {
		t.Errorf("detail: got %d bytes ending in %q", len(got.Detail), got.Detail[len(got.Detail)-6:])
	}
	if want := "a\uFFFDb\uFFFDc"; got.Tool != want {
		t.Errorf("tool: got %q, want %q", got.Tool, want)
	}
}

// T14: a secret planted in every text from people is in no row and in no byte of the file.
func TestT14_secretsAreNotInTheAudit(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	const canary = "c4n4ry-Secret"
	r := decision()
	r.Input = `{"command":"TOKEN=` + canary + ` npm publish","password":"` + canary + `"}`
	r.Action = "tool:bash:TOKEN=" + canary + " npm publish"
	r.Detail = "rule Bash(TOKEN=" + canary + " npm publish) allows it"
	r.RuleText = "Bash(TOKEN=" + canary + " npm publish)"
	got, err := s.Append(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v", got); strings.Contains(text, canary) || !strings.Contains(text, "npm publish") {
		t.Errorf("row: got %s, want the call without its secret", text)
	}
	checkBytes(t, s.Path(), canary, false)
}

func TestAudit_filters(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := fresh(t)
	for i, r := range []store.Row{
		{Agent: "a", Session: "s1", Tool: "Bash", Decision: store.Allowed, Input: `{"command":"npm test"}`},
		{Agent: "a", Session: "s2", Tool: "Read", Decision: store.Denied, Detail: "outside /project"},
		{Agent: "b", Session: "s3", Tool: "Bash", Decision: store.AskApproved, DecidedBy: "ann", User: "u"},
		{Agent: "b", Session: "s3", Tool: "Bash", Decision: store.AskTimeout, Action: "tool:bash:100% sure_"},
	} {
		r.Time = now.Add(time.Duration(i) * time.Hour)
		if _, err := s.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		f    store.Filter
		want []int64
	}{
		"all":              {store.Filter{}, []int64{1, 2, 3, 4}},
		"newest first":     {store.Filter{Newest: true}, []int64{4, 3, 2, 1}},
		"newest two":       {store.Filter{Newest: true, Limit: 2}, []int64{4, 3}},
		"before":           {store.Filter{Newest: true, Before: 3}, []int64{2, 1}},
		"agent":            {store.Filter{Agent: "a"}, []int64{1, 2}},
		"session":          {store.Filter{Session: "s3"}, []int64{3, 4}},
		"tool":             {store.Filter{Tool: "Bash"}, []int64{1, 3, 4}},
		"user":             {store.Filter{User: "u"}, []int64{3}},
		"decision":         {store.Filter{Decision: store.AskTimeout}, []int64{4}},
		"since and until":  {store.Filter{Since: now.Add(time.Hour), Until: now.Add(3 * time.Hour)}, []int64{2, 3}},
		"text in input":    {store.Filter{Text: "NPM TEST"}, []int64{1}},
		"text in detail":   {store.Filter{Text: "outside"}, []int64{2}},
		"text is no glob":  {store.Filter{Text: "100% sure_"}, []int64{4}},
		"text nowhere":     {store.Filter{Text: "%"}, []int64{4}},
		"after, limited":   {store.Filter{After: 1, Limit: 2}, []int64{2, 3}},
		"event":            {store.Filter{Event: store.EventRuleAdded}, nil},
		"nobody's session": {store.Filter{Session: "' OR 1=1 --"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []int64
			for _, r := range rowsOf(t, s, c.f) {
				got = append(got, r.Seq)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("rows: got %v, want %v", got, c.want)
			}
		})
	}
}

func TestAudit_pages(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	appendMany(t, s, 1203)
	for _, limit := range []int{0, 1, 499, 500, 501, 1000, 2000} {
		want := limit
		if limit == 0 || limit > 1203 {
			want = 1203
		}
		got := rowsOf(t, s, store.Filter{Limit: limit})
		if len(got) != want || got[0].Seq != 1 || got[want-1].Seq != int64(want) {
			t.Errorf("limit %d: got %d rows, want %d", limit, len(got), want)
		}
	}
}

// A page is read before the loop's body runs, so the body may use the store.
func TestAudit_bodyMayWrite(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	appendMany(t, s, 2)
	for _, err := range s.Audit(t.Context(), store.Filter{Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		appendMany(t, s, 1)
	}
	if got := len(rowsOf(t, s, store.Filter{})); got != 4 {
		t.Errorf("rows: got %d, want 4", got)
	}
}

// tamper changes the file behind the store's back.
// hexLiteral is a value of bytes as SQLite writes it.
var hexLiteral = regexp.MustCompile(`\b[xX]'([0-9a-fA-F]*)'`)

func tamper(t *testing.T, path, query string, args ...any) {
	t.Helper()
	if os.Getenv(overPostgres) != "" {
		query = strings.ReplaceAll(query, "zeroblob(32)", "decode(repeat('00', 32), 'hex')")
		query = hexLiteral.ReplaceAllString(query, `'\\x$1'`)
		storetest.Exec(t, path, strings.Replace(query, "?", "$1", 1), args...)
		return
	}
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// T15: after any change of the audit, verify names the first wrong row.
func TestT15_verifyNamesTheFirstBreak(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		queries []string
		seq     int64
		what    string
	}{
		"untouched":         {nil, 0, ""},
		"edit":              {[]string{"UPDATE audit_log SET decision = 'deny' WHERE seq = 4"}, 4, "edited"},
		"edit of a time":    {[]string{"UPDATE audit_log SET timestamp = timestamp + 1 WHERE seq = 1"}, 1, "edited"},
		"edit of latency":   {[]string{"UPDATE audit_log SET latency = 1 WHERE seq = 10"}, 10, "edited"},
		"edit of prev":      {[]string{"UPDATE audit_log SET prev = zeroblob(32) WHERE seq = 6"}, 6, "edited"},
		"edit of the hash":  {[]string{"UPDATE audit_log SET hash = zeroblob(32) WHERE seq = 3"}, 3, "edited"},
		"text moved over":   {[]string{"UPDATE audit_log SET stage = '', code = stage || code WHERE seq = 2"}, 2, "edited"},
		"delete one":        {[]string{"DELETE FROM audit_log WHERE seq = 5"}, 5, "rows 5 to 5 are missing"},
		"delete the first":  {[]string{"DELETE FROM audit_log WHERE seq <= 2"}, 1, "rows 1 to 2 are missing"},
		"truncate":          {[]string{"DELETE FROM audit_log WHERE seq > 7"}, 8, "rows 8 to 10 are missing at the end"},
		"empty":             {[]string{"DELETE FROM audit_log"}, 1, "rows 1 to 10 are missing at the end"},
		"renumber":          {[]string{"DELETE FROM audit_log WHERE seq = 5", "UPDATE audit_log SET seq = 5 WHERE seq = 10"}, 5, "edited or moved"},
		"reorder":           {[]string{"UPDATE audit_log SET seq = 99 WHERE seq = 2", "UPDATE audit_log SET seq = 2 WHERE seq = 3", "UPDATE audit_log SET seq = 3 WHERE seq = 99"}, 2, "edited or moved"},
		"append":            {[]string{"INSERT INTO audit_log SELECT 11, timestamp, event, agent_name, session, user_id, tool, action_string, decision, decided_by, detail, stage, code, rule_id, rule_text, module_digest, call_id, digest, input, latency, prev, hash, rule_source, module, ask_id, evidence FROM audit_log WHERE seq = 10"}, 11, "edited"},
		"head turned back":  {[]string{"UPDATE audit_head SET seq = 9, hash = (SELECT hash FROM audit_log WHERE seq = 9)"}, 10, "added behind the head"},
		"head of other row": {[]string{"UPDATE audit_head SET hash = zeroblob(32)"}, 10, "head record"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fresh(t)
			appendMany(t, s, 10)
			for _, q := range c.queries {
				tamper(t, s.Path(), q)
			}
			got, err := s.VerifyAudit(t.Context())
			switch {
			case err != nil:
				t.Error(err)
			case c.seq == 0 && !got.OK():
				t.Errorf("got a break at %+v, want none", *got.Break)
			case c.seq != 0 && got.OK():
				t.Errorf("got no break, want one at row %d", c.seq)
			case c.seq != 0 && (got.Break.Seq != c.seq || !strings.Contains(got.Break.What, c.what)):
				t.Errorf("got %+v, want row %d, %q", *got.Break, c.seq, c.what)
			}
		})
	}
}

// T15: a row replaced together with its hash shows in the row behind it.
func TestT15_replacedRowIsNamed(t *testing.T) {
	t.Parallel()
	sqliteOnly(t) // its statement reads two files
	s, other := fresh(t), fresh(t)
	appendMany(t, s, 5)
	appendMany(t, other, 5)
	want := rowsOf(t, other, store.Filter{})[0]
	tamper(t, s.Path(), "ATTACH '"+other.Path()+"' AS o; DELETE FROM audit_log WHERE seq = 1; INSERT INTO audit_log SELECT * FROM o.audit_log WHERE seq = 1")
	got, err := s.VerifyAudit(t.Context())
	if err != nil || got.OK() || got.Break.Seq != 1 || !strings.Contains(got.Break.What, "replaced") {
		t.Errorf("got %+v, %v, want row 1 (%s) named as replaced", got, err, want.Hash)
	}
}

// TestLasting: a row is waited for as long as its caller waits, and a little longer, never for ever.
func TestLasting(t *testing.T) {
	for name, test := range map[string]struct{ leaves, ends time.Duration }{
		"the caller leaves":         {leaves: 20 * time.Second, ends: 30 * time.Second},
		"the caller leaves at once": {ends: 10 * time.Second},
		"the caller waits":          {leaves: time.Hour, ends: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				caller, leave := context.WithTimeout(t.Context(), test.leaves)
				defer leave()
				began := time.Now()
				lasting, end := store.Lasting(caller)
				defer end()
				<-lasting.Done()
				if took := time.Since(began); took != test.ends {
					t.Errorf("ended after %s, want %s", took, test.ends)
				}
			})
		})
	}
}

// TestAppend_textsOfAnySize: the statements of a row, compiled once, take texts of every size in turn.
func TestAppend_textsOfAnySize(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for _, size := range []int{0, 1, 4 << 10, 4<<10 - 1, 64 << 10, 0, 300, 64<<10 - 1, 2} {
		r := decision()
		r.Detail, r.RuleID, r.User, r.Agent = strings.Repeat("d", size), strings.Repeat("r", size%1000), "", strings.Repeat("ä", size/2)
		want, err := s.Append(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := rowsOf(t, s, store.Filter{}); got[0] != want && got[len(got)-1] != want {
			t.Errorf("texts of %d bytes: read back another row", size)
		}
	}
	if report, err := s.VerifyAudit(t.Context()); err != nil || report.Break != nil {
		t.Errorf("verify: got %+v, %v, want no break", report, err)
	}
}
