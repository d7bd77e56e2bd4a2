package ask_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// BenchmarkAsk is one call asked about, answered and taken up, without the
// person's time.
func BenchmarkAsk(b *testing.B) {
	b.Run("in memory", func(b *testing.B) { benchmarkAsk(b, newMemStore()) })
	b.Run("in SQLite", func(b *testing.B) {
		s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "asks.db"), store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		benchmarkAsk(b, s)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	})
}

func benchmarkAsk(b *testing.B, kept ask.Store) {
	broker := ask.New(ask.Config{Store: kept})
	defer broker.Close()
	events := broker.Subscribe(b.Context())
	go func() {
		for ev := range events {
			if ev.Kind == ask.EventShown {
				if _, err := broker.Answer(b.Context(), ev.Ask.ID, ask.Answer{Verdict: ask.Approve, By: "ann"}); err != nil {
					b.Error(err)
				}
			}
		}
	}()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		a := call("ls")
		a.CallID = fmt.Sprint(n)
		if out, err := broker.Ask(b.Context(), &a); err != nil || !out.Approved() {
			b.Fatal(out, err)
		}
	}
}
