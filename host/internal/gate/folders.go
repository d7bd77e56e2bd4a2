package gate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/wire"
)

// trusted are the folders an agent may read in, and those of them it may edit in.
type trusted struct{ read, edit []string }

// trial is a folder trusted for this one look at a call.
type trial struct {
	path   string
	access wire.FolderAccess
}

// trusts finds the folders in force for a call: those of its agent, as far as the call does not
// name narrower directories.
func (g *Gate) trusts(ctx context.Context, agent config.Agent, try *trial, claim wire.CallContext, claimed []string) trusted {
	var t trusted
	if g.c.Folders == nil || agent.Reads == "ask" {
		return t
	}
	t.read, t.edit = g.c.Folders.Of(ctx, agent.Name)
	if try != nil {
		t.read = union(t.read, []string{try.path})
		if try.access == wire.EditFolder {
			t.edit = union(t.edit, []string{try.path})
		}
	}
	if claim.WorkingDirectories != nil {
		t.read, t.edit = narrow(t.read, claimed), narrow(t.edit, claimed)
	}
	return t
}

// work adds the folders trusted for editing to the working directories, the one around the
// current directory first. rooted are those of them searched for the call's project: it has
// none in a folder around another directory.
func (g *Gate) work(ctx context.Context, t trusted, cwd string, dirs []string) (all, rooted []string) {
	if len(t.edit) == 0 {
		return dirs, dirs
	}
	rooted = dirs
	if at, err := g.c.Targets.Directories(ctx, []string{cwd}); err == nil && filepath.IsAbs(cwd) {
		for _, f := range t.edit {
			if within(f, at[0]) {
				rooted = union(rooted, []string{f})
			}
		}
	}
	return union(rooted, t.edit), rooted
}

// inFolders resolves a described call's targets once more for each kind of trusted folder: a
// folder trusted for reading must not become a place to edit.
func (g *Gate) inFolders(ctx context.Context, f *facts) (err error) {
	if f.req.Reads, err = g.resolvedIn(ctx, f, f.trusted.read); err != nil {
		return err
	}
	if slices.Equal(f.trusted.read, f.trusted.edit) {
		f.req.Edits = f.req.Reads
		return nil
	}
	f.req.Edits, err = g.resolvedIn(ctx, f, f.trusted.edit)
	return err
}

func (g *Gate) resolvedIn(ctx context.Context, f *facts, dirs []string) (*engine.InFolders, error) {
	at := f.req.Call.Context
	if len(dirs) == 0 || len(at.Targets) == 0 {
		return nil, nil
	}
	targets, err := g.c.Targets.Resolve(ctx, target.Place{CWD: at.CWD, Home: at.Home, WorkingDirectories: dirs}, f.req.Call.Input, f.desc.Targets)
	if err != nil {
		return nil, err
	}
	return &engine.InFolders{Directories: dirs, Targets: targets}, nil
}

// offerFolder is the folder a card offers to trust: the project of the call, when trust in it
// would allow this very call. Nil where there is none, or it is unknown.
func (g *Gate) offerFolder(ctx context.Context, c *call, d engine.Decision) *ask.Folder {
	if g.c.Folders == nil || c.agent.Reads == "ask" || d.Code != engine.CodeModeAsk || !filepath.IsAbs(c.req.Call.Context.CWD) {
		return nil
	}
	found, err := g.c.Folders.Find(ctx, c.req.Call.Context.CWD)
	if err != nil {
		if !errors.Is(err, folder.ErrRefused) {
			g.c.Log.Warn("no folder is offered", "agent", c.agent.Name, "error", err)
		}
		return nil
	}
	offer := &ask.Folder{Path: found.Path, File: found.File}
	for _, access := range []wire.FolderAccess{wire.ReadFolder, wire.EditFolder} {
		if g.wouldAllow(ctx, c, trial{found.Path, access}) {
			offer.Access = append(offer.Access, access)
		}
	}
	if len(offer.Access) == 0 {
		return nil
	}
	return offer
}

// wouldAllow decides a call again as if the folder were trusted.
func (g *Gate) wouldAllow(ctx context.Context, c *call, t trial) bool {
	again := *c
	again.facts, again.trial, again.ticket = facts{}, &t, 0
	f, err := g.gather(ctx, &again, g.seen)
	if again.facts = f; err != nil {
		f.release()
		return false
	}
	defer again.release()
	return g.decide(ctx, &again).Behavior == engine.Allow
}

// trustFolder keeps the folder trusted by an answer, and reports the result.
func (g *Gate) trustFolder(ctx context.Context, a ask.Ask) (trusted bool, note string) {
	if a.State != ask.Approved || a.Answer == nil || a.Answer.Folder == "" || a.Folder == nil || g.c.Folders == nil {
		return false, ""
	}
	kept, err := g.c.Folders.Trust(context.WithoutCancel(ctx), folder.Trusting{
		Agent: a.Agent, Folder: target.Folder{Path: a.Folder.Path, File: a.Folder.File}, Access: a.Answer.Folder,
		By: a.DecidedBy(), AskID: a.ID, Session: a.Session, User: a.User,
	})
	if err != nil {
		return false, fmt.Sprintf("the call was approved once, but the folder is not trusted: %v", err)
	}
	return true, fmt.Sprintf("%s is trusted: %s may %s. Take it back with: callgate folders forget %s", kept.Path, kept.Agent, kept.Access.Allows(), kept.ID)
}
