package assembly

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// acceptedSetting keeps the text of the accepted configuration in the store.
const acceptedSetting = "accepted_config"

// The words in the audit for who made a configuration hold when no person did.
const (
	byFirstStart = "first start"
	byFile       = "configuration file"
)

// configuration is the accepted configuration, the file's present one, and the one in force: the
// accepted one with the file's tightening changes. It does not change.
type configuration struct {
	accepted, file, inForce *config.Config
	// waiting is the rest of the file, for a person to accept.
	waiting []wire.PendingChange
	// first means the store had no accepted configuration.
	first bool
	// problem says why a later text of the file could not be used.
	problem string
}

// combine makes the configuration in force from the accepted one and the file's tightening changes.
func combine(accepted, file *config.Config) *configuration {
	inForce, waiting := accepted.Tighten(file)
	return &configuration{accepted: accepted, file: file, inForce: inForce, waiting: waiting}
}

func (s *configuration) pending() bool { return len(s.waiting) > 0 }

// Audit says how long the audit is kept, as it is in force.
func (h *Host) Audit() config.Audit { return h.configuration.Load().inForce.Audit }

// recall compares the file with the store's accepted configuration. A store without one takes the
// file as it is: it is new, or of a version without acceptance. If the accepted one is unreadable,
// or was changed outside Callgate, only the built-in values count as accepted.
func (h *Host) recall(ctx context.Context, file *config.Config) (*configuration, error) {
	text, err := h.Store.Setting(ctx, acceptedSetting)
	if errors.Is(err, store.ErrNotFound) {
		s := combine(file, file)
		s.first = true
		return s, nil
	}
	if err != nil && !errors.Is(err, store.ErrForged) {
		return nil, err
	}
	accepted := file.BuiltIn()
	if err == nil && len(text) > 0 {
		var parsed *config.Config
		if parsed, err = file.Earlier(text); err == nil {
			accepted = parsed
		}
	}
	if err != nil {
		h.log.Warn("the accepted configuration cannot be used; using the built-in defaults until the file is accepted", "error", err)
	}
	return combine(accepted, file), nil
}

// settle stores the host's first configuration when it needs no acceptance.
func (h *Host) settle(ctx context.Context, s *configuration) error {
	if s.first {
		return h.keep(ctx, s.file, store.EventConfigAccepted, byFirstStart, "the store contains no configuration")
	}
	if s.pending() {
		h.warnPending(s)
		return nil
	}
	return h.tightened(ctx, s)
}

// tightened accepts a file without any widening.
func (h *Host) tightened(ctx context.Context, s *configuration) error {
	if !bytes.Equal(s.accepted.Text(), s.file.Text()) {
		if err := h.keep(ctx, s.file, store.EventConfigTightened, byFile, "no change allows more"); err != nil {
			return err
		}
	}
	h.put(combine(s.file, s.file))
	return nil
}

func (h *Host) keep(ctx context.Context, c *config.Config, event store.Event, by, detail string) error {
	row := store.Row{Event: event, DecidedBy: by, Detail: "sha256 " + c.Digest() + ": " + detail}
	// An empty text is one, too: of a missing file.
	return h.Store.SaveSetting(ctx, acceptedSetting, append([]byte{}, c.Text()...), row)
}

func (h *Host) warnPending(s *configuration) {
	h.log.Warn("the configuration was changed outside Callgate: tightening changes are in effect, all others are pending: callgate config accept",
		"config", s.file.File, "settings", whereOf(s.waiting))
}

func whereOf(ws []wire.PendingChange) string {
	var keys []string
	for _, w := range ws {
		keys = append(keys, w.Where)
	}
	return strings.Join(keys, ", ")
}

// Config is the configuration file as last read. Its waiting part is not in force: see Accepted and
// ConfigState.
func (h *Host) Config() *config.Config { return h.configuration.Load().file }

// Accepted is the last configuration accepted by a person, or accepted because it widened nothing.
// The settings for the start (listen, boundary) come from it.
func (h *Host) Accepted() *config.Config { return h.configuration.Load().accepted }

// ConfigState is the state of the configuration file as last read (see LookAtConfig), with the
// profiles people gave agents in place of the file's.
func (h *Host) ConfigState() wire.ConfigState {
	s := h.configuration.Load().state()
	given, err := h.Gate.GivenProfiles(context.Background()) // held in memory but for the first time
	if err != nil {
		s.Given = []string{err.Error()}
	}
	for _, p := range given {
		s.Given = append(s.Given, fmt.Sprintf("agent %s has profile %s instead of %s, assigned by %s", p.Agent, p.Profile, cmp.Or(p.Replaces, "none"), p.By))
	}
	return s
}

func (s *configuration) state() wire.ConfigState {
	out := wire.ConfigState{
		File: s.file.File, Accepted: s.accepted.Digest(), Widenings: append([]wire.PendingChange{}, s.waiting...), Problem: s.problem,
	}
	if s.pending() {
		out.Pending = s.file.Digest()
	}
	return out
}

