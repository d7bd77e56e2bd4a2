package api

import (
	_ "embed"
	"net/http"
	"time"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/sandbox"
)

// Health is how the daemon stands. Without a token only Status and Proof are
// told, to a check or integrator token Version as well.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
	// Proof answers the parameters key and nonce.
	Proof     string    `json:"proof,omitempty"`
	StartedAt time.Time `json:"started_at,omitzero"`
	// Checks are under way, Asks wait for a human, Surfaces are where one is.
	Checks   *int     `json:"checks,omitempty"`
	Asks     *int     `json:"asks,omitempty"`
	Surfaces []string `json:"surfaces,omitempty"`
	// RefusedRules are the ids of stored allow rules that are not used, because
	// they were changed outside Callgate; ModuleProblems say which module files
	// cannot be used, and why.
	RefusedRules   []string `json:"refused_rules,omitempty"`
	ModuleProblems []string `json:"module_problems,omitempty"`
	// Sandbox is what the daemon's system offers it; nil where that is not told.
	Sandbox *sandbox.Features `json:"sandbox,omitempty"`
	// Discord is how the connection to Discord stands; nil where that is not told.
	Discord *DiscordHealth `json:"discord,omitempty"`
}

func (s *Server) health(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	q, err := query(r, "key", "nonce")
	if err != nil {
		return err
	}
	h := Health{Status: "ok"}
	if q["nonce"] != "" {
		if h.Proof, err = s.prove(r, q); err != nil {
			return err
		}
	}
	if caller.Token != "" {
		h.Version = s.c.Version
	}
	if caller.Standing == gate.Admin || caller.Standing == gate.Approver {
		checks, asks := s.checks.used(), len(s.c.Asks.Waiting(ask.Filter{}))
		h.StartedAt, h.Checks, h.Asks = s.started, &checks, &asks
		for _, surface := range s.c.Asks.Surfaces() {
			h.Surfaces = append(h.Surfaces, surface.Name)
		}
		s.troubles(&h)
	}
	return reply(w, http.StatusOK, h)
}

// troubles adds what the daemon knows to be wrong with its rules and modules, what its
// sandbox lacks, and how Discord stands.
func (s *Server) troubles(h *Health) {
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

// The lengths of a nonce that is answered, in bytes.
const minNonce, maxNonce = 16, 128

// prove answers a client that wants to know whether it talks to its daemon.
func (s *Server) prove(r *http.Request, q params) (string, error) {
	addr := daemonAddr(r)
	if n := len(q["nonce"]); n < minNonce || n > maxNonce || addr == nil {
		return "", badField("nonce", "want 16 to 128 bytes of random text")
	}
	key, known := s.c.Tokens.key(q["key"])
	if !known {
		return "", badField("key", "no token has this id")
	}
	return proof(key, q["nonce"], addr), nil
}

//go:embed openapi.json
var openapiDocument []byte

func (s *Server) openapi(w http.ResponseWriter, _ *http.Request, _ gate.Caller) error {
	send(w, http.StatusOK, openapiDocument)
	return nil
}
