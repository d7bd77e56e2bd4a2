package service

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// manager are the commands of the system's service manager for one unit.
type manager struct {
	// probe fails where the manager does not run; start also makes the service
	// start with the system or session.
	probe, reload, start, again, stop, active, enabled []string
}

func (o Options) manager(l layout) manager {
	if o.OS == "darwin" {
		return launchd(o, l)
	}
	return systemd(o)
}

func systemd(o Options) manager {
	ctl := func(args ...string) []string {
		argv := []string{"systemctl"}
		if o.Level == boundary.A {
			argv = append(argv, "--user")
		}
		if !o.live() {
			argv = append(argv, "--root", o.Root)
		}
		return append(argv, args...)
	}
	const unit = "callgate.service"
	m := manager{start: ctl("enable", unit), stop: ctl("disable", unit), enabled: ctl("is-enabled", unit)}
	if o.live() {
		m.probe, m.reload, m.start, m.stop = ctl("show-environment"), ctl("daemon-reload"), ctl("enable", "--now", unit), ctl("disable", "--now", unit)
		m.again, m.active = ctl("restart", unit), ctl("is-active", unit)
	}
	return m
}

func launchd(o Options, l layout) manager {
	domain := "system"
	if o.Level == boundary.A {
		domain = "gui/" + strconv.Itoa(*o.UID)
	}
	if !o.live() {
		return manager{}
	}
	return manager{
		probe: []string{"launchctl", "print", domain}, start: []string{"launchctl", "bootstrap", domain, l.unit},
		again: []string{"launchctl", "kickstart", "-k", domain + "/" + label}, stop: []string{"launchctl", "bootout", domain + "/" + label},
		active: []string{"launchctl", "print", domain + "/" + label}, enabled: []string{"launchctl", "print", domain + "/" + label},
	}
}

// answers tells whether a command succeeds.
func (o Options) answers(ctx context.Context, argv []string) bool {
	if len(argv) == 0 {
		return true
	}
	_, err := o.command(ctx, argv)
	return err == nil
}

// manages refuses a system without a service manager. The error holds the unit: a person can use it
// with another one.
func (o Options) manages(ctx context.Context, l layout) error {
	m := o.manager(l)
	if len(m.start) > 0 && (!o.Commands.Has(m.start[0]) || !o.answers(ctx, m.probe)) {
		return fmt.Errorf("%w: %s does not answer; start `%s serve --quiet` in another way. This is the unit:\n\n%s", errNoManager, strings.Join(m.start[:min(2, len(m.start))], " "), l.binary, o.unit(l))
	}
	return nil
}

// starting is the step handing the unit to the manager.
type starting struct{ ctx context.Context }

func (s starting) look(j *job) (Action, error) {
	m := j.manager(j.layout)
	a := Action{Do: "start the service", Command: m.start}
	if !j.live() {
		a.Do = "start the service at boot"
	}
	running := j.answers(s.ctx, m.enabled) && j.answers(s.ctx, m.active)
	a.Unchanged = len(m.start) == 0 || running && !j.changed
	if running && j.changed && len(m.again) > 0 {
		a.Do, a.Command = "restart the service", m.again
	}
	return a, nil
}

func (s starting) do(ctx context.Context, j *job) (*made, func() error, error) {
	m := j.manager(j.layout)
	if len(m.reload) > 0 {
		if _, err := j.command(ctx, m.reload); err != nil {
			return nil, nil, err
		}
	}
	service := &made{Kind: madeService, Path: j.layout.unit}
	a, err := s.look(j)
	if err != nil {
		return nil, nil, err
	}
	_, err = j.command(ctx, a.Command)
	undo := func() error {
		_, stopErr := j.command(context.WithoutCancel(ctx), m.stop)
		return stopErr
	}
	if a.Do == "restart the service" {
		undo = func() error { return nil } // the files are put back; it runs on
	}
	return service, undo, err
}

// halt stops the service and forgets the unit.
func (o Options) halt(ctx context.Context, l layout) error {
	m := o.manager(l)
	var errs []error
	if len(m.stop) > 0 && (o.answers(ctx, m.enabled) || o.answers(ctx, m.active)) {
		_, err := o.command(ctx, m.stop)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
