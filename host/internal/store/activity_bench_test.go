package store_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// fillMillion writes 1,000,000 rows past the chain of hashes, which no search looks at: of 2,000
// sessions and 20 agents, one in twenty asked about, one in three decided by a rule, one in a
// thousand a change.
const fillMillion = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
INSERT INTO audit_log (seq, timestamp, event, agent_name, session, user_id, tool, action_string, decision, decided_by, detail, stage, code,
	rule_id, rule_text, module_digest, call_id, digest, input, latency, prev, hash, rule_source, module, ask_id)
SELECT i, ? + i * 1000000000, iif(i % 1000 = 0, 'rule_added', 'decision'), 'agent-' || (i % 20), 'session-' || (i / 500), 'ann', iif(i % 3 = 0, 'Read', 'Bash'),
	'tool:bash:npm run build-' || i || ' --in /srv/shop/' || (i % 313), iif(i % 1000 = 0, '', iif(i % 20 = 7, 'ask_approved', 'allow')), iif(i % 20 = 7, 'ben', ''),
	'allow rule Bash(npm run:*)', 'allow_rule', 'rule_matched', iif(i % 3 = 1, 'rule-' || (i % 90), ''), iif(i % 3 = 1, 'Bash(npm run:*)', ''), hex(zeroblob(32)), 'call-' || i, hex(zeroblob(32)),
	'{"command":"npm run build-' || i || ' --in /srv/shop/' || (i % 313) || '","description":"Build the project"}', 400000, zeroblob(32), zeroblob(32), '', 'bash 0.1.0', ''
FROM n`

// BenchmarkActivityMillion is one page of Activity, 50 rows, on 1,000,000 rows of the audit: with each filter, and
// at the far end. "nowhere" finds nothing, so it looks at all rows that a page may look at. The metric
// is the slowest of them.
func BenchmarkActivityMillion(b *testing.B) {
	path := filepath.Join(b.TempDir(), "db", "callgate.db")
	if err := storetest.Open(b, path, store.Options{}).Close(); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now().Add(-1_000_000 * time.Second)
	if _, err := db.Exec(fillMillion, start.UnixNano()); err != nil {
		b.Fatal(err)
	}
	if _, err := db.Exec("UPDATE audit_head SET seq = 1000000"); err != nil {
		b.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	s := storetest.Open(b, path, store.Options{})
	b.Cleanup(func() { _ = s.Close() })
	slowest := 0.0
	for _, c := range []struct {
		name string
		f    store.Filter
	}{
		{"newest", store.Filter{}},
		{"oldest", store.Filter{Before: 60}},
		{"outcome", store.Filter{Event: store.EventDecision, Decision: store.AskApproved}},
		{"session", store.Filter{Session: "session-4"}},
		{"agent", store.Filter{Agent: "agent-7"}},
		{"rule", store.Filter{Rule: "rule-7"}},
		{"person", store.Filter{Person: "ben"}},
		{"since", store.Filter{Since: time.Now().Add(-time.Hour)}},
		{"text", store.Filter{Text: "/srv/shop/12"}},
		{"changes", store.Filter{Event: store.EventRuleAdded}},
		{"session_nowhere", store.Filter{Session: "none"}},
		{"agent_nowhere", store.Filter{Agent: "none"}},
		{"tool_nowhere", store.Filter{Tool: "none"}},
		{"rule_nowhere", store.Filter{Rule: "Bash(none)"}},
		{"person_nowhere", store.Filter{Person: "nobody"}},
		{"outcome_nowhere", store.Filter{Decision: store.AskCancelled}},
		{"since_nowhere", store.Filter{Since: time.Now().Add(time.Hour)}},
		{"text_nowhere", store.Filter{Text: "nowhere to be found"}},
	} {
		c.f.Newest, c.f.Limit, c.f.Look = true, 50, 50_000
		if c.f.Text != "" || c.f.Rule != "" {
			c.f.Look = 10_000
		}
		b.Run(c.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				if _, _, err := s.AuditPage(b.Context(), c.f); err != nil {
					b.Fatal(err)
				}
			}
			slowest = max(slowest, float64(b.Elapsed())/float64(n))
		})
	}
	b.Run("page", func(b *testing.B) { b.ReportMetric(slowest, "ns/slowest") })
}
