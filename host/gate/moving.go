package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/store"
)

// moves reports whether the call may change the current directory or links. What
// is not known to leave them alone may. Source: threat T11.
func (p prepared) moves() bool {
	targets := p.req.Call.Context.Targets
	return p.desc.Moves || p.req.Call.Context.TargetsUnknown || p.req.Err != nil || p.entry.Err != nil ||
		slices.ContainsFunc(targets, func(t engine.Target) bool { return t.Kind == "mcp" || t.Access == "run" })
}

// relative returns the first of the call's paths that depends on the current
// directory.
func (p prepared) relative() (string, bool) {
	for _, t := range p.req.Call.Context.Targets {
		if t.Kind == "path" && !strings.HasPrefix(t.Value, "/") && !strings.HasPrefix(t.Value, "~") {
			return t.Value, true
		}
	}
	return "", false
}

// decide decides a prepared call. A call whose relative paths another call may
// lead elsewhere before it runs is marked first: one that was allowed, or is being
// decided, and has not ended. Only a client that reports the end of calls gives
// that a meaning. before is the judged call that this one is, or follows up.
func (g *Gate) decide(ctx context.Context, r Request, p *prepared, before store.Call) engine.Decision {
	g.shellChanged(p, before.Key.CallID)
	if path, ok := p.relative(); ok && r.Reports {
		p.req.Unsettled = g.unsettled(ctx, path, p.key(), before.Key)
	}
	if p.req.Unsettled == "" {
		p.req.Unsettled = p.strayed()
	}
	d := withoutSecrets(p.req.Call, engine.Decide(ctx, p.req))
	return g.mayLeave(*p, g.granted(*p, g.withChildren(ctx, p, d)))
}

// unsettled says why a relative path is not settled; empty when it is.
func (g *Gate) unsettled(ctx context.Context, path string, own, before ask.Key) string {
	if tool, id, ok := g.decidingMover(own); ok {
		return unsettled(path, tool, id)
	}
	movers, err := g.c.Store.MovingCalls(ctx, own.Token, own.Session, g.c.Now().Add(-answerLife))
	if err != nil {
		return fmt.Sprintf("it is not known which calls of this session have not ended: %v", err)
	}
	for _, m := range movers {
		if m.Key != own && m.Key != before {
			return unsettled(path, m.Tool, m.Key.CallID)
		}
	}
	return ""
}

func unsettled(path, tool, id string) string {
	return fmt.Sprintf("%s call %.80q of this session has not ended and may change the current directory or links, so it is not known what %.200q is when this call runs", tool, id, path)
}

// passage is a call on its way through Check.
type passage struct {
	g *Gate
	r Request
	// before is the judged call that this one is, or follows up, while that one's
	// answer holds.
	before store.Call
	// recalled tells that the answer is the approval that before had.
	recalled bool
	ticket   int
}

// enter makes a moving call known while it is decided, so that of two calls that
// are decided at the same time one sees the other.
func (w *passage) enter(p prepared) {
	w.leave()
	shell := p.changesShell()
	moves := w.r.Reports && p.moves()
	if !moves && len(shell) == 0 {
		return
	}
	w.g.mu.Lock()
	defer w.g.mu.Unlock()
	w.g.tickets++
	w.ticket = w.g.tickets
	w.g.moving[w.ticket] = mover{p.key(), p.entry.Name, moves, shell}
}

// leave takes back what enter did: the call waits for a person, or is judged.
func (w *passage) leave() {
	w.g.mu.Lock()
	defer w.g.mu.Unlock()
	delete(w.g.moving, w.ticket)
}

// mover is a call that may move things, or change its shell, and is being decided.
type mover struct {
	key   ask.Key
	tool  string
	moves bool
	// shell are the parts of the tool's shell that it may change.
	shell []string
}

// decidingMover returns the first moving call of the same session that is being
// decided.
func (g *Gate) decidingMover(k ask.Key) (tool, id string, found bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := 0
	for ticket, m := range g.moving {
		if m.moves && m.other(k) && (first == 0 || ticket < first) {
			first, tool, id = ticket, m.tool, m.key.CallID
		}
	}
	return tool, id, first > 0
}

// decidingShell are the parts of a tool's shell that other calls of the session may
// change and that are being decided.
func (g *Gate) decidingShell(k ask.Key, tool string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var parts []string
	for _, m := range g.moving {
		if m.tool == tool && m.other(k) {
			parts = append(parts, m.shell...)
		}
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// other reports whether it is another call of the same session.
func (m mover) other(k ask.Key) bool {
	return m.key.Token == k.Token && m.key.Session == k.Session && m.key.CallID != k.CallID
}
