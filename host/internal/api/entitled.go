package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
)

// entitled tells who the caller is, if the route may answer them.
func (s *Server) entitled(w http.ResponseWriter, r *http.Request, want need) (authority.Caller, error) {
	epoch, err := s.upToDate(r, want)
	if err != nil {
		return authority.Caller{}, err
	}
	k, known, err := s.bearer(r)
	k.caller.Epoch = epoch
	agent := s.c.Boundary.agent(peerOf(r))
	if known {
		s.c.Tokens.note(k)
		if t, ok := w.(*tracked); ok {
			t.key, t.life = k.sum[:], k.life
		}
	}
	switch {
	case want == needNobody && agent && k.caller.Kind != authority.Checker:
		return authority.Caller{}, nil
	case want == needNobody:
		return k.caller, nil
	case err != nil:
		return authority.Caller{}, err
	case !known:
		s.stranger()
		return authority.Caller{}, failure(http.StatusUnauthorized, protocol.CodeUnauthorized,
			"invalid token: unknown, revoked, rotated or expired. Send Authorization: Bearer with a valid token (agents/NAME.token or admin.token in the daemon's state directory)")
	case agent && !(want.agents() && k.caller.Kind == authority.Checker):
		return k.caller, failure(http.StatusForbidden, protocol.CodeForbidden,
			"this account belongs to an agent; it may only check its own calls, with its check token")
	case !slices.Contains(mayUse[want], k.caller.Kind):
		return k.caller, failure(http.StatusForbidden, protocol.CodeForbidden,
			fmt.Sprintf("this operation needs a token of kind %s, but yours is of kind %s", kinds(mayUse[want]), kindOf[k.caller.Kind]))
	}
	return k.caller, nil
}

// upToDate takes over the changes of other daemons before a request that shows or changes
// something, and returns the state of the tokens for a request that does not: its decision is
// stored only on the present one.
func (s *Server) upToDate(r *http.Request, want need) (epoch int64, err error) {
	if s.c.Team == nil || want == needNobody {
		return 0, nil
	}
	if want == needCheck || want == needToken {
		return s.c.Team.Epoch(), nil
	}
	if err := s.c.Team.CatchUp(r.Context()); err != nil && r.Method != http.MethodGet {
		s.c.Log.Error("the changes of other daemons could not be read", "error", err)
		return 0, failure(http.StatusServiceUnavailable, engine.CodeStoreUnavailable, "the store's database does not answer; try again in a minute")
	}
	return 0, nil
}

// kindOf are the kinds of stored tokens by that of their callers.
var kindOf = map[authority.TokenKind]store.TokenKind{
	authority.Checker: store.TokenCheck, authority.Approver: store.TokenApprover,
	authority.Admin: store.TokenAdmin, authority.Integrator: store.TokenIntegrator,
}

// kinds names the kinds of tokens.
func kinds(list []authority.TokenKind) string {
	var words []string
	for _, k := range list {
		words = append(words, string(kindOf[k]))
	}
	return strings.Join(words, " or ")
}

// stranger counts a request with an unknown token.
func (s *Server) stranger() {
	if n := s.strangers.Count(); n > 0 {
		s.c.Log.Warn("requests with an invalid token were refused", "requests", n)
	}
}

// bearer reads the token. An unknown one is not an error here: who it is for
// decides.
func (s *Server) bearer(r *http.Request) (token, bool, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 {
		return token{}, false, nil
	}
	scheme, secret, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return token{}, false, failure(http.StatusUnauthorized, protocol.CodeUnauthorized, "want exactly one header Authorization: Bearer TOKEN")
	}
	k, known := s.c.Tokens.find(secret)
	return k, known, nil
}
