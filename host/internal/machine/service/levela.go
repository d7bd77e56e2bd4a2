package service

import (
	"context"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// steps are the level's steps, and the remaining tasks for people.
func (j *job) steps(ctx context.Context) ([]step, []string, error) {
	if j.Level == boundary.B {
		return j.stepsB(ctx)
	}
	l := j.layout
	steps := []step{
		directory{path: filepath.Dir(l.unit), mode: 0o755},
		file{path: l.unit, mode: 0o644, content: func(j *job) ([]byte, error) { return []byte(j.unit(l)), nil }},
		starting{ctx},
	}
	next := []string{"callgate hook claude-code --install      # connect Claude Code", "callgate asks watch                      # answer pending asks"}
	if j.OS == "linux" {
		next = append(next, "loginctl enable-linger                   # keep it running while you are logged out")
	}
	return existing(j, steps), next, nil
}

// existing leaves existing directories alone: their modes are their owner's business.
func existing(j *job, steps []step) []step {
	d, ok := steps[0].(directory)
	if s, err := j.System.Lstat(d.path); ok && err == nil && s.Mode.IsDir() {
		return steps[1:]
	}
	return steps
}
