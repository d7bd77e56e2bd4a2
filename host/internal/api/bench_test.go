package api_test

import (
	"testing"

	"github.com/callgate/callgate/engine"
)

// BenchmarkCheck is one call allowed by a rule, over the socket and audited, with a tool in Go.
// The cost of the transport is the difference to BenchmarkHealth.
func BenchmarkCheck(b *testing.B) {
	w := newWorld(b, nil)
	if _, err := w.client("admin").AddRule(b.Context(), "bench", allowRule("npm run build")); err != nil {
		b.Fatal(err)
	}
	c, r := w.client("ci"), bash("npm run build")
	b.ReportAllocs()
	for b.Loop() {
		if res, err := c.Check(b.Context(), r, nil); err != nil || res.Decision.Behavior != engine.Allow {
			b.Fatalf("got %+v, %v, want allow", res.Decision, err)
		}
	}
}

// BenchmarkHealth is the least request with a token, client and server.
func BenchmarkHealth(b *testing.B) {
	w := newWorld(b, nil)
	c := w.client("admin")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Health(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
