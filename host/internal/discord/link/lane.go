package link

import (
	"context"
	"slices"
	"time"
)

// job is one call, waiting or being made.
type job struct {
	ctx                       context.Context
	what, method, url         string
	route, resource, replaces string
	contentType               string
	body                      []byte
	urgent, repeatable        bool
	exempt                    bool // an interaction: not bound by the global limit
	ticketed                  bool // its path holds a credential: a 401 is not about the bot's token

	tries, refused int
	after          time.Time // not before
	last           *Error
	done           chan result // of one; guarded by the queue: who takes the job out sends
}

type result struct {
	body []byte
	err  error
}

// lane are the calls to make one after another.
type lane struct {
	jobs []*job
	wake chan struct{}
}

// replace puts a job in the place of an older waiting one.
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

// place is behind urgent jobs, and behind earlier ones.
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

func (l *lane) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.wake:
	}
}
