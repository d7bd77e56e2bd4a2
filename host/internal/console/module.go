package console

import (
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// modulePage is a change of a module before it is made.
type modulePage struct {
	wire.ModuleProposal
	// Back means a return to the version before.
	Back bool
	pinPrompt
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
		return s.render(w, http.StatusOK, "module", framed(r, of, "Module", "/tools", body))
	}
	http.Redirect(w, r, "/tools", http.StatusSeeOther)
	return nil
}
