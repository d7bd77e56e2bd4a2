package api

import (
	"fmt"
	"net/http"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/gate"
)

// forkKind takes the member "kind" out of the body of a mode, and tells whether it
// is the mode of the session's interactive forks.
func forkKind(body map[string]*string) (bool, error) {
	word, given := body["kind"]
	delete(body, "kind")
	switch {
	case !given || word != nil && *word == string(engine.Main):
		return false, nil
	case word != nil && *word == string(engine.InteractiveFork):
		return true, nil
	case word == nil:
		return false, badField("kind", "null: want main or interactive_fork")
	}
	return false, badField("kind", fmt.Sprintf("%q: want main or interactive_fork: background calls have the session's mode and never ask", *word))
}

// setForkMode wants a person for a mode that asks less than the one that the forks
// have.
func (s *Server) setForkMode(w http.ResponseWriter, r *http.Request, caller gate.Caller, id string, mode *engine.Mode, by string) error {
	widens, err := s.c.Gate.WidensFork(r.Context(), id, mode)
	if err == nil && widens {
		err = s.present(r, caller)
	}
	if err == nil {
		err = s.c.Gate.SetForkMode(r.Context(), id, mode, by)
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, sessionMode{Session: id, Mode: mode})
}
