package target

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/engine"
)

// Limits bounds one Resolve. Source: threat T17.
type Limits struct {
	// Targets is how many a call may name.
	Targets int
	// Length is how many bytes a target's value, or a link, may have.
	Length int
	// Links is how many links one path may lead through.
	Links int
	// Time is how long all of it may take on the clock.
	Time time.Duration
}

// DefaultLimits returns 256 targets of 4 KiB, 40 links and 200 ms.
func DefaultLimits() Limits {
	return Limits{Targets: 256, Length: 4096, Links: 40, Time: 200 * time.Millisecond}
}

// Place is where a call runs. The paths are those of the operator's configuration, not yet
// resolved, but for CWD from the caller.
type Place struct {
	CWD                string
	Home               string
	WorkingDirectories []string
}

// Resolver resolves the targets of calls. It is safe for concurrent use and
// must not be copied once used.
type Resolver struct {
	// FS is where paths are looked at: OS() or Links(...). Without one nothing
	// resolves.
	FS FS
	// Limits bounds each look; a zero member stands for DefaultLimits.
	Limits Limits

	busy  atomic.Int32
	once  sync.Once
	slots chan struct{}

	absent absences
	// now is the clock, for tests; nil is time.Now.
	now func() time.Time
}

func (r *Resolver) clock() time.Time {
	if r.now != nil {
		return r.now()
	}
	return time.Now()
}

// limits returns the bounds in force.
func (r *Resolver) limits() Limits {
	l, d := r.Limits, DefaultLimits()
	return Limits{
		Targets: cmp.Or(l.Targets, d.Targets), Length: cmp.Or(l.Length, d.Length),
		Links: cmp.Or(l.Links, d.Links), Time: cmp.Or(l.Time, d.Time),
	}
}

// maxBusy bounds concurrent look-ups, those hanging in the kernel included: a look-up cannot be
// called back, only left behind.
const maxBusy = 512

// maxRunning bounds look-ups with a running clock. The others wait for their turn first: of
// hundreds beginning together, each would see its own time pass while the rest are served.
const maxRunning = 32

// waiting is how many times its own time a look-up waits for its turn.
const waiting = 10

var (
	errTooSlow = errors.New("looking at the path took too long")
	errTooBusy = errors.New("too many path look-ups at once; a file system may be hanging")
	errNoFS    = errors.New("no file system to resolve paths on")
)

// Resolve returns the targets with the host's facts about each. For a path it fills Resolved,
// Lexical, Exists, Inside, Repo and Claimed, or Error; other kinds come back as they are. A
// module's own values in these members are dropped. Behind all of them, a pattern for names is
// answered once more for each link that it names.
//
// Inside is the resolved working directory around the path both as written and as resolved. To
// keep either reading from leading out of it, it must also hold the place of a link itself, and
// the destination of the cleaned path.
//
// input is the call's input: a path with a part missing both there and in the names of p is
// Claimed. An error means: the targets as a whole cannot be judged (too many, too slow),
// finally for the call.
func (r *Resolver) Resolve(ctx context.Context, p Place, input json.RawMessage, targets []engine.Target) ([]engine.Target, error) {
	if len(targets) == 0 {
		return nil, nil
	}
	if most := r.limits().Targets; len(targets) > most {
		return nil, fmt.Errorf("resolve targets: the call names %d, at most %d are looked at", len(targets), most)
	}
	said := words(input, p) // before the clock starts: a large input is no slow file system
	return run(ctx, r, r.limits().Time, func(w *walker) ([]engine.Target, error) {
		j := &judge{walker: w, place: p, dirs: w.directories(p.WorkingDirectories), words: said}
		w.goEnv = w.goSettings(p.Home)
		out := make([]engine.Target, len(targets))
		for i, t := range targets {
			out[i] = j.target(t)
		}
		for _, t := range out[:len(targets):len(targets)] {
			out = append(out, j.linksOf(t)...)
		}
		return out, w.late()
	})
}

// Directories returns the working directories resolved, in their order, for
// engine.Context.WorkingDirectories. A missing directory is kept (it may be made later); an
// unresolvable one is an error naming it.
func (r *Resolver) Directories(ctx context.Context, dirs []string) ([]string, error) {
	if len(dirs) == 0 && r.FS != nil {
		return []string{}, nil
	}
	return run(ctx, r, r.limits().Time, func(w *walker) ([]string, error) {
		out := make([]string, 0, len(dirs))
		for _, d := range w.directories(dirs) {
			if d.err != nil {
				return nil, fmt.Errorf("working directory %s: %w", d.given, d.err)
			}
			out = append(out, d.resolved)
		}
		return out, w.late()
	})
}

// run does the work beside the caller, because a file system may never answer, for as long
// as patience allows.
func run[T any](ctx context.Context, r *Resolver, patience time.Duration, work func(*walker) (T, error)) (T, error) {
	var none T
	if r.FS == nil {
		return none, errNoFS
	}
	if r.busy.Add(1) > maxBusy {
		r.busy.Add(-1)
		return none, errTooBusy
	}
	if err := r.enter(ctx, waiting*patience); err != nil {
		r.busy.Add(-1)
		return none, err
	}
	defer r.leave()
	type answer struct {
		value T
		seen  map[string]node
		err   error
	}
	done := make(chan answer, 1)
	shared, seen, turn := take(ctx, r)
	c := patient(ctx, patience)
	defer c.stop()
	go func() {
		defer r.busy.Add(-1)
		c.steps.Add(1)
		w, err := r.walker(c)
		if err != nil {
			done <- answer{none, seen, err}
			return
		}
		w.seen, w.turn = seen, turn
		value, err := work(w)
		done <- answer{value, seen, err}
	}()
	select {
	case a := <-done:
		shared.give(a.seen)
		return a.value, a.err
	case <-c.over:
		return none, late(c.cause())
	case <-ctx.Done():
		return none, late(context.Cause(ctx))
	}
}

