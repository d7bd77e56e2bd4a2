package link

import (
	"net/http"
	"time"
)

// How often a call is made.
const (
	maxTries   = 3  // when no answer came, or the server failed
	maxRefused = 20 // when the server said 429: it was not done then
	firstPause = 250 * time.Millisecond
)

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

// repeats reports whether a failed call is repeated, and not before when.
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
