package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/machine/socket"
)

// Presence knows whether a person is there; see presence.Keeper.
type Presence interface {
	Require(ctx context.Context, w pin.Who) error
	Unlock(ctx context.Context, pin string, w pin.Who) (pin.Ticket, error)
	Set(ctx context.Context, old, pin string, w pin.Who) error
	Reset(ctx context.Context, w pin.Who, atOnce bool) (time.Time, error)
	CancelReset(ctx context.Context, w pin.Who) error
	Lock(w pin.Who)
	Unlocked() bool
	Status(ctx context.Context, w pin.Who) (pin.Status, error)
}

// peerKey is the place of the peer in a connection's context.
type peerKey struct{}

// PeerOf is the peer of the request that ctx belongs to; unknown over TCP, through the console and
// through a gateway.
func PeerOf(ctx context.Context) socket.Peer {
	p, _ := ctx.Value(peerKey{}).(socket.Peer)
	return p
}

// peerOf is a request's peer.
func peerOf(r *http.Request) socket.Peer { return PeerOf(r.Context()) }

var _ Presence = (*pin.Keeper)(nil)

// processKey is the place of the peer's process in a connection's context.
type processKey struct{}

// noted notes the peer of a connection while it surely lives, so a later process with its number is
// not taken for it.
func noted(ctx context.Context, conn net.Conn) context.Context {
	p := socket.PeerOf(conn)
	return context.WithValue(context.WithValue(ctx, peerKey{}, p), processKey{}, pin.Look(p.PID))
}

// whoIs identifies a request's sender, for Presence: by the terminal of its process, or by its
// ticket where the system cannot know one. A process of this machine without a terminal has no
// ticket either; the error then says so, and w is without any unlock.
func whoIs(r *http.Request, caller authority.Caller, by string) (w pin.Who, err error) {
	w = pin.Who{By: by, Token: caller.Token}
	if peerOf(r).Known {
		process, _ := r.Context().Value(processKey{}).(pin.Process)
		if w.Terminal, err = process.Terminal(); !errors.Is(err, pin.ErrUnsupported) {
			return w, err
		}
	}
	w.Ticket = pin.Ticket(r.Header.Get(protocol.TicketHeader))
	return w, nil
}

// present refuses a widening request, unless a person has typed the PIN at its origin.
// RATIONALE.md, "Why does presence belong to a terminal, and not to a token or a file?".
func (s *Server) present(r *http.Request, caller authority.Caller) error {
	w, whoErr := whoIs(r, caller, caller.Token)
	err := s.c.Presence.Require(r.Context(), w)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, pin.ErrLocked) && !errors.Is(err, pin.ErrNoPIN) && !errors.Is(err, pin.ErrLockedOut):
		return err
	case whoErr != nil:
		return failure(http.StatusForbidden, protocol.CodePresence, err.Error()+" ("+whoErr.Error()+")")
	}
	return failure(http.StatusForbidden, protocol.CodePresence, err.Error())
}

// leaves locks the terminal of an agent's call: the call's program must not find it unlocked.
func (s *Server) leaves(r *http.Request, caller authority.Caller) {
	if caller.Kind == authority.Admin || !s.c.Presence.Unlocked() {
		return // a person who tries something, or nothing to lock: each call would read two processes
	}
	if w, err := whoIs(r, caller, ""); err == nil && w.Terminal != "" {
		s.c.Presence.Lock(w)
	}
}

func (s *Server) getPresence(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	who, _ := whoIs(r, caller, caller.Token) // an unknown sender gets an answer, too
	return s.tellPresence(w, r, who, "")
}

func (s *Server) tellPresence(w http.ResponseWriter, r *http.Request, who pin.Who, ticket pin.Ticket) error {
	if ticket != "" {
		who.Ticket = ticket
	}
	status, err := s.c.Presence.Status(r.Context(), who)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view.Presence{Status: status, Terminal: who.Terminal != "", Ticket: ticket})
}

// person reads the body, and identifies its sender; it requires a sender with a possible terminal.
func (s *Server) person(w http.ResponseWriter, r *http.Request, caller authority.Caller, body any) (pin.Who, error) {
	by, err := byParam(r, caller)
	if err != nil {
		return pin.Who{}, err
	}
	release, err := s.readJSON(w, r, caller, body)
	if err != nil {
		return pin.Who{}, err
	}
	release() // it is decoded
	return whoIs(r, caller, by)
}

func (s *Server) unlock(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	var body protocol.Unlock
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

func (s *Server) setPIN(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	var body protocol.SetPIN
	who, err := s.person(w, r, caller, &body)
	if err != nil {
		return err
	}
	if err := s.c.Presence.Set(r.Context(), body.Old, body.PIN, who); err != nil {
		return err
	}
	return s.tellPresence(w, r, who, "")
}

func (s *Server) lock(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	who, _ := whoIs(r, caller, by) // without a sender there is nothing to lock
	s.c.Presence.Lock(who)
	return s.tellPresence(w, r, who, "")
}

// resetPIN takes an hour, but not for root where no agent can be root.
func (s *Server) resetPIN(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	var body protocol.ResetPIN
	who, err := s.person(w, r, caller, &body)
	if err != nil && !(body.Cancel && errors.Is(err, pin.ErrNoTerminal)) { // cancelling widens nothing
		return err
	}
	if body.Cancel {
		err = s.c.Presence.CancelReset(r.Context(), who)
	} else {
		_, err = s.c.Presence.Reset(r.Context(), who, s.c.Boundary.mayReset(peerOf(r), os.Geteuid()))
	}
	if err != nil {
		return err
	}
	return s.tellPresence(w, r, who, "")
}
