package link

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"
)

// How much may wait; what is beyond is refused at once, so that a silent Discord
// costs no memory.
const (
	maxLane    = 256
	maxWaiting = 4096
	maxBytes   = 64 << 20
	maxTime    = 60 * time.Second // of a call whose context has no end
)

// How often a call is made.
const (
	maxTries   = 3  // when no answer came, or the server failed
	maxRefused = 20 // when the server said 429: it was not done then
	firstPause = 250 * time.Millisecond
)

// ErrTooMany: more waits for Discord than is kept; what was asked was not done.
var ErrTooMany = errors.New("too much waits for Discord already")

// job is one call that waits or is being made.
type job struct {
	ctx                       context.Context
	what, method, url         string
	route, resource, replaces string
	contentType               string
	body                      []byte
	urgent, repeatable        bool
	exempt                    bool // an interaction: not bound by the global limit
	ticketed                  bool // its path holds what lets it in: a 401 is not about the bot's token

	tries, refused int
	after          time.Time // not before
	last           *Error
	done           chan result // of one; guarded by the queue: who takes the job out sends
}

type result struct {
	body []byte
	err  error
}

// lane are the calls that go out one after another.
type lane struct {
	jobs []*job
	wake chan struct{}
}

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

func newQueue(try func(*job) (*heard, []byte, error)) *queue {
	return &queue{try: try, lanes: map[string]*lane{}, limits: newLimits(time.Now())}
}

// do makes a call in its lane and waits for what comes of it, or for the context.
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

// replace puts a job in the place of a waiting one that it replaces.
func (q *queue) replace(l *lane, j *job) bool {
	if j.replaces == "" {
		return false
	}
	for i, old := range l.jobs {
		if old.replaces == j.replaces {
			q.bytes += len(j.body) - len(old.body)
			j.urgent = j.urgent || old.urgent
			j.after, l.jobs[i] = old.after, j
			old.done <- result{err: ErrSuperseded}
			return true
		}
	}
	return false
}

// place is behind those that go first, or that came first.
func place(jobs []*job, urgent bool) int {
	if !urgent {
		return len(jobs)
	}
	for i, j := range jobs {
		if !j.urgent {
			return i
		}
	}
	return len(jobs)
}

func (q *queue) insert(l *lane, j *job, at int) {
	l.jobs = slices.Insert(l.jobs, at, j)
	q.waiting++
	q.bytes += len(j.body)
}

func (q *queue) remove(l *lane, at int) {
	q.waiting--
	q.bytes -= len(l.jobs[at].body)
	l.jobs = slices.Delete(l.jobs, at, at+1)
}

func (l *lane) stir() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run makes the calls of a lane, until none is left.
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

func (l *lane) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.wake:
	}
}

// next takes the first job out that may go now; or tells how long all have to wait.
// Of a bucket that is empty the jobs stay, and those behind them go before. Without
// jobs the lane ends.
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

// make makes a call, and decides whether it is over.
func (q *queue) make(l *lane, j *job) {
	j.tries++
	h, body, err := q.try(j)
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if h.status/100 == 2 && err == nil {
		q.limits.note(j, h, body, now)
		j.done <- result{body: body}
		return
	}
	j.last = answerError(j.what, h.status, body, err)
	if h.status != 0 {
		j.last.RetryAfter = q.limits.note(j, h, body, now)
	}
	switch {
	case h.status == http.StatusUnauthorized && !j.ticketed:
		q.die(j.last)
	case q.repeats(j, h.status, err, now):
		q.again(l, j)
		return
	}
	j.done <- result{err: j.last}
}

// repeats tells whether a call that failed is made again, and not before when.
func (q *queue) repeats(j *job, status int, err error, now time.Time) bool {
	if j.ctx.Err() != nil || q.closed || q.dead != nil {
		return false
	}
	switch {
	case status == http.StatusTooManyRequests:
		j.refused++
		j.tries--
		return j.refused < maxRefused
	case status >= 500, status == 0:
		j.after = now.Add(pause(j.tries))
		return j.tries < maxTries && (j.repeatable || status == 0 && neverSent(err))
	}
	return false
}

// again puts a job back before the others, unless a newer one took its place meanwhile.
func (q *queue) again(l *lane, j *job) {
	for _, newer := range l.jobs {
		if j.replaces != "" && newer.replaces == j.replaces {
			j.done <- result{err: ErrSuperseded}
			return
		}
	}
	at := 0
	if !j.urgent {
		at = place(l.jobs, true)
	}
	q.insert(l, j, at)
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

// close fails what waits, and returns when no lane runs.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.failAll(func(j *job) error { return &Error{What: j.what, Err: errClosed} })
	q.mu.Unlock()
	q.running.Wait()
}
