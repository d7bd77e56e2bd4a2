package discordtest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RateLimits are kept per method, route and channel, webhook or guild. Interactions'
// callbacks are under none.
type RateLimits struct {
	// Requests in each window of Per; default 5 in 5 s.
	Requests int
	Per      time.Duration
	// Global is how many the bot may make in a second; default 50.
	Global int
}

func (r RateLimits) withDefaults() RateLimits {
	if r.Requests == 0 {
		r.Requests = 5
	}
	if r.Per == 0 {
		r.Per = 5 * time.Second
	}
	if r.Global == 0 {
		r.Global = 50
	}
	return r
}

// bucket counts the requests in a window.
type bucket struct {
	used  int
	until time.Time
}

// limit answers 429 to a request too many; s.mu is held.
func (s *Server) limit(c *call) *answer {
	if s.opts.RateLimits == nil || strings.HasPrefix(c.route, "/interactions/") {
		return nil
	}
	limits := s.opts.RateLimits.withDefaults()
	global, own := s.bucket("global", time.Second), s.bucket(c.bucket(), limits.Per)
	switch {
	case global.used >= limits.Global:
		return (&RateLimit{After: global.until.Sub(s.opts.Now()), Global: true}).answer()
	case own.used >= limits.Requests:
		a := (&RateLimit{After: own.until.Sub(s.opts.Now())}).answer()
		s.limitHeaders(c, a)
		return a
	}
	global.used++
	own.used++
	return nil
}

// limitHeaders tells how the request's bucket stands.
func (s *Server) limitHeaders(c *call, a *answer) {
	if s.opts.RateLimits == nil || strings.HasPrefix(c.route, "/interactions/") {
		return
	}
	limits := s.opts.RateLimits.withDefaults()
	b := s.bucket(c.bucket(), limits.Per)
	if a.header == nil {
		a.header = http.Header{}
	}
	left := b.until.Sub(s.opts.Now()).Seconds()
	a.header.Set("X-RateLimit-Limit", strconv.Itoa(limits.Requests))
	a.header.Set("X-RateLimit-Remaining", strconv.Itoa(limits.Requests-b.used))
	a.header.Set("X-RateLimit-Reset", fmt.Sprintf("%.3f", float64(b.until.UnixMilli())/1000))
	a.header.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", left))
	a.header.Set("X-RateLimit-Bucket", fmt.Sprintf("%x", c.method+" "+c.route))
}

func (s *Server) bucket(key string, per time.Duration) *bucket {
	now := s.opts.Now()
	b := s.buckets[key]
	if b == nil || !now.Before(b.until) {
		b = &bucket{until: now.Add(per)}
		s.buckets[key] = b
	}
	return b
}

// bucket names the request's: the method, the route and the major parameters.
func (c *call) bucket() string {
	return strings.Join([]string{c.method, c.route, c.params["channel_id"], c.params["guild_id"], c.params["webhook_token"]}, " ")
}
