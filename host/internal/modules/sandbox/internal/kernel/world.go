package kernel

import (
	"math/rand/v2"
	"time"
)

// world is a guest's world in WASI: a clock moved only by the guest's sleeps (or a sleeping
// guest would wait for ever), and numbers drawn from a fixed seed. Each call finds it the same.
type world struct {
	slept time.Duration
	rand  *rand.ChaCha8 // nil until it is drawn from
	drawn bool
}

const (
	// uptime is the start of the monotonic clock: Go guests do not start at zero.
	uptime = time.Second
	// resolution is the resolution of both clocks.
	resolution = time.Millisecond
	// maxSlept keeps the clocks from running over.
	maxSlept = 1 << 60
)

// epoch is the time in every sandbox: 2026-01-01T00:00:00Z.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// randSeed makes each call draw the same numbers. A fixed seed is the point:
// a module's answer depends on its input and on nothing else.
var randSeed = [32]byte([]byte("callgate: the same for each call"))

// reset makes it the time of the call's beginning again.
func (w *world) reset() {
	w.slept = 0
	w.drawn = false
}

// walltime and monotonic return the two clocks, in nanoseconds.
func (w *world) walltime() int64  { return epoch.UnixNano() + int64(w.slept) }
func (w *world) monotonic() int64 { return int64(uptime + w.slept) }

// sleep moves the clocks.
func (w *world) sleep(d time.Duration) {
	if d > 0 && d <= maxSlept-w.slept {
		w.slept += d
	}
}

// draw fills p with the next of the call's random bytes. Seeding costs as much as
// an empty call, so it waits until a guest asks.
func (w *world) draw(p []byte) {
	if w.rand == nil {
		w.rand = rand.NewChaCha8(randSeed)
	} else if !w.drawn {
		w.rand.Seed(randSeed)
	}
	w.drawn = true
	_, _ = w.rand.Read(p) // never fails
}
