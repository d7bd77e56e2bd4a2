package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/store"
)

// Create makes a token in the name of by.
func (t *Tokens) Create(ctx context.Context, n view.NewToken, by string) (view.MadeToken, error) {
	k, err := tokenOf(n, t.now(), t.configured())
	if err != nil {
		return view.MadeToken{}, err
	}
	return t.changed(ctx, func(ctx context.Context, known []store.Token) (store.Token, string, error) {
		if old := last(known, k.Name); old != nil && old.RevokedAt.IsZero() {
			return k, "", fmt.Errorf("token %q: %w; to replace its secret: callgate tokens rotate %s", k.Name, store.ErrTokenExists, k.Name)
		}
		k.CreatedBy = by
		return t.make(ctx, k, string(k.Kind))
	})
}

// Rotate gives a token a new secret in the name of by; the old one stops at once.
func (t *Tokens) Rotate(ctx context.Context, name, by string) (view.MadeToken, error) {
	return t.changed(ctx, func(ctx context.Context, known []store.Token) (store.Token, string, error) {
		old := last(known, name)
		if old == nil || !old.RevokedAt.IsZero() {
			return store.Token{}, "", fmt.Errorf("token %q: %w", name, store.ErrNotFound)
		}
		next := store.Token{Name: old.Name, Kind: old.Kind, Agent: old.Agent, ExpiresAt: t.renewed(*old), CreatedBy: by}
		return t.make(ctx, next, "rotated")
	})
}

// Revoke ends a token in the name of by. Its file, if it has one, stays and opens
// nothing.
func (t *Tokens) Revoke(ctx context.Context, name, by string) (store.Token, error) {
	made, err := t.changed(ctx, func(ctx context.Context, _ []store.Token) (store.Token, string, error) {
		gone, err := t.store.RevokeToken(ctx, name, by)
		return gone, "", err
	})
	return made.Token, err
}

// changePatience bounds one change. It is not the request's: after its client has left, a change is
// either done wholly or not at all.
const changePatience = 10 * time.Second

// changed runs one change and takes over its result before it returns.
func (t *Tokens) changed(ctx context.Context, change func(context.Context, []store.Token) (store.Token, string, error)) (view.MadeToken, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changePatience)
	defer cancel()
	t.change.Lock()
	defer t.change.Unlock()
	known, _, err := t.store.Tokens(ctx)
	if err != nil {
		return view.MadeToken{}, err
	}
	k, secret, err := change(ctx, known)
	if loadErr := t.load(ctx); loadErr != nil {
		t.drop(k.Name) // after any result: the old one must not go on
		err = errors.Join(err, loadErr)
	}
	if err != nil {
		return view.MadeToken{}, err
	}
	return view.MadeToken{Token: k, Secret: secret, File: t.file(k)}, nil
}

// renewed is the expiry of a replacing token: it lives as long as the replaced one.
func (t *Tokens) renewed(old store.Token) time.Time {
	if old.ExpiresAt.IsZero() {
		return time.Time{}
	}
	return t.now().Add(old.ExpiresAt.Sub(old.CreatedAt))
}

func (t *Tokens) configured() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.agents
}

// tokenOf checks the request's values.
func tokenOf(n view.NewToken, now time.Time, agents []string) (store.Token, error) {
	k := store.Token{Name: n.Name, Kind: n.Kind, Agent: n.Agent, ExpiresAt: n.ExpiresAt}
	switch {
	case !slices.Contains(store.TokenKinds(), n.Kind):
		return k, badField("kind", "want check, approver, admin or integrator")
	case !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now):
		return k, badField("expires_at", "already expired: want a time in the future")
	case n.Kind == store.TokenCheck && !slices.Contains(agents, n.Agent):
		return k, badField("agent", fmt.Sprintf("a check token needs a configured agent; want one of %s", strings.Join(agents, ", ")))
	case n.Kind == store.TokenCheck && n.Name != "" && n.Name != checkName(n.Agent):
		return k, badField("name", fmt.Sprintf("the check token of this agent is named %s; leave out the name", checkName(n.Agent)))
	case n.Kind == store.TokenCheck:
		k.Name = checkName(n.Agent)
		return k, nil
	case n.Agent != "":
		return k, badField("agent", "only a check token belongs to an agent")
	case !tokenfile.IsPlainName(n.Name):
		return k, badField("name", "want 1 to 64 letters, digits, '.', '_' or '-'")
	case n.Name == adminName && n.Kind != store.TokenAdmin:
		return k, badField("name", "admin is the operator's own token; choose another name")
	}
	return k, nil
}

func (s *Server) listTokens(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	known, err := s.c.Tokens.List(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view.TokenList{Tokens: append([]store.Token{}, known...)})
}

func (s *Server) createToken(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body view.NewToken
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	made, err := s.c.Tokens.Create(r.Context(), body, by)
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, made)
}

func (s *Server) rotateToken(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	made, err := s.c.Tokens.Rotate(r.Context(), r.PathValue("name"), by)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, made)
}

func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	gone, err := s.c.Tokens.Revoke(r.Context(), r.PathValue("name"), by)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, gone)
}
