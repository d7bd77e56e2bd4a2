package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
)

// errWhich means: neither a command nor its channel names the subject.
var errWhich = errors.New("which one is not told")

// placeOf is the subject of a command: the named one, else the session of its thread, else the
// one agent of the channel. errWhich when there are several.
func (h *Handler) placeOf(r request) (admin.Where, error) {
	var named []admin.Where
	for _, w := range []admin.Where{
		{Scope: engine.Session, Key: r.texts[optSession]}, {Scope: engine.Agent, Key: r.texts[optAgent]}, {Scope: engine.Project, Key: r.texts[optProject]},
	} {
		if w.Key != "" {
			named = append(named, w)
		}
	}
	if r.flags[optGlobal] {
		named = append(named, admin.Where{Scope: engine.Global})
	}
	switch len(named) {
	case 0:
		return h.placeOfChannel(r.channel)
	case 1:
		return named[0], nil
	}
	return admin.Where{}, badRequest{errors.New("name one of agent, session, project and global, not several")}
}

func (h *Handler) placeOfChannel(channel string) (admin.Where, error) {
	if session := h.c.Places.SessionOf(channel); session != "" {
		return admin.Where{Scope: engine.Session, Key: session}, nil
	}
	if agents := h.c.Places.AgentsOf(channel); len(agents) == 1 {
		return admin.Where{Scope: engine.Agent, Key: agents[0]}, nil
	}
	return admin.Where{}, errWhich
}

// sessionOf is the session of a command, errWhich for an agent or none.
func (h *Handler) sessionOf(r request) (string, error) {
	where, err := h.placeOf(r)
	switch {
	case err != nil:
		return "", err
	case where.Scope != engine.Session:
		return "", errWhich
	}
	return where.Key, nil
}

// named reports whether a command itself names its subject.
func (r request) named() bool {
	return r.texts[optAgent] != "" || r.texts[optSession] != "" || r.texts[optProject] != "" || r.flags[optGlobal]
}

// with is the request for a chosen place.
func (r request) with(w admin.Where) request {
	texts, flags := map[string]string{}, map[string]bool{}
	for name, value := range r.texts {
		texts[name] = value
	}
	for name, value := range r.flags {
		flags[name] = value
	}
	for _, name := range []string{optAgent, optSession, optProject} {
		delete(texts, name)
	}
	delete(flags, optGlobal)
	switch w.Scope {
	case engine.Session:
		texts[optSession] = w.Key
	case engine.Agent:
		texts[optAgent] = w.Key
	case engine.Project:
		texts[optProject] = w.Key
	default:
		flags[optGlobal] = true
	}
	r.texts, r.flags = texts, flags
	return r
}

// which asks for the subject of a command, and goes on with the choice. With sessions only
// those count.
func (h *Handler) which(ctx context.Context, who asker, r request, sessions bool) (answer, error) {
	places, labels, err := h.candidates(ctx, r, sessions)
	if err != nil {
		return answer{}, err
	}
	if len(places) == 0 {
		return answer{}, badRequest{errors.New("no session is known yet: name one with the option session")}
	}
	id := h.flows.add(flow{account: who.Account, request: r, places: places})
	text := "What is it about? Choose, or give the command one of the options agent, session, project and global."
	if sessions {
		text = "Which session? Choose, or give the command the option session. The last seen stand first."
	}
	m := message.Ephemeral(text)
	m.Components = append(m.Components, h.menu(verbPlace, id, "Choose", labels, -1))
	return answer{message: m}, nil
}

// candidates are the possible places, with their labels: agents of the channel, else all known
// ones, then the latest sessions, and every agent at the end: the widest choice is not made by
// a slip.
func (h *Handler) candidates(ctx context.Context, r request, onlySessions bool) (places []admin.Where, labels []string, err error) {
	add := func(w admin.Where, label string) {
		if len(places) < message.MaxOptions-1 {
			places, labels = append(places, w), append(labels, label)
		}
	}
	agents := h.c.Places.AgentsOf(r.channel)
	if agent := r.texts[optAgent]; agent != "" {
		agents = []string{agent}
	}
	if !onlySessions {
		named := agents
		if len(named) == 0 {
			if named, err = h.agents(ctx); err != nil {
				return nil, nil, err
			}
		}
		for _, name := range named[:min(len(named), 14)] {
			add(admin.Where{Scope: engine.Agent, Key: name}, "the agent "+name)
		}
	}
	sessions, err := h.sessions(ctx, agents, false)
	for _, s := range sessions {
		add(admin.Where{Scope: engine.Session, Key: s.ID}, sessionLabel(s))
	}
	if !onlySessions {
		places, labels = append(places, admin.Where{Scope: engine.Global}), append(labels, "every agent")
	}
	return places, labels, err
}

func sessionLabel(s store.Session) string {
	return fmt.Sprintf("the session %s of %s", s.ID, s.Agent)
}

// sessions are the latest sessions of agents, of all agents where none is named; the paused
// ones, or all.
func (h *Handler) sessions(ctx context.Context, agents []string, paused bool) ([]store.Session, error) {
	if len(agents) == 0 {
		agents = []string{""}
	}
	var out []store.Session
	for _, agent := range agents {
		some, err := h.c.Gate.Sessions(ctx, store.SessionFilter{Agent: agent, Paused: paused, Limit: 2 * message.MaxOptions})
		if err != nil {
			return nil, err
		}
		for _, s := range some {
			if !strings.HasPrefix(s.ID, "-/") { // the sessions shared by checks without one are no conversation
				out = append(out, s)
			}
		}
	}
	return out, nil
}
