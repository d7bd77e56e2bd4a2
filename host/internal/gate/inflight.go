package gate

import (
	"context"
	"fmt"
	"time"

	"github.com/callgate/callgate/engine"
)

// inFlight is how long a call waits for concurrent calls that may move its paths: longer than
// most commands run, shorter than a person takes to answer.
const inFlight = 10 * time.Second

// awaitInFlight makes a call wait whose only obstacle is an unfinished call of its session: it may
// move its relative paths. It is decided anew whenever one has ended, because its paths may
// lead elsewhere by then. After the limit, or without its caller, the decision stays an ask.
func (g *Gate) awaitInFlight(ctx context.Context, c *call, d engine.Decision) engine.Decision {
	if d.Code != engine.CodeUnsettled || c.shellDrift() != "" {
		return d
	}
	limit := g.c.InFlight
	if limit == 0 {
		limit = inFlight
	}
	if left := c.request.Timeout; left > 0 && left < limit {
		limit = left
	}
	began, first := time.Now(), c.req.Unsettled
	g.c.Log.Info("a call waits for another one of its session", "agent", c.agent.Name, "tool", c.req.Call.Tool, "limit", limit)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for d.Code == engine.CodeUnsettled {
		if !g.awaitEnd(ctx, c) {
			d.Reason += fmt.Sprintf(" (it was waited for %s)", time.Since(began).Round(time.Second))
			break
		}
		if err := g.again(ctx, c); err != nil {
			return denied(engine.CodeHostError, err.Error())
		}
		d = g.decide(ctx, c)
	}
	waited := time.Since(began).Round(time.Millisecond)
	d.Trace = append(d.Trace, engine.Step{Step: "in_flight", Saw: fmt.Sprintf("waited %s: %s", waited, first), Result: d.Behavior.String()})
	g.c.Log.Info("a call waited for another one of its session", "agent", c.agent.Name, "tool", c.req.Call.Tool, "waited", waited, "decision", d.Behavior)
	return d
}

// awaitEnd waits until a call has ended, or is no longer being decided, since the waiting
// one was decided last; false when ctx ended first.
func (g *Gate) awaitEnd(ctx context.Context, c *call) bool {
	g.mu.Lock()
	m, known := g.moving[c.ticket]
	if first := known && !m.waits; first {
		m.waits = true
		g.moving[c.ticket] = m
		g.wake() // another one may have waited for this one
	}
	ended := g.ended
	g.mu.Unlock()
	path, _ := c.relative()
	if g.unsettled(ctx, path, c.ticket, c.key(), c.before.Key) == "" {
		return ctx.Err() == nil
	}
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// stir wakes the calls waiting for others.
func (g *Gate) stir() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wake()
}

// wake is stir with the lock taken.
func (g *Gate) wake() {
	close(g.ended)
	g.ended = make(chan struct{})
}
