package discord_test

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// BenchmarkClickToReleasedCall is the time from a click on loopback until the agent's
// call has its answer, over the gateway.
func BenchmarkClickToReleasedCall(b *testing.B) {
	w := newWorld(b, simple)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		p := w.call("worker", fmt.Sprintf("s%d", i), fmt.Sprintf("make %d", i))
		c := p.card()
		released := make(chan time.Time, 1)
		go func() { p.got(); released <- time.Now() }()
		b.StartTimer()
		begun := time.Now()
		c.press(w.ann, message.VerbApprove)
		took = append(took, (<-released).Sub(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms/p99")
}

// BenchmarkWaitingAsk is the memory of an ask waiting with its card: of the gate, the broker
// and the surface, without the client's call.
func BenchmarkWaitingAsk(b *testing.B) {
	const many = 200
	var bytes []float64
	for b.Loop() {
		w := build(b, simple+"asks: {timeout: 30m, per_agent: 500}\n", optionsOfCrowd())
		w.asks.PerAgent = 2 * many
		w.open()
		w.connected()
		w.settledBy(w.ann)
		before := heap(w)
		calls := make([]*pending, many)
		for i := range calls {
			calls[i] = w.call("worker", fmt.Sprintf("s%d", i), fmt.Sprintf("make %d", i))
		}
		w.await("all cards stand", func() bool { return w.surface.State().Cards == many })
		w.await("they are stored", func() bool { rows, err := w.store.UnfinishedCards(b.Context()); return err == nil && len(rows) == many })
		bytes = append(bytes, (heap(w)-before)/many)
		for _, a := range w.broker.Waiting(ask.Filter{}) {
			if _, err := w.answer(a.ID, "joe", ask.Answer{Verdict: ask.Deny}); err != nil {
				b.Error(err)
			}
		}
		for _, p := range calls {
			p.got()
		}
		w.stop()
	}
	slices.Sort(bytes)
	b.ReportMetric(bytes[len(bytes)/2], "bytes/ask")
}

// heap is the memory in use after a full collection: live objects on the heap, and the stacks
// of goroutines. The Discord-shaped server's record of requests is dropped first.
func heap(w *world) float64 {
	w.discord.ForgetRequests() // the messages are needed
	for range 3 {
		runtime.GC()
	}
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return float64(samples[0].Value.Uint64() + samples[1].Value.Uint64())
}
