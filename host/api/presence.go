package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/presence"
)

// Presence knows whether a person is there; see presence.Keeper.
type Presence interface {
	Require(ctx context.Context, w presence.Who) error
	Unlock(ctx context.Context, pin string, w presence.Who) (presence.Ticket, error)
	Set(ctx context.Context, old, pin string, w presence.Who) error
	Reset(ctx context.Context, w presence.Who, atOnce bool) (time.Time, error)
	CancelReset(ctx context.Context, w presence.Who) error
	Lock(w presence.Who)
	Status(ctx context.Context, w presence.Who) (presence.Status, error)
}

// ticketHeader carries what an unlocking gave where no terminal can be seen.
const ticketHeader = "Callgate-Ticket"

// processKey is the place of the peer's process in a connection's context.
type processKey struct{}

// noted notes the peer of a connection while it surely lives, so that another
// process that gets its number later is not taken for it.
func noted(ctx context.Context, conn net.Conn) context.Context {
	ctx = withPeer(ctx, conn)
	p, _ := ctx.Value(peerKey{}).(Peer)
	return context.WithValue(ctx, processKey{}, presence.Look(p.PID))
}

// whoIs tells who sent a request, for Presence: by the terminal of its process,
// or by its ticket where the system cannot know one. A process of this machine
// without a terminal has no ticket either; the error then says so, and w is
// nobody whom anything was unlocked for.
func whoIs(r *http.Request, caller gate.Caller, by string) (w presence.Who, err error) {
	w = presence.Who{By: by, Token: caller.Token}
	if peerOf(r).Known {
		process, _ := r.Context().Value(processKey{}).(presence.Process)
		if w.Terminal, err = process.Terminal(); !errors.Is(err, presence.ErrUnsupported) {
			return w, err
		}
	}
	w.Ticket = presence.Ticket(r.Header.Get(ticketHeader))
	return w, nil
}

// present refuses a request that would widen what agents may do, unless a person
// has typed the PIN where it comes from. Source: design section 8.
func (s *Server) present(r *http.Request, caller gate.Caller) error {
	w, whoErr := whoIs(r, caller, caller.Token)
	err := s.c.Presence.Require(r.Context(), w)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, presence.ErrLocked) && !errors.Is(err, presence.ErrNoPIN) && !errors.Is(err, presence.ErrLockedOut):
		return err
	case whoErr != nil:
		return failure(http.StatusForbidden, CodePresence, err.Error()+" ("+whoErr.Error()+")")
	}
	return failure(http.StatusForbidden, CodePresence, err.Error())
}

// leaves locks the terminal that an agent's call comes from: what the call runs
// there must not find it unlocked.
func (s *Server) leaves(r *http.Request, caller gate.Caller) {
	if caller.Standing == gate.Admin {
		return // a person who tries something
	}
	if w, err := whoIs(r, caller, ""); err == nil && w.Terminal != "" {
		s.c.Presence.Lock(w)
	}
}

// PresenceView is how the PIN stands, for one who asks.
type PresenceView struct {
	presence.Status
	// Terminal tells that the one who asks was seen to sit at a terminal.
	Terminal bool `json:"terminal"`
	// Ticket came of an unlocking where no terminal can be seen; send it as the
	// header Callgate-Ticket.
	Ticket presence.Ticket `json:"ticket,omitempty"`
}

func (s *Server) getPresence(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	who, _ := whoIs(r, caller, caller.Token) // nobody is told as well
	return s.tellPresence(w, r, who, "")
}

func (s *Server) tellPresence(w http.ResponseWriter, r *http.Request, who presence.Who, ticket presence.Ticket) error {
	if ticket != "" {
		who.Ticket = ticket
	}
	status, err := s.c.Presence.Status(r.Context(), who)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, PresenceView{Status: status, Terminal: who.Terminal != "", Ticket: ticket})
}

// person reads the body, and who sent it in whose name; it wants somebody who
// can be at a terminal.
func (s *Server) person(w http.ResponseWriter, r *http.Request, caller gate.Caller, body any) (presence.Who, error) {
	by, err := byParam(r, caller)
	if err != nil {
		return presence.Who{}, err
	}
	release, err := s.readJSON(w, r, caller, body)
	if err != nil {
		return presence.Who{}, err
	}
	release() // it is decoded
	return whoIs(r, caller, by)
}

type unlockBody struct {
	PIN string `json:"pin"`
}

func (s *Server) unlock(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	var body unlockBody
	who, err := s.person(w, r, caller, &body)
	if err != nil {
		return err
	}
	ticket, err := s.c.Presence.Unlock(r.Context(), body.PIN, who)
	if err != nil {
		return err
	}
	return s.tellPresence(w, r, who, ticket)
}

type setPINBody struct {
	// Old is the PIN that holds; empty for the first.
	Old string `json:"old,omitempty"`
	PIN string `json:"pin"`
}

func (s *Server) setPIN(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	var body setPINBody
	who, err := s.person(w, r, caller, &body)
	if err != nil {
		return err
	}
	if err := s.c.Presence.Set(r.Context(), body.Old, body.PIN, who); err != nil {
		return err
	}
	return s.tellPresence(w, r, who, "")
}

func (s *Server) lock(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	who, _ := whoIs(r, caller, by) // for nobody there is nothing to lock
	s.c.Presence.Lock(who)
	return s.tellPresence(w, r, who, "")
}

type resetPINBody struct {
	Cancel bool `json:"cancel,omitempty"`
}

// resetPIN takes an hour, but not for root where the daemon is somebody else:
// whoever can become root need not ask us.
func (s *Server) resetPIN(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	var body resetPINBody
	who, err := s.person(w, r, caller, &body)
	if err != nil && !(body.Cancel && errors.Is(err, presence.ErrNoTerminal)) { // cancelling widens nothing
		return err
	}
	if body.Cancel {
		err = s.c.Presence.CancelReset(r.Context(), who)
	} else {
		peer := peerOf(r)
		_, err = s.c.Presence.Reset(r.Context(), who, peer.Known && peer.UID == 0 && os.Geteuid() != 0)
	}
	if err != nil {
		return err
	}
	return s.tellPresence(w, r, who, "")
}
