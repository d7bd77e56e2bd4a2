package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// moves reports whether the call may change the current directory or links. A program beside
// the shell changes no directory but its own: the tool describes its shell. Source: threat T11.
func (c *call) moves() bool {
	targets := c.req.Call.Context.Targets
	return c.desc.Moves || c.req.Call.Context.TargetsUnknown || c.req.Err != nil || c.entry.Err != nil ||
		slices.ContainsFunc(targets, func(t engine.Target) bool { return t.Kind == "mcp" })
}

// relative returns the first of the call's paths relative to the current directory.
func (c *call) relative() (string, bool) {
	for _, t := range c.req.Call.Context.Targets {
		if t.Kind == "path" && !strings.HasPrefix(t.Value, "/") && !strings.HasPrefix(t.Value, "~") {
			return t.Value, true
		}
	}
	return "", false
}

// unsettle marks a call whose relative paths another call may lead elsewhere before it runs:
// one allowed or under decision, and not ended. It applies only if the client reports the end
// of calls.
func (g *Gate) unsettle(ctx context.Context, c *call) {
	g.shellChanged(c)
	if path, ok := c.relative(); ok && c.request.Reports {
		c.req.Unsettled = g.unsettled(ctx, path, c.ticket, c.key(), c.before.Key)
	}
	if c.req.Unsettled == "" {
		c.req.Unsettled = c.shellDrift()
	}
}

// shellDrift says why a relative path of the call is unknown: an earlier call of the session
// changed the directory of the tool's shell. Empty when it is known.
func (c *call) shellDrift() string {
	path, relative := c.relative()
	if !relative || !slices.Contains(c.req.Call.Context.ShellChanged, "directory") {
		return ""
	}
	return fmt.Sprintf("an earlier call of this session changed the directory of the %.80q shell, so the path %.200q is unknown until the session is cleared; use an absolute path", c.entry.Name, path)
}

// unsettled says why a relative path is not settled; empty when it is.
func (g *Gate) unsettled(ctx context.Context, path string, ticket int, own, before ask.Key) string {
	if tool, id, ok := g.decidingMover(own, ticket); ok {
		return unsettled(path, tool, id)
	}
	movers, err := g.c.Store.MovingCalls(ctx, own.Token, own.Session, g.c.Now().Add(-answerLife))
	if err != nil {
		return fmt.Sprintf("the running calls of this session are unknown: %v", err)
	}
	for _, m := range movers {
		if m.Key != own && m.Key != before {
			return unsettled(path, m.Tool, m.Key.CallID)
		}
	}
	return ""
}

func unsettled(path, tool, id string) string {
	return fmt.Sprintf("%s call %.80q of this session is still running and may change the current directory or links, so the path %.200q is uncertain; wait for its end, or use an absolute path", tool, id, path)
}

// enter announces a moving call during its decision, so one of two concurrent calls sees the
// other.
func (g *Gate) enter(c *call) {
	shell := c.changesShell()
	moves := c.request.Reports && c.moves()
	if !moves && len(shell) == 0 {
		g.leave(c)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.ticket == 0 {
		g.tickets++
		c.ticket = g.tickets
	}
	g.moving[c.ticket] = mover{c.key(), c.entry.Name, moves, g.moving[c.ticket].waits, shell}
}

// leave reverts enter: the call waits for a person, or is judged.
func (g *Gate) leave(c *call) {
	g.mu.Lock()
	_, was := g.moving[c.ticket]
	delete(g.moving, c.ticket)
	g.mu.Unlock()
	if was {
		g.stir()
	}
}

// mover is a call under decision that may move things, or change its shell.
type mover struct {
	key   ask.Key
	tool  string
	moves bool
	// waits means: it is decided again before it can be allowed.
	waits bool
	// shell are the parts of the tool's shell it may change.
	shell []string
}

// decidingMover returns the first moving call of the same session under decision. A waiting one
// that came after the call with this ticket does not count: it will see that call.
func (g *Gate) decidingMover(k ask.Key, own int) (tool, id string, found bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := 0
	for ticket, m := range g.moving {
		if m.waits && own != 0 && ticket > own {
			continue
		}
		if m.moves && m.other(k) && (first == 0 || ticket < first) {
			first, tool, id = ticket, m.tool, m.key.CallID
		}
	}
	return tool, id, first > 0
}

// decidingShell are the parts of a tool's shell under change by other calls of the session now
// being decided.
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

// changesShell are the parts of its shell the call may change, where the agent's client keeps
// one. An undescribed call may change everything.
func (c *call) changesShell() []string {
	switch {
	case !c.agent.PersistentShell:
		return nil
	case c.req.Err != nil || c.entry.Err != nil:
		return modules.ShellParts
	}
	return c.desc.ChangesShell
}

// shellChanged puts into the call the changes others made to its shell, or may make because
// they are decided at the same time. A call that comes back, or follows one up, is not held
// back by its own changes.
func (g *Gate) shellChanged(c *call) {
	if !c.agent.PersistentShell {
		return
	}
	parts := g.decidingShell(c.key(), c.entry.Name)
	for _, s := range c.shell {
		if s.Tool == c.entry.Name && (s.CallID == "" || s.CallID != c.id && s.CallID != c.before.Key.CallID) {
			parts = append(parts, s.Part)
		}
	}
	slices.Sort(parts)
	c.req.Call.Context.ShellChanged = slices.Compact(parts)
}

// noteShell stores the changes an allowed call makes to its shell, before the allow is
// returned. A failure to store them denies.
func (g *Gate) noteShell(ctx context.Context, c *call, res wire.Result) wire.Result {
	parts := c.changesShell()
	if res.Decision.Behavior != engine.Allow || len(parts) == 0 {
		return res
	}
	ctx, cancel := store.Lasting(ctx)
	defer cancel()
	c.changes = true
	if err := g.c.Store.NoteShell(ctx, c.key().Session, c.entry.Name, c.id, parts); err != nil {
		return c.failed("the call's changes to its shell could not be stored: " + err.Error())
	}
	return res
}