// Apply puts a changed configuration in force, after testing its rules on their own examples: all
// of it when nothing waits, else the accepted one with the tightening changes, until AcceptConfig.
// On an error the old one stays. The notes list settings fixed while the daemon runs (listen,
// boundary, store, discord, asks), waiting changes, and unusable modules.
func (h *Host) Apply(ctx context.Context, next *config.Config) (notes []string, err error) {
	h.changing.Lock()
	defer h.changing.Unlock()
	old := h.configuration.Load()
	defer func() {
		if err != nil {
			h.trouble(err)
		}
	}()
	if err := h.checkExamples(ctx, next, nil); err != nil {
		return nil, err
	}
	now := combine(old.accepted, next)
	if err := h.permit(ctx, now); err != nil {
		return nil, fmt.Errorf("modules: %w", err)
	}
	h.put(now)
	if now.pending() {
		h.warnPending(now)
		notes = append(notes, fmt.Sprintf("%d configuration changes are pending; review and apply them: callgate config accept", len(now.waiting)))
	} else if err := h.tightened(ctx, now); err != nil {
		return nil, err
	}
	notes = append(notes, h.settleProfiles(ctx)...)
	for _, p := range h.Catalog.Problems() {
		notes = append(notes, fmt.Sprintf("tool module %s cannot be used: %v", p.File, p.Err))
	}
	for _, p := range next.Problems() {
		notes = append(notes, p.Error())
	}
	notes = append(notes, GrantAdvice(next)...)
	if late(old.file, next) {
		notes = append(notes, "restart the daemon to apply changes of listen, boundary, store, discord, console, telemetry, gateway, audit.witnesses, modules.dir, modules.memory_mib and asks")
	}
	return notes, nil
}

// settleProfiles forgets given profiles overruled by the configuration in force. Where this fails
// they are out of force as well, but may come back with the file; the note says so.
func (h *Host) settleProfiles(ctx context.Context) (notes []string) {
	if err := h.Gate.SettleProfiles(ctx); err != nil {
		h.log.Warn("assigned profiles could not be applied", "error", err)
		notes = append(notes, "assigned profiles could not be applied: "+err.Error())
	}
	return notes
}

// permit gives the catalogue the modules' permissions and limits.
func (h *Host) permit(ctx context.Context, s *configuration) error {
	_, err := h.Catalog.Configure(ctx, moduleSettings(s.inForce.Modules))
	return err
}

// laterKeys are the parts of the file that hold from the next start on.
var laterKeys = []string{"listen", "boundary", "discord", "store", "asks", "console", "telemetry", "gateway"}

// late reports whether a changed setting holds from the next start on.
func late(old, next *config.Config) bool {
	_, there := old.Tighten(next)
	_, back := next.Tighten(old)
	for _, w := range append(there, back...) {
		switch key, _, _ := strings.Cut(w.Where, "."); {
		case slices.Contains(laterKeys, key), w.Where == "modules.dir", w.Where == "modules.memory_mib", strings.HasPrefix(w.Where, "audit.witnesses"):
			return true
		}
	}
	return false
}

// AcceptConfig puts the file with the digest shown to a person in force, in the name of by.
// config.ErrChangedSince when another one waits.
func (h *Host) AcceptConfig(ctx context.Context, digest, by string) (wire.ConfigState, error) {
	h.changing.Lock()
	defer h.changing.Unlock()
	s := h.configuration.Load()
	switch {
	case !s.pending():
		return s.state(), config.ErrNothingPending
	case s.file.Digest() != digest:
		return s.state(), config.ErrChangedSince
	}
	if err := h.keep(ctx, s.file, store.EventConfigAccepted, by, "it changes "+whereOf(s.waiting)); err != nil {
		return s.state(), err
	}
	now := combine(s.file, s.file)
	if err := h.permit(ctx, now); err != nil {
		return s.state(), fmt.Errorf("the configuration is accepted, but takes effect only at the next start: modules: %w", err)
	}
	h.put(now)
	h.settleProfiles(ctx)
	h.log.Info("configuration accepted", "config", now.file.File, "by", by)
	return now.state(), nil
}

// trouble records why the file was unusable. The configuration in force stays.
func (h *Host) trouble(err error) {
	s := *h.configuration.Load()
	s.problem = err.Error()
	h.configuration.Store(&s)
}

// Watch applies the configuration file whenever it changes, until ctx ends. A
// bad file keeps the old configuration and says so in the log and to onChange.
func (h *Host) Watch(ctx context.Context, onChange func(notes []string, err error)) error {
	w := watching{looks: make(chan chan<- struct{}), ended: make(chan struct{})}
	defer close(w.ended)
	h.watching.Store(&w)
	return h.Config().Watch(ctx, w.looks, func(next *config.Config) { onChange(h.Apply(ctx, next)) }, func(err error) {
		h.changing.Lock()
		h.trouble(err)
		h.changing.Unlock()
		onChange(nil, err)
	})
}

// watching is a Watch under way.
type watching struct {
	looks chan chan<- struct{}
	ended chan struct{}
}

// LookAtConfig makes Watch read the configuration file now, and returns once its content is applied
// and passed to onChange; onChange must not call this. Without a watch it does nothing. The error
// is ctx's.
func (h *Host) LookAtConfig(ctx context.Context) error {
	w := h.watching.Load()
	if w == nil {
		return nil
	}
	looked := make(chan struct{})
	select {
	case w.looks <- looked:
	case <-w.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-looked:
	case <-w.ended:
	case <-ctx.Done():
	}
	return ctx.Err()
}
