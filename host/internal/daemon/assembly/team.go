package assembly

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
)

// together makes the host follow the other daemons of its store.
func (h *Host) together() {
	h.Store.OnAsk(func(ctx context.Context, id string) {
		if h.Asks == nil || !h.open.Load() {
			return // Recover reads them all
		}
		var err error
		if id == "" {
			err = h.Asks.RefreshAll(ctx)
		} else {
			err = h.Asks.Refresh(ctx, id)
		}
		if err != nil && ctx.Err() == nil {
			h.log.Warn("asks of other daemons could not be read; trying again", "error", err)
		}
	})
	h.Store.OnMeet(func(ctx context.Context, alive map[string]bool) {
		if h.Asks == nil || !h.open.Load() {
			return
		}
		if err := h.Asks.Meet(ctx, alive); err != nil && ctx.Err() == nil {
			h.log.Warn("asks of a daemon that is gone could not be looked at; trying again", "error", err)
		}
	})
	h.Store.OnChange(h.changed)
	h.Store.OnList(func() (problems []string) {
		if !h.open.Load() {
			return nil
		}
		for _, p := range h.Catalog.Problems() {
			problems = append(problems, p.String())
		}
		return problems
	})
}

// OnTokens sets the listener for tokens changed by other daemons.
func (h *Host) OnTokens(load func(context.Context) error) { h.tokens.Store(&load) }

// OnSetting sets a listener for settings changed by other daemons; it reports whether it could
// forget its copy now.
func (h *Host) OnSetting(forget func(name string) bool) {
	h.changing.Lock()
	defer h.changing.Unlock()
	h.settings = append(h.settings, forget)
}

// changed puts changes by other daemons in force.
func (h *Host) changed(ctx context.Context, changes []store.Changed) error {
	if !h.open.Load() {
		return store.ErrBusy
	}
	for _, c := range changes {
		var err error
		switch c.Kind {
		case store.KindSetting:
			err = h.changedSetting(ctx, c.ID)
		case store.KindToken:
			err = h.changedTokens(ctx)
		case store.KindStreak:
			err = h.Asks.RefreshStreaks(ctx, []string{c.ID})
		case store.KindAll:
			err = h.changedAll(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) changedAll(ctx context.Context) error {
	for _, name := range []string{"", acceptedSetting} {
		if err := h.changedSetting(ctx, name); err != nil {
			return err
		}
	}
	if err := errors.Join(h.Catalog.Follow(ctx), h.changedTokens(ctx)); err != nil {
		return err
	}
	return h.Asks.RefreshStreaks(ctx, nil)
}

func (h *Host) changedTokens(ctx context.Context) error {
	if load := h.tokens.Load(); load != nil {
		return (*load)(ctx)
	}
	return nil
}

// changedSetting makes every holder of a copy read it again; of all settings for an empty name.
func (h *Host) changedSetting(ctx context.Context, name string) error {
	if file, ok := modules.SharedFile(name); ok {
		return h.Catalog.Follow(ctx, file)
	}
	if !h.changing.TryLock() {
		return store.ErrBusy // a change of our own waits for the store
	}
	defer h.changing.Unlock()
	if name == acceptedSetting {
		return h.acceptedElsewhere(ctx)
	}
	for _, forget := range append(slices.Clone(h.settings), h.Gate.Forget) {
		if !forget(name) {
			return store.ErrBusy
		}
	}
	return h.Gate.Recall(ctx)
}

// acceptedElsewhere puts the configuration in force that another daemon accepted. This daemon's
// file counts again when it changes. The caller holds changing.
func (h *Host) acceptedElsewhere(ctx context.Context) error {
	text, err := h.Store.Setting(ctx, acceptedSetting)
	if err != nil {
		return err
	}
	old := h.configuration.Load()
	if bytes.Equal(old.accepted.Text(), text) && !old.pending() {
		return nil
	}
	accepted, err := old.file.Earlier(text)
	if err != nil {
		return err
	}
	if bytes.Equal(old.file.Text(), text) {
		accepted = old.file
	}
	now := combine(accepted, accepted)
	if err := h.permit(ctx, now); err != nil {
		return err
	}
	h.put(now)
	h.log.Info("another daemon accepted a configuration; it is in force here, in place of this machine's file until that changes", "sha256", accepted.Digest())
	return nil
}
