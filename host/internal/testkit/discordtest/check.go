package discordtest

import (
	"fmt"
	"time"
)

// TB are the used parts of testing.TB; *testing.T is one.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Start starts a server for a test: with a minute to answer interactions and a second of
// people's patience unless the options say otherwise, closed and checked at the test's
// end.
func Start(t TB, opts Options) *Server {
	t.Helper()
	if opts.AckWithin == 0 {
		opts.AckWithin = time.Minute
	}
	if opts.Patience == 0 {
		opts.Patience = time.Second
	}
	s, err := New(opts)
	if err != nil {
		t.Fatalf("discordtest: %v", err)
	}
	t.Cleanup(s.Close)
	Check(t, s)
	return s
}

// Check fails the test at its end when a rule of Discord was broken and the violation was not
// taken.
func Check(t TB, s *Server) {
	t.Helper()
	t.Cleanup(func() {
		seen := map[string]int{}
		for _, v := range s.Violations() {
			if seen[v]++; seen[v] == 1 && len(seen) <= 20 {
				t.Errorf("discordtest: a rule of Discord was broken: %s", v)
			}
		}
		if len(seen) > 20 {
			t.Errorf("discordtest: and %s", fmt.Sprintf("%d more", len(seen)-20))
		}
	})
}
