package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// Uninstall stops the service and removes the results of the installation, and nothing else: files
// changed by hand since, and directories with other content, stay and are listed. The daemon's data
// (its state, its account, and the configuration) stays too unless Options.Purge is set. Settings
// get their former content back.
func Uninstall(ctx context.Context, o Options) (Result, error) {
	o, rec, l, err := o.installed()
	if err == nil && !rec.installed() && !o.Purge {
		err = ErrNotInstalled // the rest is the data kept by the last uninstall
	}
	if err != nil {
		return Result{}, err
	}
	r := Result{Level: o.Level, Changed: true}
	u := remover{o}
	r.Actions = append(r.Actions, Action{Do: "stop the service", Command: o.manager(l).stop})
	if !o.DryRun {
		if err := o.halt(ctx, l); err != nil {
			return r, fmt.Errorf("stop the service: %w", err)
		}
	}
	var errs []error
	var left []made
	for _, m := range slices.Backward(rec.Made) {
		if m.Kind == madeService {
			continue
		}
		a, err := u.remove(ctx, m)
		r.Actions = append(r.Actions, a)
		o.Log(a)
		errs = append(errs, err)
		if err != nil || m.Kept && !o.Purge {
			left = append(left, m)
		}
	}
	if o.DryRun {
		return r, nil
	}
	if reload := o.manager(l).reload; len(reload) > 0 {
		_, err := o.command(ctx, reload)
		errs = append(errs, err)
	}
	return r, errors.Join(append(errs, forget(o, l, rec, left))...)
}

// forget removes the record, or keeps the remaining results in it, so the command can run again.
func forget(o Options, l layout, rec *record, left []made) error {
	path := o.at(l.record)
	if len(left) == 0 {
		err := os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // only when nothing else is in it
		return err
	}
	slices.Reverse(left)
	rec.Made = left
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	j := &job{Options: o}
	return j.write(path, append(data, '\n'), recordMode, func(string) error { return nil })
}

// installed finds the installation: the one of the named level, or the only one.
func (o Options) installed() (Options, *record, layout, error) {
	levels := []boundary.Level{o.Level}
	if o.Level == "" {
		levels = []boundary.Level{boundary.B, boundary.A}
	}
	var errs []error
	for _, level := range levels {
		at := o
		at.Level = level
		at = at.withDefaults()
		l := at.layout()
		rec, err := readRecord(at.at(l.record))
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w: run it with sudo", err)
		}
		errs = append(errs, err)
		if rec == nil {
			continue
		}
		at.Agent, at.Approvers, at.BinaryDir = rec.Agent, rec.Approvers, rec.BinaryDir
		l = at.layout()
		l.binary, l.hook = rec.Binary, cmp.Or(rec.Hook, rec.Binary)
		return at, rec, l, nil
	}
	if err := errors.Join(errs...); err != nil {
		return o, nil, layout{}, err
	}
	return o, nil, layout{}, ErrNotInstalled
}

// remover removes results.
type remover struct{ o Options }

func (u remover) remove(ctx context.Context, m made) (Action, error) {
	a := Action{Do: "remove " + string(m.Kind), Path: m.Path}
	if m.Kept && !u.o.Purge {
		a.Do, a.Unchanged, a.Note = "keep "+string(m.Kind), true, "--purge removes it"
		return a, nil
	}
	if m.Kind == madeAccount {
		a.Path, a.Owner = "", m.Path
		if u.o.DryRun {
			return a, nil
		}
		return a, removeAccount(ctx, u.o, m.Path)
	}
	path := u.o.at(m.Path)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		a.Unchanged, a.Note = true, "already gone"
		return a, nil
	}
	switch m.Kind {
	case madeSettings:
		return u.settings(a, m)
	case madeDirectory:
		return u.directory(a, m)
	}
	data, err := os.ReadFile(path)
	if err == nil && m.Sum != "" && sum(data) != m.Sum {
		a.Do, a.Unchanged, a.Note = "keep file", true, "it was changed since the install; remove it by hand"
		return a, nil
	}
	if err == nil && !u.o.DryRun {
		err = os.Remove(path)
	}
	return a, err
}

// directory removes an empty one, or the daemon's own with its content.
func (u remover) directory(a Action, m made) (Action, error) {
	path := u.o.at(m.Path)
	if m.Path == filepath.Dir(u.o.layout().record) {
		a.Note = "if it is otherwise empty; last of all, with the record"
		return a, nil
	}
	if m.Owner == u.o.account() && m.Owner != "" {
		if u.o.DryRun {
			return a, nil
		}
		return a, os.RemoveAll(path)
	}
	if u.o.DryRun {
		a.Note = "if it is otherwise empty"
		return a, nil
	}
	if err := os.Remove(path); err != nil {
		a.Do, a.Unchanged, a.Note = "keep directory", true, "it contains other files"
	}
	return a, nil
}

// settings restores the settings' former content.
func (u remover) settings(a Action, m made) (Action, error) {
	a.Do, a.Mode = "restore settings", m.Mode
	path := u.o.at(m.Path)
	have, err := os.ReadFile(path)
	if err != nil {
		return a, err
	}
	var text []byte
	gone := false
	switch {
	case sum(have) == m.Sum && m.Before == nil:
		gone = true
	case sum(have) == m.Sum:
		text = []byte(*m.Before)
	default: // others changed it too: only our hooks go
		before := settings.Before{}
		if m.Before != nil {
			before = settings.Before{Known: true, Text: []byte(*m.Before)}
		}
		c, err := settings.Uninstall(settings.ClaudeCode, m.Path, have, before)
		if err != nil {
			return a, err
		}
		text, gone = c.Text, c.Delete
		a.Note = "it was changed since the install: only the Callgate hooks are removed"
	}
	if a.Content = string(text); gone {
		a.Do = "remove settings"
	}
	switch {
	case u.o.DryRun:
		return a, nil
	case gone:
		return a, os.Remove(path)
	}
	j := &job{Options: u.o}
	was, err := u.o.System.Lstat(m.Path)
	if err != nil {
		return a, err
	}
	return a, j.write(path, text, was.Mode.Perm(), func(p string) error { return u.o.Chown(p, was.UID, was.GID) })
}