// enter waits for its turn, not longer than limit. A look-up hanging in the kernel gives its
// turn back with its time: its waiter leaves.
func (r *Resolver) enter(ctx context.Context, limit time.Duration) error {
	r.once.Do(func() { r.slots = make(chan struct{}, maxRunning) })
	select {
	case r.slots <- struct{}{}: // nearly always, and without a timer
		return nil
	default:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTooBusy)
	defer cancel()
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return late(context.Cause(ctx))
	}
}

func (r *Resolver) leave() { <-r.slots }

func (r *Resolver) walker(c *clock) (*walker, error) {
	mounts, err := r.FS.Mounts()
	c.steps.Add(1)
	if err != nil {
		return nil, err
	}
	return &walker{ctx: c, fs: r.FS, limits: r.limits(), mounts: mounts, absent: &r.absent, now: r.clock()}, nil
}

// late returns an error once the time is up: the rest is unknown.
func (w *walker) late() error {
	if w.ctx.Err() != nil {
		return late(w.ctx.cause())
	}
	return nil
}

func late(cause error) error { return fmt.Errorf("resolve targets: %w", cause) }

// directory is one working directory.
type directory struct {
	given, resolved string
	err             error
}

// directories resolves working directories. They are the operator's choice, so
// the file systems they are on may be looked at.
func (w *walker) directories(dirs []string) []directory {
	out := make([]directory, 0, len(dirs))
	for _, given := range dirs {
		mounts := w.mounts
		w.mounts = nil
		f, err := w.follow(given, true)
		w.mounts = mounts
		if err == nil {
			w.trust(f.path)
		}
		out = append(out, directory{path.Clean(given), f.path, err})
	}
	return out
}

// trust marks the mount points above dir as the operator's own.
func (w *walker) trust(dir string) {
	if !slices.Contains(w.own, dir) {
		w.own = append(w.own, dir)
	}
}

// owns reports whether the operator chose to work below a mount point, or in it.
func (w *walker) owns(mount string) bool {
	return mount != "/" && slices.ContainsFunc(w.own, func(dir string) bool { return within(mount, dir) })
}

// turns is in how many parts the time of a look-up is counted.
const turns = 10

// crowded is how many times its patience a look-up may take on a crowded machine.
const crowded = 30

// patient returns a context that ends with errTooSlow as its cause after patience of processor
// time of this process. A busy machine is not mistaken for a file system without an answer, and
// a harmless call causes no ask for it: an interval longer than it should be, because a crowded
// machine ran nothing, counts only where the look-up took no step in it, and at most once. On
// any machine it ends after thirty times patience. RATIONALE.md, "Why does a look-up of paths
// wait for its turn?".
func patient(ctx context.Context, patience time.Duration) *clock {
	c := &clock{Context: ctx, over: make(chan struct{}), part: patience / turns, last: time.Now().Add(crowded * patience)}
	c.begin()
	return c
}

// clock is the time of a look-up: a context that its caller's does not end by itself. It is a timer
// and no goroutine: nearly every look-up has ended before its first part has.
type clock struct {
	context.Context // the caller's, for its values

	over  chan struct{} // closed when the time is up, or the look-up was left
	part  time.Duration
	last  time.Time
	steps atomic.Int64 // how often a file system answered

	mu      sync.Mutex
	ended   error // why it is over
	timer   *time.Timer
	begun   time.Time // of the present part
	before  int64     // steps then
	counted int       // parts
}

// Done implements context.Context.
func (c *clock) Done() <-chan struct{} { return c.over }

// Err implements context.Context.
func (c *clock) Err() error {
	select {
	case <-c.over:
		return context.Canceled
	default:
		return c.Context.Err()
	}
}

// cause is why the clock is over.
func (c *clock) cause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return c.ended
	}
	return context.Cause(c.Context)
}

func (c *clock) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun, c.before = time.Now(), c.steps.Load()
	c.timer = time.AfterFunc(c.part, c.tick)
}

// stop ends it for a look-up that nobody waits for any longer.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(context.Canceled)
}

// end ends it once; the lock is held.
func (c *clock) end(why error) {
	if c.ended == nil {
		c.ended = why
		c.timer.Stop()
		close(c.over)
	}
}

// tick is the end of a part.
func (c *clock) tick() {
	if c.Err() != nil {
		return
	}
	// Returning from the kernel takes a turn at the processor; a look-up may have to
	// wait longer for it than a timer.
	_, _ = os.Lstat("/")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return
	}
	if time.Since(c.begun) <= c.part+c.part/2 || c.steps.Load() == c.before {
		c.counted++
	}
	if c.counted == turns || !time.Now().Before(c.last) {
		c.end(errTooSlow)
		return
	}
	c.begun, c.before = time.Now(), c.steps.Load()
	c.timer.Reset(c.part)
}
