package api_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
)

// TestToken_endsWhatWaitsForIt: a revoked or rotated token stops at once, also for a waiting
// ask and for a stream of events.
func TestToken_endsWhatWaitsForIt(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(ctx context.Context, w *world, token string) error{
		"revoked": func(ctx context.Context, w *world, token string) error {
			_, err := w.tokens.Revoke(ctx, token, "ann")
			return err
		},
		"rotated": func(ctx context.Context, w *world, token string) error {
			_, err := w.tokens.Rotate(ctx, token, "ann")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.attach()
			events := w.broker.Subscribe(t.Context())
			out := checkAside(t.Context(), w.client("long"), bash("make"), nil)
			a := shown(t, events)
			must(t, end(t.Context(), w, "check:long"))
			if got := receive(t, out); got.res.Decision.Behavior != engine.Deny {
				t.Errorf("the call that waited: got %+v, want deny", got)
			}
			if _, err := w.client("admin").Answer(t.Context(), a.ID, ask.Answer{Verdict: ask.Approve, By: "ann"}); err == nil {
				t.Error("its ask could still be approved")
			}
			read := make(chan error, 1)
			ready := make(chan struct{})
			go func() {
				read <- w.client("approver").Events(context.Background(), "", "", func(ev client.Event) error {
					if ev.Name == protocol.EventReady {
						close(ready)
					}
					return nil
				})
			}()
			<-ready
			must(t, end(t.Context(), w, "approver"))
			if err := <-read; err == nil {
				t.Error("the stream ended without an error")
			}
		})
	}
}

// blindStore cannot read its tokens once it is blind.
type blindStore struct {
	*store.Store
	blind bool
}

func (s *blindStore) RevokeToken(ctx context.Context, name, by string) (store.Token, error) {
	gone, err := s.Store.RevokeToken(ctx, name, by)
	s.blind = true
	return gone, err
}

func (s *blindStore) Tokens(ctx context.Context) ([]store.Token, bool, error) {
	if s.blind {
		return nil, false, errors.New("disk gone")
	}
	return s.Store.Tokens(ctx)
}

// TestTokens_revokedWhenTheStoreGoesBlind: an error does not keep a token alive.
func TestTokens_revokedWhenTheStoreGoesBlind(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	tokens, err := api.OpenTokens(t.Context(), api.TokenOptions{State: k.state, Store: &blindStore{Store: k.store}, Agents: []string{"ci"}})
	must(t, err)
	ci, admin := k.secret("ci"), k.secret("admin")
	if _, err := tokens.Revoke(t.Context(), "check:ci", "ann"); err == nil {
		t.Error("got no error")
	}
	if knows(tokens, ci) || !knows(tokens, admin) {
		t.Error("want the revoked one gone, and the others as they were")
	}
}
