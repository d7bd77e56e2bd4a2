package api

import (
	_ "embed"
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

func (s *Server) health(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	q, err := query(r, "key", "nonce")
	if err != nil {
		return err
	}
	h := protocol.Health{Status: "ok"}
	if q["nonce"] != "" {
		if h.Proof, err = s.prove(r, q); err != nil {
			return err
		}
	}
	if caller.Token != "" {
		h.Version = s.c.Version
	}
	if caller.Kind == authority.Admin || caller.Kind == authority.Approver {
		checks, asks := s.checks.used(), len(s.c.Asks.Waiting(ask.Filter{}))
		h.StartedAt, h.Checks, h.Asks, h.AgentAccounts = s.started, &checks, &asks, s.c.Boundary.Agents
		for _, surface := range s.c.Asks.Surfaces() {
			h.Surfaces = append(h.Surfaces, surface.Name)
		}
		s.troubles(&h)
	}
	return reply(w, http.StatusOK, h)
}

// troubles adds known problems of the daemon's rules and modules, missing features for its sandbox,
// and Discord's state.
func (s *Server) troubles(h *protocol.Health) {
	if s.c.RefusedRules != nil {
		for _, r := range s.c.RefusedRules() {
			h.RefusedRules = append(h.RefusedRules, r.ID)
		}
	}
	if s.c.ModuleProblems != nil {
		for _, p := range s.c.ModuleProblems() {
			h.ModuleProblems = append(h.ModuleProblems, p.String())
		}
	}
	if s.c.Sandbox != nil {
		features := s.c.Sandbox()
		h.Sandbox = &features
	}
	if s.c.Discord != nil {
		d := s.c.Discord()
		h.Discord = &d
	}
}

// prove answers a client in doubt about its daemon.
func (s *Server) prove(r *http.Request, q params) (string, error) {
	addr := daemonAddr(r)
	if n := len(q["nonce"]); n < protocol.MinNonce || n > protocol.MaxNonce || addr == nil {
		return "", badField("nonce", "want 16 to 128 bytes of random text")
	}
	key, known := s.c.Tokens.key(q["key"])
	if !known {
		return "", badField("key", "no token has this ID")
	}
	return protocol.Proof(key, q["nonce"], addr), nil
}

//go:embed openapi.json
var openapiDocument []byte

func (s *Server) openapi(w http.ResponseWriter, _ *http.Request, _ authority.Caller) error {
	send(w, http.StatusOK, openapiDocument)
	return nil
}
