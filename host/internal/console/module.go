package console

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/wire"
)

// modulePage is a change of a module before it is made.
type modulePage struct {
	wire.ModuleProposal
	// Back means a return to the version before.
	Back bool
	// Diff compares both versions on past calls; Uncompared says why there is none.
	Diff       *moduleDiff
	Uncompared string
	pinPrompt
}

const (
	// diffSeconds bounds the comparison: a person waits for it, below writePatience.
	diffSeconds = 5
	// keptDiff is how long a comparison is kept for the page that wants the PIN.
	keptDiff = 5 * time.Minute
)

// compare fills in the comparison. It informs the person; without it the change can be made all the
// same, as in a terminal. The session's last one of the same bytes is used again.
func (p *modulePage) compare(ctx context.Context, of *session, now time.Time) {
	key := digest(p.File, p.Back, p.Digest, p.Replaces)
	if diff, ok := of.diff.fresh(key, now, keptDiff); ok {
		p.Diff = &moduleDiff{diff}
		return
	}
	diff, err := of.client.DiffModule(ctx, p.File, protocol.DiffModule{Back: p.Back, Digest: p.Digest, Seconds: diffSeconds})
	if err != nil {
		p.Uncompared = err.Error()
		return
	}
	of.diff.keep(key, diff, now)
	p.Diff = &moduleDiff{diff}
}

// moduleDiff is a comparison for people.
type moduleDiff struct{ history.ModuleDiff }

// diffGroup are the differences of one direction.
type diffGroup struct {
	Title, Pill string
	Counts      []history.ChangeCount
	Changes     []history.AnswerChange
	Left        int
}

// Groups are the differences by direction, the most dangerous first.
func (d *moduleDiff) Groups() (all []diffGroup) {
	for _, g := range []struct {
		of history.Direction
		diffGroup
	}{
		{history.Loosened, diffGroup{Title: "More permissive", Pill: "warning"}},
		{history.Other, diffGroup{Title: "Other differences", Pill: "event"}},
		{history.Tightened, diffGroup{Title: "Stricter", Pill: "passed"}},
	} {
		g.Counts = slices.DeleteFunc(slices.Clone(d.Counts), func(n history.ChangeCount) bool { return n.Direction != g.of })
		g.Changes, g.Left = d.Of(g.of)
		if len(g.Counts) > 0 {
			all = append(all, g.diffGroup)
		}
	}
	return all
}

// changeModule shows an update that waits for approval, or the version before, and puts it in force
// once it is confirmed: those bytes in place of those, or nothing.
func (s *Server) changeModule(w http.ResponseWriter, r *http.Request, of *session) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	file, change, body := r.PathValue("file"), of.client.PinModule, modulePage{}
	switch form.Get("change") {
	case "pin":
	case "rollback":
		change, body.Back = of.client.RollbackModule, true
	default:
		return refuse(http.StatusBadRequest, "change: want pin or rollback")
	}
	want := protocol.PinModule{Digest: form.Get("digest"), Replaces: form.Get("replaces"), DryRun: true}
	proposed, err := change(r.Context(), of.by, file, want)
	if err != nil {
		return err
	}
	body.ModuleProposal = proposed.ModuleProposal
	if want.Digest == "" {
		body.compare(r.Context(), of, s.c.Now())
		return s.render(w, http.StatusOK, "module", framed(r, of, "Module", "/tools", body))
	}
	want.DryRun = false
	body.pinPrompt, err = withPIN(r, of, form, func() error {
		done, err := change(r.Context(), of.by, file, want)
		if err == nil {
			of.say("In force: " + card.Line(done.Name+" "+done.Version) + ".")
		}
		return err
	})
	if err != nil {
		return err
	}
	if body.WantsPIN {
		body.compare(r.Context(), of, s.c.Now())
		return s.render(w, http.StatusOK, "module", framed(r, of, "Module", "/tools", body))
	}
	http.Redirect(w, r, "/tools", http.StatusSeeOther)
	return nil
}
