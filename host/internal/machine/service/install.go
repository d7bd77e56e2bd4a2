package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// Result is the result of an installation, real or not.
type Result struct {
	Level boundary.Level `json:"level"`
	// Boundary is the present level, and the reason against a higher one.
	Boundary boundary.Report `json:"boundary"`
	Actions  []Action        `json:"actions"`
	// Changed reports whether any step changed, or would change, something.
	Changed bool `json:"changed"`
	// Next are the remaining tasks for people, in words.
	Next []string `json:"next,omitempty"`
}

// Install installs the service. Run again, it updates an existing installation. At level B it
// refuses with ErrBoundary, before any change, when the agent's account could get around it. When a
// step fails, it undoes the earlier ones, and the error names the remains.
func Install(ctx context.Context, o Options) (Result, error) {
	o, err := o.complete()
	if err != nil {
		return Result{}, err
	}
	j := &job{Options: o, layout: o.layout()}
	if j.old, err = readRecord(o.at(j.layout.record)); err != nil {
		return Result{}, err
	}
	r := Result{Level: o.Level}
	if err := j.compatible(); err != nil {
		return r, err
	}
	j.chooseProgram()
	if r.Boundary, err = assess(ctx, o, j.layout); err != nil {
		return r, err
	}
	if o.Level == boundary.B && r.Boundary.Level != boundary.B {
		return r, fmt.Errorf("%w: the account %s could bypass it; nothing was changed", ErrBoundary, o.Agent)
	}
	if err := o.manages(ctx, j.layout); err != nil {
		return r, err
	}
	steps, next, err := j.steps(ctx)
	if err != nil {
		return r, err
	}
	r.Next = next
	for _, s := range steps {
		a, err := s.look(j)
		if err != nil {
			return r, err
		}
		j.changed = j.changed || !a.Unchanged
		r.Actions = append(r.Actions, a)
	}
	if r.Changed = j.changed; o.DryRun || !r.Changed {
		return r, nil
	}
	j.changed = false
	r.Actions, err = j.run(ctx, steps)
	return r, err
}

// compatible refuses to install beside another installation.
func (j *job) compatible() error {
	if !j.old.installed() {
		return nil
	}
	if j.old.Level == j.Level && j.old.Agent == j.Agent && slices.Equal(j.old.Approvers, j.Approvers) && (j.Level == boundary.A || j.old.BinaryDir == j.BinaryDir) {
		return nil
	}
	return fmt.Errorf("service: level %s is already installed for other accounts or in another place; remove it first: callgate service uninstall (the daemon's data is kept)", j.old.Level)
}

// run does the steps, and undoes them when one fails.
func (j *job) run(ctx context.Context, steps []step) (done []Action, err error) {
	rec := &record{Version: recordVersion, Level: j.Level, Agent: j.Agent, Approvers: j.Approvers, Binary: j.layout.binary, Hook: j.layout.hook, BinaryDir: j.BinaryDir}
	if j.old != nil {
		rec.Made = slices.Clone(j.old.Made)
	}
	var undo []func() error
	defer func() {
		if err == nil {
			return
		}
		for _, u := range slices.Backward(undo) {
			if undoErr := u(); undoErr != nil {
				err = errors.Join(err, fmt.Errorf("and this step could not be undone: %w", undoErr))
			}
		}
	}()
	for _, s := range steps {
		a, err := s.look(j)
		if err != nil {
			return done, err
		}
		if !a.Unchanged {
			m, back, err := s.do(ctx, j)
			if back != nil {
				undo = append(undo, back)
			}
			if err != nil {
				return done, fmt.Errorf("%s %s: %w", a.Do, a.Path, err)
			}
			j.changed = true
			rec.add(m)
		}
		j.Log(a)
		done = append(done, a)
	}
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return done, fmt.Errorf("record of the installation: %w", err)
	}
	return done, j.write(j.at(j.layout.record), append(data, '\n'), recordMode, func(p string) error { return j.own(p, j.recordOwner()) })
}

// add records a result, once.
func (r *record) add(m *made) {
	if m == nil {
		return
	}
	i := slices.IndexFunc(r.Made, func(o made) bool { return o.Kind == m.Kind && o.Path == m.Path })
	if i >= 0 {
		r.Made[i] = *m
		return
	}
	r.Made = append(r.Made, *m)
}

func (j *job) recordOwner() string {
	if j.Level == boundary.B {
		return "root"
	}
	return ""
}

// recordMode hides the former settings from other accounts.
const recordMode = 0o600

// assess gathers the facts for an installation, as it will be once everything is
// in place, and judges them.
func assess(ctx context.Context, o Options, l layout) (boundary.Report, error) {
	s := boundary.Subject{Agent: o.Agent, Daemon: l.account, NewDaemon: true, Approvers: o.Approvers, Places: l.places()}
	if o.Level != boundary.B {
		me := fmt.Sprint(*o.UID)
		s.Agent, s.Daemon = me, me
	}
	facts, err := boundary.Gather(ctx, o.System, s)
	if err != nil {
		return boundary.Report{}, fmt.Errorf("service: %w", err)
	}
	return boundary.Assess(facts), nil
}

// program is the source of a copy out of the agent's reach.
func program(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	return data, nil
}
