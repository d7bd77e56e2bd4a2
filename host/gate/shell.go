package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
)

// changesShell are the parts of its shell that the call may change, where the
// agent's client keeps one. What could not be described may change everything.
// Source: design section 12.
func (p prepared) changesShell() []string {
	switch {
	case !p.agent.PersistentShell:
		return nil
	case p.req.Err != nil || p.entry.Err != nil:
		return catalog.ShellParts
	}
	return p.desc.ChangesShell
}

// shellChanged puts into the call what others changed of the shell that runs it, or
// are to change because they are being decided at the same time. A call that comes
// back, or follows one up, is not held back by what it does itself.
func (g *Gate) shellChanged(p *prepared, before string) {
	if !p.agent.PersistentShell {
		return
	}
	parts := g.decidingShell(p.key(), p.entry.Name)
	for _, c := range p.shell {
		if c.Tool == p.entry.Name && (c.CallID == "" || c.CallID != p.callID && c.CallID != before) {
			parts = append(parts, c.Part)
		}
	}
	slices.Sort(parts)
	p.req.Call.Context.ShellChanged = slices.Compact(parts)
}

// strayed says why a relative path is not where the call's directory says; empty
// when it is.
func (p prepared) strayed() string {
	path, relative := p.relative()
	if !relative || !slices.Contains(p.req.Call.Context.ShellChanged, "directory") {
		return ""
	}
	return fmt.Sprintf("an earlier call of this session changed the directory of the shell that %.80q keeps, so it is not known what %.200q is until the session is cleared", p.entry.Name, path)
}

// noteShell keeps what an allowed call changes of its shell, before it is told that
// it may. What cannot be kept is denied.
func (g *Gate) noteShell(ctx context.Context, p prepared, res Result) Result {
	parts := p.changesShell()
	if res.Decision.Behavior != engine.Allow || len(parts) == 0 {
		return res
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	if err := g.c.Store.NoteShell(ctx, p.key().Session, p.entry.Name, p.callID, parts); err != nil {
		return p.result(denied(engine.CodeHostError, "what the call changes of its shell could not be kept: "+err.Error()))
	}
	return res
}
