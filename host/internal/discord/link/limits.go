package link

import (
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Discord's bounds. Sources: its pages "Rate Limits" (50 requests a second, except for
// interactions; 10,000 bad answers in 10 minutes block an address).
const (
	perSecond   = 45
	burst       = 5 // at once: with perSecond never more than 50 within a second
	maxBad      = 5000
	badWindow   = 10 * time.Minute
	longestWait = time.Hour // the longest wait set by a server
	shortWait   = time.Second
	htmlWait    = 10 * time.Second // a refusal by a proxy without a time
)

// limit is the rest of a bucket and the time of its reset.
type limit struct {
	left  int
	reset time.Time
}

// limits are the rate limits as far as they are known. It is guarded by the queue.
type limits struct {
	buckets map[string]limit  // by resource and bucket
	named   map[string]string // route -> the bucket's name, as Discord gave it
	swept   int
	global  time.Time // nothing but interactions goes out before
	all     time.Time // nothing at all
	tokens  float64
	rate    float64 // tokens a second
	filled  time.Time
	bad     int
	badFrom time.Time
}

func newLimits(now time.Time, perSecond int) *limits {
	return &limits{buckets: map[string]limit{}, named: map[string]string{}, tokens: burst, filled: now, rate: float64(perSecond)}
}

// wait is how long a job has to wait from now; 0 means: it goes out, and is counted.
func (l *limits) wait(j *job, now time.Time) time.Duration {
	until := later(l.all, j.after)
	if !j.exempt {
		until = later(until, l.global)
	}
	key := l.key(j)
	b, known := l.buckets[key]
	if known && b.left <= 0 {
		until = later(until, b.reset)
	}
	if until.After(now) {
		return until.Sub(now)
	}
	if !j.exempt {
		if wait := l.takeToken(now); wait > 0 {
			return wait
		}
	}
	if known {
		if !b.reset.After(now) {
			delete(l.buckets, key) // its time is over: the next answer tells the new one
		} else {
			b.left--
			l.buckets[key] = b
		}
	}
	return 0
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (l *limits) takeToken(now time.Time) time.Duration {
	l.tokens = min(burst, l.tokens+now.Sub(l.filled).Seconds()*l.rate)
	l.filled = now
	if l.tokens < 1 {
		return time.Duration((1-l.tokens)/l.rate*float64(time.Second)).Round(time.Millisecond) + time.Millisecond
	}
	l.tokens--
	return 0
}

func (l *limits) key(j *job) string {
	if name, ok := l.named[j.route]; ok {
		return j.resource + "|" + name
	}
	return j.resource + "|" + j.route
}

// note takes over the limits from an answer.
func (l *limits) note(j *job, h *heard, body []byte, now time.Time) (retryAfter time.Duration) {
	l.countBad(h, now)
	if !j.exempt {
		l.noteBucket(j, h.header, now)
	}
	if h.status != http.StatusTooManyRequests {
		return 0
	}
	r := readRefusal(h.header, body)
	switch until := now.Add(r.after); {
	case r.foreign:
		l.all = later(l.all, until)
	case r.global:
		l.global = later(l.global, until)
		j.after = until
	case j.exempt:
		j.after = until
	default:
		l.set(l.key(j), limit{reset: until}, now)
	}
	return r.after
}

func (l *limits) noteBucket(j *job, header http.Header, now time.Time) {
	left, err := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	after, ok := seconds(header.Get("X-RateLimit-Reset-After"))
	if err != nil || !ok {
		return
	}
	if name := header.Get("X-RateLimit-Bucket"); name != "" && len(name) <= 128 && len(l.named) < 256 {
		l.named[j.route] = name
	}
	l.set(l.key(j), limit{left, now.Add(after)}, now)
}

// set keeps a limit, and now and then forgets expired ones.
func (l *limits) set(key string, b limit, now time.Time) {
	l.buckets[key] = b
	if len(l.buckets) < 2*l.swept+64 {
		return
	}
	for key, b := range l.buckets {
		if !b.reset.After(now) {
			delete(l.buckets, key)
		}
	}
	l.swept = len(l.buckets)
}

// countBad keeps the bad answers far below the number that blocks our address.
func (l *limits) countBad(h *heard, now time.Time) {
	switch h.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return
	}
	if h.header.Get("X-RateLimit-Scope") == "shared" {
		return
	}
	if now.Sub(l.badFrom) > badWindow {
		l.bad, l.badFrom = 0, now
	}
	if l.bad++; l.bad >= maxBad {
		l.all = later(l.all, l.badFrom.Add(badWindow))
	}
}

// refusal is an answer 429.
type refusal struct {
	after   time.Duration
	global  bool
	foreign bool // from a proxy, not from Discord itself
}

func readRefusal(header http.Header, body []byte) refusal {
	var said struct {
		RetryAfter *float64 `json:"retry_after"`
		Global     bool     `json:"global"`
	}
	r := refusal{foreign: json.Unmarshal(body, &said) != nil || said.RetryAfter == nil && header.Get("X-RateLimit-Bucket") == ""}
	r.global = said.Global || header.Get("X-RateLimit-Global") != "" || header.Get("X-RateLimit-Scope") == "global"
	inHeader, ok := seconds(header.Get("Retry-After"))
	if said.RetryAfter != nil {
		if after, fine := span(*said.RetryAfter); fine {
			inHeader, ok = max(inHeader, after), true
			if !r.foreign {
				inHeader = after // the header is the same, rounded up
			}
		}
	}
	switch {
	case ok:
		r.after = max(inHeader, time.Millisecond)
	case r.foreign:
		r.after = htmlWait
	default:
		r.after = shortWait
	}
	return r
}

func seconds(text string) (time.Duration, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	return span(f)
}

// span makes a time of seconds, at most longestWait.
func span(f float64) (time.Duration, bool) {
	if math.IsNaN(f) || f < 0 {
		return 0, false
	}
	return time.Duration(min(f, longestWait.Seconds()) * float64(time.Second)), true
}

var inPath = regexp.MustCompile(`^[0-9]{1,20}$|^[A-Za-z0-9._~-]{40,}$`)

// routeOf is a path without the ids irrelevant to its bucket, and the relevant resource: the
// first two steps.
func routeOf(method, path string) (route, resource string) {
	path, _, _ = strings.Cut(path, "?")
	steps := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(steps) > 1 && inPath.MatchString(steps[1]) {
		resource = steps[0] + "/" + steps[1]
	} else {
		resource = steps[0]
	}
	for i, step := range steps {
		switch {
		case inPath.MatchString(step):
			steps[i] = ":id"
		case i > 0 && steps[i-1] == "reactions":
			steps[i] = ":emoji"
		}
	}
	return method + " " + strings.Join(steps, "/"), resource
}
