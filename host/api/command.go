package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/command"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/people"
)

// Command is a text command (package command) and whose lists it is about: at most
// one of Session, Agent, Project and Global, else those of the project that CWD is
// in, else of DefaultAgent, else of everybody.
type Command struct {
	// Text is the command, such as "/allow Bash(npm:*)".
	Text    string `json:"text"`
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// Project is a project's root and CWD a directory, both absolute.
	Project      string `json:"project,omitempty"`
	Global       bool   `json:"global,omitempty"`
	CWD          string `json:"cwd,omitempty"`
	DefaultAgent string `json:"default_agent,omitempty"`
	// User is who typed it, with the roles they have there: what an integrator says
	// of them. The change then needs no terminal, but roles that grant it.
	User          string   `json:"user,omitempty"`
	Roles         []string `json:"roles,omitempty"`
	Administrator bool     `json:"administrator,omitempty"`
	// Lists are lists that are written elsewhere, as in a chat's file. The command
	// is carried out on them and nothing is stored.
	Lists *command.State `json:"lists,omitempty"`
}

// where is whose lists the command is about.
func (c Command) where() (gate.Where, error) {
	var named []gate.Where
	for _, w := range []gate.Where{{Scope: engine.Session, Key: c.Session}, {Scope: engine.Agent, Key: c.Agent}, {Scope: engine.Project, Key: c.Project}} {
		if w.Key != "" {
			named = append(named, w)
		}
	}
	if c.Global {
		named = append(named, gate.Where{Scope: engine.Global})
	}
	switch len(named) {
	case 0:
		return gate.Where{CWD: c.CWD, Agent: c.DefaultAgent}, nil
	case 1:
		return named[0], nil
	}
	return gate.Where{}, badField("session", "name one of session, agent, project and global")
}

func (s *Server) command(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body Command
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	where, err := body.where()
	if err != nil {
		return err
	}
	if body.Text == "" {
		return badField("text", "missing: want a command such as /allow Bash(npm:*)")
	}
	var out gate.Commanded
	if body.Lists != nil {
		out, err = s.c.Gate.CommandOn(r.Context(), *body.Lists, where, body.Text)
	} else {
		out, err = s.c.Gate.Command(r.Context(), s.change(r, caller, by, body.person(s, caller)), where, body.Text)
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

func (c Command) person(s *Server, caller gate.Caller) people.Person {
	return s.c.Gate.Person(caller, c.User, c.Roles, c.Administrator)
}

// change is in whose name lists are changed. An integrator's person needs roles;
// of everybody else a person has to be present where that widens.
func (s *Server) change(r *http.Request, caller gate.Caller, by string, person people.Person) gate.Change {
	if caller.Standing == gate.Integrator {
		if person.Name != "" {
			by = person.Name
		}
		return gate.Change{By: by, Person: person}
	}
	return gate.Change{By: by, Person: person, Bound: caller.Standing == gate.Approver, Confirm: func() error { return s.present(r, caller) }}
}

// Command carries out a text command in the name of by; empty means the token's.
func (c *Client) Command(ctx context.Context, by string, cmd Command) (gate.Commanded, error) {
	return fetch[gate.Commanded](ctx, c, http.MethodPost, at("command"), values("by", by), cmd)
}

// ChatLists are the lists and the mode in the head of a chat's file.
type ChatLists struct {
	Allow []string `json:"allow"`
	Ask   []string `json:"ask"`
	Deny  []string `json:"deny"`
	// Mode leaves the session's as it is when it is empty.
	Mode          string   `json:"mode,omitempty"`
	User          string   `json:"user,omitempty"`
	Roles         []string `json:"roles,omitempty"`
	Administrator bool     `json:"administrator,omitempty"`
}

func (s *Server) setLists(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body ChatLists
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

// SetLists puts a chat's lists in force for a session.
func (c *Client) SetLists(ctx context.Context, by, session string, l ChatLists) (gate.Listed, error) {
	return fetch[gate.Listed](ctx, c, http.MethodPut, at("sessions", session, "lists"), values("by", by), l)
}
