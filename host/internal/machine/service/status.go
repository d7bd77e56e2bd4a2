package service

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// Status tells how an installation stands.
type Status struct {
	// Installed tells whether there is one; without it the rest is empty.
	Installed bool           `json:"installed"`
	Level     boundary.Level `json:"level,omitempty"`
	// Holds is the present level, and the reason against a higher one.
	Holds     boundary.Report `json:"holds"`
	Agent     string          `json:"agent,omitempty"`
	Approvers []string        `json:"approvers,omitempty"`
	Unit      string          `json:"unit,omitempty"`
	// Running is the manager's word for the unit's state, such as active; Enabled
	// whether it starts by itself.
	Running string `json:"running,omitempty"`
	Enabled bool   `json:"enabled"`
	// Drift lists changes since the installation, one sentence each.
	Drift []string `json:"drift"`
}

// Sound tells whether everything is as it should be.
func (s Status) Sound() bool {
	return s.Installed && s.Holds.Level == s.Level && s.Running == "active" && s.Enabled && len(s.Drift) == 0
}

// Inspect reports the installation's state. Without root it sees less, and says that level B is
// unknown.
func Inspect(ctx context.Context, o Options) (Status, error) {
	o, rec, l, err := o.installed()
	switch {
	case errors.Is(err, ErrNotInstalled), err == nil && !rec.installed():
		return Status{Holds: boundary.Report{Level: boundary.None, Reasons: []boundary.Finding{}}, Drift: []string{}}, nil
	case err != nil:
		return Status{}, err
	}
	s := Status{Installed: true, Level: o.Level, Agent: o.Agent, Approvers: o.Approvers, Unit: l.unit, Drift: []string{}}
	if s.Holds, err = assess(ctx, o, l); err != nil {
		return s, err
	}
	m := o.manager(l)
	s.Enabled = o.answers(ctx, m.enabled)
	s.Running = "not started in an image"
	if len(m.active) > 0 {
		out, err := o.command(ctx, m.active)
		switch {
		case err == nil:
			s.Running = "active"
		case o.OS == "darwin":
			s.Running = "not loaded"
		default:
			if s.Running = strings.TrimSpace(out); s.Running == "" {
				s.Running = "unknown"
			}
		}
	}
	for _, made := range rec.Made {
		if d := drift(o, made); d != "" {
			s.Drift = append(s.Drift, d)
		}
	}
	return s, nil
}

// drift describes a thing's change since the installation; "" without one.
func drift(o Options, m made) string {
	switch m.Kind {
	case madeService:
		return ""
	case madeAccount:
		if _, err := o.System.Account(m.Path); err != nil {
			return "account " + m.Path + ": " + err.Error()
		}
		return ""
	}
	info, err := os.Lstat(o.at(m.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m.Path + " is missing"
	case err != nil:
		return err.Error()
	case m.Kind == madeDirectory && !info.IsDir(), m.Kind != madeDirectory && !info.Mode().IsRegular():
		return m.Path + " has another type now"
	case m.Mode != "" && modeText(info.Mode()) != m.Mode:
		return m.Path + " has mode " + modeText(info.Mode()) + ", was created with " + m.Mode
	}
	j := &job{Options: o}
	if !j.owns(m.Path, m.Owner) {
		return m.Path + " no longer belongs to " + m.Owner
	}
	return changed(o, m)
}

// changed describes a changed content.
func changed(o Options, m made) string {
	if m.Sum == "" || m.Kind == madeDirectory {
		return ""
	}
	data, err := os.ReadFile(o.at(m.Path))
	switch {
	case err != nil:
		return err.Error()
	case sum(data) == m.Sum:
	case m.Kind != madeSettings:
		return m.Path + " was changed"
	case !strings.Contains(string(data), `"claude-code"`):
		return m.Path + " no longer contains the Callgate hook"
	default:
		return m.Path + " was changed"
	}
	if m.Kind == madeSettings && othersMayHook(data) {
		return m.Path + " allows other hooks, which can change a call after it was checked; set allowManagedHooksOnly to true"
	}
	return ""
}
