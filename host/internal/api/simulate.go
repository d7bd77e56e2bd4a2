package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/store/history"
)

// simulateRules tries a change of the rules on past calls. Nothing is stored. With the lines of a
// stream its progress comes first.
func (s *Server) simulateRules(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	var body protocol.RuleSimulation
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	sim, err := s.simulation(r, body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := &stream{w: w, form: formOf(r), cancel: cancel}
	got, err := s.c.Gate.Simulate(ctx, sim, func(p history.Simulating) {
		if out.form != formPlain {
			out.write("progress", p)
		}
	})
	if err != nil {
		return out.fail(s, err, caller)
	}
	return out.result(got)
}

// simulation checks a request: its rules as those of a change are.
func (s *Server) simulation(r *http.Request, body protocol.RuleSimulation) (gate.Simulation, error) {
	sim := gate.Simulation{Remove: body.Remove}
	if len(body.Rules)+len(body.Remove) == 0 {
		return sim, badField("rules", "missing: want a rule to add, or the id of one to remove")
	}
	days, err := bounded("days", body.Days, 7, 365)
	if err != nil {
		return sim, err
	}
	if sim.Rows, err = bounded("rows", body.Rows, 100, 1000); err != nil {
		return sim, err
	}
	seconds, err := bounded("seconds", body.Seconds, 60, 600)
	if err != nil {
		return sim, err
	}
	sim.Since, sim.Within = s.c.Now().AddDate(0, 0, -days), time.Duration(seconds)*time.Second
	rules := make([]engine.Rule, len(body.Rules))
	for i, n := range body.Rules {
		if rules[i], err = ruleOf(n, fmt.Sprintf("rules[%d].", i), s.c.Now()); err != nil {
			return sim, err
		}
	}
	planned, err := s.c.Gate.ChangeRules(r.Context(), admin.Change{}, rules, body.Remove, true)
	for _, p := range planned.Rules {
		sim.Add = append(sim.Add, p.Rule)
	}
	return sim, err
}

// bounded is the number of a field, or the usual one.
func bounded(field string, value, usual, most int) (int, error) {
	if value < 0 || value > most {
		return 0, badField(field, fmt.Sprintf("want a number from 1 to %d", most))
	}
	return cmp.Or(value, usual), nil
}
