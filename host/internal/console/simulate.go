package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store/history"
)

// The bounds of a simulation: a person waits for it, below writePatience.
const (
	simulatedDays    = 7
	simulatedSeconds = 10
	shownCalls       = 100
	// keptEffect is how long a simulation's result is kept for the page that shows it.
	keptEffect = time.Minute
)

// kept is a session's last result of something that takes seconds. Safe for concurrent use.
type kept[T any] struct {
	mu  sync.Mutex
	of  string // a digest of what it is about
	out T
	at  time.Time
}

// fresh returns a result that is about of and not older than hold.
func (k *kept[T]) fresh(of string, now time.Time, hold time.Duration) (out T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of != of || now.Sub(k.at) > hold {
		return out, false
	}
	return k.out, true
}

// keep replaces the result.
func (k *kept[T]) keep(of string, out T, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.of, k.out, k.at = of, out, now
}

// simulate returns the effect of a change on past calls. A result of this session that is a minute old
// at most is used again.
func (s *Server) simulate(r *http.Request, of *session, c protocol.RuleChange, progress func(history.Simulating)) (*history.Simulated, error) {
	change := protocol.RuleSimulation{Rules: slices.Clone(c.Rules), Remove: c.Remove}
	for _, n := range change.Rules {
		if _, err := engine.ParseRule(n.Rule); err != nil {
			return nil, refuse(http.StatusBadRequest, err.Error())
		}
	}
	change.Days, change.Rows, change.Seconds = simulatedDays, shownCalls, simulatedSeconds
	for i := range change.Rules {
		change.Rules[i].ExpiresAt = time.Time{} // it is about the past
	}
	key := digest(change)
	if out, ok := of.effect.fresh(key, s.c.Now(), keptEffect); ok {
		return &out, nil
	}
	out, err := of.client.Simulate(r.Context(), change, progress)
	if err != nil {
		return nil, err
	}
	of.effect.keep(key, out, s.c.Now())
	return &out, nil
}

// effect is the simulation of a form for the script: lines of progress, then the word "done". The
// page of the form then shows the result.
func (s *Server) effect(w http.ResponseWriter, r *http.Request, of *session) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	c, err := s.changeOf(r, of, form, form.Get("id"), form.Get("remove") != "")
	if err != nil {
		return err
	}
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	line := func(v any) {
		text, _ := json.Marshal(v)                                  // numbers and words encode
		_ = control.SetWriteDeadline(time.Now().Add(writePatience)) // without deadlines (tests) it waits
		if _, err := fmt.Fprintf(w, "%s\n", text); err == nil {
			_ = control.Flush() // the browser has left
		}
	}
	if _, err := s.simulate(r, of, c.api, func(p history.Simulating) { line(p) }); err != nil {
		line("failed") // the page of the form says why
		return nil
	}
	line("done")
	return nil
}
