package link

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// The bounds of the queue; more is refused at once, so a silent Discord costs no memory.
const (
	maxLane    = 256
	maxWaiting = 4096
	maxBytes   = 64 << 20
	maxTime    = 60 * time.Second // of a call, with all its tries
)

// ErrTooMany means: the queue for Discord is full; the call was not made.
var ErrTooMany = errors.New("too much waits for Discord already")

// queue orders the calls. Each lane has a goroutine while something waits in it.
type queue struct {
	try func(*job) (*heard, []byte, error)

	mu      sync.Mutex
	lanes   map[string]*lane
	limits  *limits
	waiting int
	bytes   int
	dead    *Error // after it no call is made
	closed  bool
	running sync.WaitGroup
}

func newQueue(try func(*job) (*heard, []byte, error), perSecond int) *queue {
	return &queue{try: try, lanes: map[string]*lane{}, limits: newLimits(time.Now(), perSecond)}
}

// do makes a call in its lane and waits for its result, or for the context.
func (q *queue) do(ctx context.Context, key string, j *job) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	j.ctx, j.done = ctx, make(chan result, 1)
	if err := q.enter(key, j); err != nil {
		return nil, err
	}
	select {
	case r := <-j.done:
		return r.body, r.err
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case r := <-j.done:
		return r.body, r.err
	default:
	}
	if l := q.lanes[key]; l != nil {
		if i := slices.Index(l.jobs, j); i >= 0 {
			q.remove(l, i)
			l.stir()
		}
	}
	return nil, j.ended(ctx.Err())
}

// enter puts a job where it belongs in its lane.
func (q *queue) enter(key string, j *job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.refuses(j); err != nil {
		return err
	}
	l := q.lanes[key]
	if l == nil {
		l = &lane{wake: make(chan struct{}, 1)}
	}
	if !q.replace(l, j) {
		if len(l.jobs) >= maxLane || q.waiting >= maxWaiting || q.bytes+len(j.body) > maxBytes {
			return &Error{What: j.what, Err: ErrTooMany}
		}
		q.insert(l, j, place(l.jobs, j.urgent))
	}
	if q.lanes[key] == nil {
		q.lanes[key] = l
		q.running.Go(func() { q.run(key, l) })
	}
	l.stir()
	return nil
}

// refuses tells why no call is made any more.
func (q *queue) refuses(j *job) error {
	switch {
	case q.closed:
		return &Error{What: j.what, Err: errClosed}
	case q.dead != nil:
		again := *q.dead
		again.What = j.what
		return &again
	}
	return nil
}

var errClosed = errors.New("the connection to Discord was closed")

// run makes the calls of a lane, until it is empty.
func (q *queue) run(key string, l *lane) {
	for {
		j, wait := q.next(key, l)
		switch {
		case j != nil:
			q.make(l, j)
		case wait > 0:
			l.sleep(wait)
		default:
			return
		}
	}
}

// next takes the first job out that may go now; or returns how long all have to wait. Jobs of
// an empty bucket stay, and those behind them go first. Without jobs the lane ends.
func (q *queue) next(key string, l *lane) (*job, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	shortest := time.Duration(0)
	for i := 0; i < len(l.jobs); {
		j := l.jobs[i]
		if j.ctx.Err() != nil {
			i++ // its caller takes it out
			shortest = sooner(shortest, time.Second)
			continue
		}
		wait := q.limits.wait(j, now)
		if wait == 0 {
			q.remove(l, i)
			return j, 0
		}
		if end, ok := j.ctx.Deadline(); ok && now.Add(wait).After(end) {
			q.remove(l, i)
			j.done <- result{err: j.late(wait)}
			continue
		}
		shortest = sooner(shortest, wait)
		i++
	}
	if len(l.jobs) == 0 {
		delete(q.lanes, key)
		return nil, 0
	}
	return nil, shortest
}

func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b < a {
		return b
	}
	return a
}

// die ends all calls: Discord counts bad answers, and a token does not get better.
func (q *queue) die(why *Error) {
	if q.dead == nil {
		q.dead = why
	}
	q.failAll(func(j *job) error {
		again := *why
		again.What = j.what
		return &again
	})
}

func (q *queue) failAll(why func(*job) error) {
	for _, l := range q.lanes {
		for len(l.jobs) > 0 {
			j := l.jobs[0]
			q.remove(l, 0)
			j.done <- result{err: why(j)}
		}
		l.stir()
	}
}

// close fails waiting jobs, and returns when no lane runs.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.failAll(func(j *job) error { return &Error{What: j.what, Err: errClosed} })
	q.mu.Unlock()
	q.running.Wait()
}
