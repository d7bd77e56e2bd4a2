package modules_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/swaptest"
	"github.com/callgate/callgate/host/wire"
)

// busy is a machine where a logging module comes too late.
type busy struct {
	slog.Handler
	on   atomic.Bool
	late time.Duration
}

// Handle implements slog.Handler.
func (b *busy) Handle(context.Context, slog.Record) error {
	if b.on.Load() {
		time.Sleep(b.late) // as a busy machine does
	}
	return nil
}

// lateDir is a watched directory with the module slow, on a busy machine, and with the test's
// clock.
type lateDir struct {
	*watchedDir
	machine *busy
	clock   atomic.Pointer[time.Time]
	tries   atomic.Int32
}

func newLateDir(t *testing.T) *lateDir {
	t.Helper()
	const timeout = 300 * time.Millisecond
	d := &lateDir{machine: &busy{Handler: slog.NewTextHandler(io.Discard, nil), late: timeout + 20*time.Millisecond}}
	d.machine.on.Store(true)
	d.clock.Store(new(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
	r, err := sandbox.New(t.Context(), sandbox.Config{Limits: sandbox.Limits{Timeout: timeout}, Logger: slog.New(d.machine)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	dir := directory(t, "slow")
	d.watchedDir = watchWith(t, modules.Options{
		Runtime: r, Dir: dir, Poll: time.Millisecond, Now: func() time.Time { return *d.clock.Load() },
		Compiling: func(file string) {
			if file == "slow.wasm" {
				d.tries.Add(1)
			}
		},
	})
	return d
}

// pass moves the clock, and returns when the directory was read afterwards.
func (d *lateDir) pass(by time.Duration, version int) {
	d.t.Helper()
	d.clock.Store(new(d.clock.Load().Add(by)))
	wasm := d.modules.Version(version)
	write(d.t, d.dir, "d.wasm", wasm)
	for {
		select {
		case <-d.outcomes:
			if d.c.Lookup("Deploy").Digest == sandbox.Digest(wasm) {
				return
			}
		case <-time.After(time.Minute):
			d.t.Fatal("nothing happened within a minute")
		}
	}
}

// TestWatch_refusedForWantOfTime: a module refused by a busy machine stayed refused until its
// bytes changed or a person asked.
func TestWatch_refusedForWantOfTime(t *testing.T) {
	t.Parallel()
	d := newLateDir(t)
	slow := func() wire.ModuleInfo {
		for _, m := range d.c.Modules() {
			if m.File == "slow.wasm" {
				return m
			}
		}
		t.Fatal("slow.wasm is not listed")
		return wire.ModuleInfo{}
	}
	m := slow()
	again := d.clock.Load().Add(10 * time.Second)
	if m.State != wire.ModuleRefused || !m.Again.Equal(again) || !strings.Contains(m.Problem, "time-out") || !strings.HasSuffix(m.Problem, "; next attempt at 2026-03-01T12:00:10Z") {
		t.Fatalf("after the first try: got %+v", m)
	}
	d.pass(9*time.Second, 1)
	if n := d.tries.Load(); n != 1 {
		t.Errorf("tried %d times before the first pause was over; want once", n)
	}
	d.clock.Store(new(again))
	s := d.await(wire.SwapRefused, nil)
	if want := again.Add(time.Minute); s.File != "slow.wasm" || !s.Again.Equal(want) || !strings.Contains(s.Why, "next attempt at 2026-03-01T12:01:10Z") {
		t.Errorf("after the second try: got %+v; want the next one at %s", s, want)
	}
	d.machine.on.Store(false)
	d.clock.Store(new(s.Again))
	s = d.await(wire.SwapLoaded, wasm(t, "slow"))
	if m := slow(); s.File != "slow.wasm" || m.State != wire.ModuleDev || m.Problem != "" || !m.Again.IsZero() || d.tries.Load() != 3 {
		t.Errorf("when the machine was quiet: got %+v, %+v, %d tries; want it in use with the third", s, m, d.tries.Load())
	}
}

// TestWatch_lateForEver: the pauses grow, and then it is not tried again by itself;
// it is when a person asks.
func TestWatch_lateForEver(t *testing.T) {
	t.Parallel()
	d := newLateDir(t)
	at := *d.clock.Load()
	for i, pause := range []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute} {
		at = at.Add(pause)
		d.clock.Store(new(at))
		s := d.await(wire.SwapRefused, nil)
		if last := i == 3; s.Again.IsZero() != last || last != strings.HasSuffix(s.Why, "; gave up after 5 attempts") {
			t.Errorf("after pause %s: got %+v", pause, s)
		}
	}
	d.pass(1000*time.Hour, 2)
	if n := d.tries.Load(); n != 5 {
		t.Errorf("tried %d times; want 5", n)
	}
	d.machine.on.Store(false)
	e := d.c.Lookup("slow")
	for try := 0; e.Err != nil && try < 20; try++ { // 300 ms may pass on a crowded machine
		reload(t, d.c)
		e = d.c.Lookup("slow")
	}
	if e.Err != nil || e.Module != "slow" {
		t.Errorf("when a person asked: got %+v", e)
	}
}

// TestWatch_ownFault: a module's own fault is final, beside any delay.
func TestWatch_ownFault(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for way := range swaptest.Ways {
		dir := t.TempDir()
		bad, want := swaptest.Open(t, repo.File("testdata")).Broken(way, 1)
		write(t, dir, "bad.wasm", bad)
		r, err := sandbox.New(t.Context(), sandbox.Config{Limits: sandbox.Limits{Timeout: time.Minute, Fuel: 3_000_000}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close(context.Background()) })
		c := open(t, modules.Options{Runtime: r, Dir: dir, Now: func() time.Time { return clock }})
		if m := c.Modules()[0]; m.State != wire.ModuleRefused || !strings.Contains(m.Problem, want) || !m.Again.IsZero() || strings.Contains(m.Problem, "again at") {
			t.Errorf("way %d: got %+v; want it refused for good", way, m)
		}
	}
}
