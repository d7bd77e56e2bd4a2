package link

import "time"

// Hurry makes a gateway wait as little as a test can.
func (g *Gateway) Hurry() {
	g.pace.Identify, g.pace.Invalid, g.pace.First = time.Millisecond, 10*time.Millisecond, time.Millisecond
}

// Silence is how long heartbeats may stay without an answer.
func (g *Gateway) Silence(d time.Duration) { g.pace.Silent = d }

// OpenWithin is how long a session may take to begin.
func (g *Gateway) OpenWithin(d time.Duration) { g.pace.Open = d }

// Lanes tells how many lanes there are, and how many calls wait in them.
func (c *Client) Lanes() (lanes, waiting int) {
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	return len(c.queue.lanes), c.queue.waiting
}

// Buckets tells how many limits are remembered.
func (c *Client) Buckets() int {
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	return len(c.queue.limits.buckets)
}

// MaxLane is how many calls may wait in one lane.
const MaxLane = maxLane

// NewGuard checks packets as a connection beginning a session, or resuming one.
func NewGuard(resuming bool) func([]byte) ([]byte, error) {
	g := &guard{resuming: resuming}
	return func(text []byte) ([]byte, error) {
		_, out, err := g.check(text)
		return out, err
	}
}

// ReadInteraction decodes an interaction.
func ReadInteraction(text []byte) error {
	_, err := readInteraction(text)
	return err
}

// ReadWithin is how long a call of an endpoint may take to come in.
func (e *Endpoint) ReadWithin(d time.Duration) { e.within = d }

// MaxReads is how many calls an endpoint reads at once, MaxSeen how many interactions are
// remembered.
const (
	MaxReads = maxReads
	MaxSeen  = maxSeen
)

// NewSeen remembers interactions.
func NewSeen() (first func(id string, now time.Time) bool, kept func() int) {
	s := newSeen(0)
	return s.first, func() int { return len(s.at) }
}
