package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// TestAuditPage: pages that look at few rows follow each other without a gap, and the last one is the
// last, whatever the bound and the filter are.
func TestAuditPage(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for i := range 57 {
		r := decision()
		r.Agent, r.Session = fmt.Sprint("a", i%7), fmt.Sprint("s", i%5)
		if _, err := s.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []store.Filter{{}, {Agent: "a3"}, {Agent: "none"}, {Session: "s4"}, {Session: "s4", Agent: "a3"}, {Text: "npm"}, {Since: time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)}} {
		f.Newest = true
		var want []int64
		for row, err := range s.Audit(t.Context(), f) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, row.Seq)
		}
		for _, look := range []int64{0, 1, 4, 10, 56, 57, 1000} {
			var got []int64
			f, pages := f, 0
			for f.Limit, f.Look = 3, look; ; pages++ {
				rows, next, err := s.AuditPage(t.Context(), f)
				if err != nil || pages > 100 {
					t.Fatalf("%+v: page %d: %v", f, pages, err)
				}
				for _, row := range rows {
					got = append(got, row.Seq)
				}
				if f.Before = next; next == 0 {
					break
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%+v, looking at %d: got %v, want %v", f, look, got, want)
			}
		}
	}
}
