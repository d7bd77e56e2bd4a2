package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// errWhich means that a command does not say what it is about, and that the channel
// does not either.
var errWhich = errors.New("which one is not told")

// placeOf is what a command is about: what it names, else the session of the thread it
// is typed in, else the one agent of the channel. errWhich when there are several.
func (h *Handler) placeOf(r request) (gate.Where, error) {
	var named []gate.Where
	for _, w := range []gate.Where{
		{Scope: engine.Session, Key: r.texts[optSession]}, {Scope: engine.Agent, Key: r.texts[optAgent]}, {Scope: engine.Project, Key: r.texts[optProject]},
	} {
		if w.Key != "" {
			named = append(named, w)
		}
	}
	if r.flags[optGlobal] {
		named = append(named, gate.Where{Scope: engine.Global})
	}
	switch len(named) {
	case 0:
		return h.placeOfChannel(r.channel)
	case 1:
		return named[0], nil
	}
	return gate.Where{}, badRequest{errors.New("name one of agent, session, project and global, not several")}
}

func (h *Handler) placeOfChannel(channel string) (gate.Where, error) {
	if session := h.c.Places.SessionOf(channel); session != "" {
		return gate.Where{Scope: engine.Session, Key: session}, nil
	}
	if agents := h.c.Places.AgentsOf(channel); len(agents) == 1 {
		return gate.Where{Scope: engine.Agent, Key: agents[0]}, nil
	}
	return gate.Where{}, errWhich
}

// sessionOf is the session that a command is about, errWhich when that is an agent or
// not told.
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

// named reports whether a command says itself what it is about.
func (r request) named() bool {
	return r.texts[optAgent] != "" || r.texts[optSession] != "" || r.texts[optProject] != "" || r.flags[optGlobal]
}

// with is the request for a place that was chosen.
func (r request) with(w gate.Where) request {
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

// which asks what a command is about, and goes on with it when that is chosen. With
// sessions only those count.
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

// candidates are the places that a person may mean, with their labels: agents of the
// channel, else all that are known, then the sessions seen last, and every agent
// at the end: what widens most is not chosen by a slip.
func (h *Handler) candidates(ctx context.Context, r request, onlySessions bool) (places []gate.Where, labels []string, err error) {
	add := func(w gate.Where, label string) {
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
			add(gate.Where{Scope: engine.Agent, Key: name}, "the agent "+name)
		}
	}
	sessions, err := h.sessions(ctx, agents, false)
	for _, s := range sessions {
		add(gate.Where{Scope: engine.Session, Key: s.ID}, sessionLabel(s))
	}
	if !onlySessions {
		places, labels = append(places, gate.Where{Scope: engine.Global}), append(labels, "every agent")
	}
	return places, labels, err
}

func sessionLabel(s store.Session) string {
	return fmt.Sprintf("the session %s of %s", s.ID, s.Agent)
}

// sessions are the sessions of agents that were seen last, of all agents where none is
// named; those that are paused, or all.
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
			if !strings.HasPrefix(s.ID, "-/") { // what checks without a session share is no conversation
				out = append(out, s)
			}
		}
	}
	return out, nil
}
