package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// BenchmarkAuditSearch looks among 100,000 rows. "nowhere" is the worst case: every
// row is looked at.
func BenchmarkAuditSearch(b *testing.B) {
	s := fresh(b)
	var wg sync.WaitGroup
	for w := range 100 {
		wg.Go(func() {
			for i := range 1000 {
				n := w*1000 + i
				r := decision()
				r.Session, r.Agent, r.Module = fmt.Sprint("session-", n%997), fmt.Sprint("agent-", n%50), "bash 0.1.0"
				r.Action = fmt.Sprintf("tool:bash:npm run build-%d --in /srv/shop/%d", n, n%313)
				if n%10 == 0 {
					r.Decision = store.AskApproved
				}
				r.Input = fmt.Sprintf(`{"command":"npm run build-%d --in /srv/shop/%d","description":"Build the project"}`, n, n%313)
				if _, err := s.Append(b.Context(), r); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, c := range []struct {
		name string
		f    store.Filter
	}{
		{"newest", store.Filter{}},
		{"agent", store.Filter{Agent: "agent-7"}},
		{"session", store.Filter{Session: "session-4"}},
		{"text", store.Filter{Text: "/srv/shop/12"}},
		{"session_nowhere", store.Filter{Session: "none"}},
		{"person_nowhere", store.Filter{Person: "nobody"}},
		{"since_nowhere", store.Filter{Since: time.Now().Add(time.Hour)}},
		{"rule_nowhere", store.Filter{Rule: "Bash(none)"}},
		{"text_nowhere", store.Filter{Text: "nowhere to be found"}},
		{"agent_and_text_nowhere", store.Filter{Agent: "agent-7", Text: "nowhere to be found"}},
	} {
		c.f.Newest, c.f.Limit = true, 50
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				for _, err := range s.Audit(b.Context(), c.f) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
	b.Run("tally", func(b *testing.B) {
		now := time.Now()
		for b.Loop() {
			if _, err := s.Tally(b.Context(), now.Add(-7*24*time.Hour), now.Add(time.Hour), 6*time.Hour); err != nil {
				b.Fatal(err)
			}
		}
	})
}
