package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// entitled tells who the caller is, if the route may answer them.
func (s *Server) entitled(w http.ResponseWriter, r *http.Request, want need) (gate.Caller, error) {
	k, known, err := s.bearer(r)
	agent := s.c.Boundary.agent(peerOf(r))
	if known {
		s.c.Tokens.note(k)
		if t, ok := w.(*tracked); ok {
			t.key, t.life = k.sum[:], k.life
		}
	}
	switch {
	case want == needNobody && agent && k.caller.Standing != gate.Checker:
		return gate.Caller{}, nil
	case want == needNobody:
		return k.caller, nil
	case err != nil:
		return gate.Caller{}, err
	case !known:
		s.stranger()
		return gate.Caller{}, failure(http.StatusUnauthorized, CodeUnauthorized,
			"no such token, or it was revoked, rotated or has expired: send Authorization: Bearer with a token in force (agents/NAME.token, admin.token in the daemon's state directory)")
	case agent && !(want.agents() && k.caller.Standing == gate.Checker):
		return k.caller, failure(http.StatusForbidden, CodeForbidden,
			"this account belongs to an agent: it may have its calls checked, with its check token, and nothing else")
	case !slices.Contains(mayUse[want], k.caller.Standing):
		return k.caller, failure(http.StatusForbidden, CodeForbidden,
			fmt.Sprintf("this needs a token of kind %s, and yours is of kind %s", kinds(mayUse[want]), kindOf[k.caller.Standing]))
	}
	return k.caller, nil
}

// kindOf are the kinds of tokens by the standing they give.
var kindOf = map[gate.Standing]store.TokenKind{
	gate.Checker: store.TokenCheck, gate.Approver: store.TokenApprover,
	gate.Admin: store.TokenAdmin, gate.Integrator: store.TokenIntegrator,
}

// kinds names the kinds of tokens that give one of the standings.
func kinds(standings []gate.Standing) string {
	var words []string
	for _, s := range standings {
		words = append(words, string(kindOf[s]))
	}
	return strings.Join(words, " or ")
}

// stranger counts a request with a token that nobody knows.
func (s *Server) stranger() {
	if n := s.strangers.Count(); n > 0 {
		s.c.Log.Warn("requests without a token in force were refused", "requests", n)
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
		return token{}, false, failure(http.StatusUnauthorized, CodeUnauthorized, "want one header Authorization: Bearer TOKEN")
	}
	k, known := s.c.Tokens.find(secret)
	return k, known, nil
}
