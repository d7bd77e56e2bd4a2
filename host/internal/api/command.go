package api

import (
	"net/http"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// whereOf is the owner of the command's lists.
func whereOf(c protocol.Command) (admin.Where, error) {
	var named []admin.Where
	for _, w := range []admin.Where{{Scope: engine.Session, Key: c.Session}, {Scope: engine.Agent, Key: c.Agent}, {Scope: engine.Project, Key: c.Project}} {
		if w.Key != "" {
			named = append(named, w)
		}
	}
	if c.Global {
		named = append(named, admin.Where{Scope: engine.Global})
	}
	switch len(named) {
	case 0:
		return admin.Where{CWD: c.CWD, Agent: c.DefaultAgent}, nil
	case 1:
		return named[0], nil
	}
	return admin.Where{}, badField("session", "use only one of session, agent, project and global")
}

func (s *Server) command(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body protocol.Command
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	where, err := whereOf(body)
	if err != nil {
		return err
	}
	if body.Text == "" {
		return badField("text", "missing: want a command such as /allow Bash(npm:*)")
	}
	var out wire.CommandResult
	if body.Lists != nil {
		out, err = s.c.Gate.CommandOn(r.Context(), command.State(*body.Lists), where, body.Text)
	} else {
		out, err = s.c.Gate.Command(r.Context(), s.change(r, caller, by, s.c.Gate.Person(caller, body.User, body.Roles, body.Administrator)), where, body.Text)
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// change names the person behind a change of lists. An integrator's person needs roles; for other
// widening changes a person must be present.
func (s *Server) change(r *http.Request, caller authority.Caller, by string, person approvers.Person) admin.Change {
	if caller.Kind == authority.Integrator {
		if person.Name != "" {
			by = person.Name
		}
		return admin.Change{By: by, Person: person}
	}
	return admin.Change{By: by, Person: person, Bound: caller.Kind == authority.Approver, Confirm: func() error { return s.present(r, caller) }}
}

func (s *Server) setLists(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body protocol.ChatLists
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	lists := command.State{Allow: slices.Clone(body.Allow), Ask: slices.Clone(body.Ask), Deny: slices.Clone(body.Deny), Mode: body.Mode}
	person := s.c.Gate.Person(caller, body.User, body.Roles, body.Administrator)
	out, err := s.c.Gate.SetLists(r.Context(), s.change(r, caller, by, person), r.PathValue("id"), lists)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}
