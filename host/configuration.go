package host

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/store"
)

// acceptedSetting keeps the text of the accepted configuration in the store.
const acceptedSetting = "accepted_config"

// The words in the audit for who made a configuration hold when no person did.
const (
	byFirstStart = "first start"
	byFile       = "configuration file"
)

// configuration is what was accepted, what the file says now, and the stricter of
// both, which is in force. It does not change.
type configuration struct {
	accepted, file *config.Config
	both           *config.Combination
	widenings      []config.Widening
	// first tells that the store knew of no accepted configuration.
	first bool
	// problem says why a later text of the file could not be used.
	problem string
}

// combine makes the stricter of both the one in force.
func combine(accepted, file *config.Config) *configuration {
	both := config.Stricter(accepted, file)
	return &configuration{accepted: accepted, file: file, both: both, widenings: both.Widenings()}
}

func (s *configuration) pending() bool { return len(s.widenings) > 0 }

func (s *configuration) settings() Settings {
	if s.pending() {
		return s.both
	}
	return s.file
}

func (s *configuration) modules() config.Modules {
	if s.pending() {
		return s.both.Modules()
	}
	return s.file.Modules
}

func (s *configuration) asks() config.Asks {
	if s.pending() {
		return s.both.Asks()
	}
	return s.file.Asks
}

func (s *configuration) audit() config.Audit {
	if s.pending() {
		return s.both.Audit()
	}
	return s.file.Audit
}

// Audit says how long the audit is kept, as it is in force.
func (h *Host) Audit() config.Audit { return h.configuration.Load().audit() }

// recall compares the file with what the store says was accepted. A store that
// knows of nothing takes the file as it is: it is new, or of a version that did
// not ask. What was accepted and cannot be read, or was changed behind our back, is
// nothing to go by: then only the built-in values are.
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
		h.log.Warn("the accepted configuration cannot be used: the built-in values stand for it until the file is accepted", "error", err)
	}
	return combine(accepted, file), nil
}

// settle keeps what the host started with when nobody needs to accept it.
func (h *Host) settle(ctx context.Context, s *configuration) error {
	if s.first {
		return h.keep(ctx, s.file, store.EventConfigAccepted, byFirstStart, "the store knew of no configuration")
	}
	if s.pending() {
		h.warnPending(s)
		return nil
	}
	return h.tightened(ctx, s)
}

// tightened makes a file that widens nothing the accepted one.
func (h *Host) tightened(ctx context.Context, s *configuration) error {
	if !bytes.Equal(s.accepted.Text(), s.file.Text()) {
		if err := h.keep(ctx, s.file, store.EventConfigTightened, byFile, "it widens nothing"); err != nil {
			return err
		}
	}
	h.put(combine(s.file, s.file))
	return nil
}

func (h *Host) keep(ctx context.Context, c *config.Config, event store.Event, by, detail string) error {
	row := store.Row{Event: event, DecidedBy: by, Detail: "sha256 " + c.Digest() + ": " + detail}
	// An empty text is one, too: that of no file.
	return h.Store.SaveSetting(ctx, acceptedSetting, append([]byte{}, c.Text()...), row)
}

func (h *Host) warnPending(s *configuration) {
	h.log.Warn("the configuration was changed outside Callgate: what it tightens holds, what it widens waits for: callgate config accept",
		"file", s.file.File, "widens", whereOf(s.widenings))
}

func whereOf(ws []config.Widening) string {
	var keys []string
	for _, w := range ws {
		keys = append(keys, w.Where)
	}
	return strings.Join(keys, ", ")
}

// Config is the configuration file as it was read last. What of it waits for a
// person is not in force: see Accepted and ConfigState.
func (h *Host) Config() *config.Config { return h.configuration.Load().file }

// Accepted is the configuration that a person accepted last, or that widened
// nothing. What is settled at the start alone (listen, boundary) is taken from it.
func (h *Host) Accepted() *config.Config { return h.configuration.Load().accepted }

// ConfigState tells how the configuration file stood when it was read last (see
// LookAtConfig), and what people gave agents in place of what it says.
func (h *Host) ConfigState() config.State {
	s := h.configuration.Load().state()
	given, err := h.Gate.GivenProfiles(context.Background()) // held in memory but for the first time
	if err != nil {
		s.Given = []string{err.Error()}
	}
	for _, p := range given {
		s.Given = append(s.Given, fmt.Sprintf("agent %s has the profile %s in place of %s, by %s", p.Agent, p.Profile, cmp.Or(p.Replaces, "none"), p.By))
	}
	return s
}

func (s *configuration) state() config.State {
	out := config.State{
		File: s.file.File, Accepted: s.accepted.Digest(), Widenings: append([]config.Widening{}, s.widenings...), Problem: s.problem,
	}
	if s.pending() {
		out.Pending = s.file.Digest()
	}
	return out
}

// Apply puts a changed configuration in force, after trying its rules on their own
// examples: all of it when it widens nothing, else the stricter of it and the
// accepted one, until AcceptConfig. On an error the old one stays. What a running
// daemon cannot change (listen, boundary, store, discord, asks), what waits, and which
// modules cannot be used, is told in the notes.
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
		notes = append(notes, fmt.Sprintf("%d changes of the configuration wait for: callgate config accept", len(now.widenings)))
	} else if err := h.tightened(ctx, now); err != nil {
		return nil, err
	}
	notes = append(notes, h.settleProfiles(ctx)...)
	for _, p := range h.Catalog.Problems() {
		notes = append(notes, fmt.Sprintf("tool module %s is not usable: %v", p.File, p.Err))
	}
	for _, p := range next.Problems() {
		notes = append(notes, p.Error())
	}
	notes = append(notes, GrantAdvice(next)...)
	if late(old.file, next) {
		notes = append(notes, "listen, boundary, store, discord, modules.dir, modules.memory_mib and asks change when the daemon is started again")
	}
	return notes, nil
}

// settleProfiles forgets the profiles that agents were given and that the
// configuration in force overrules. Where that fails they hold no longer either, but
// may come back with the file; the note says so.
func (h *Host) settleProfiles(ctx context.Context) (notes []string) {
	if err := h.Gate.SettleProfiles(ctx); err != nil {
		h.log.Warn("given profiles could not be settled", "error", err)
		notes = append(notes, "given profiles could not be settled: "+err.Error())
	}
	return notes
}

// permit tells the catalogue what modules may do and use.
func (h *Host) permit(ctx context.Context, s *configuration) error {
	grants, limits := permissions(s.modules())
	before := h.pins.set(s.modules())
	outcome, err := h.Catalog.SetGrants(ctx, grants, limits)
	if err != nil {
		h.pins.set(*before)
	}
	h.swapped(outcome)
	return err
}

// late reports whether something changed that holds from the next start on.
func late(old, next *config.Config) bool {
	for _, w := range append(config.Stricter(old, next).Widenings(), config.Stricter(next, old).Widenings()...) {
		switch key, _, _ := strings.Cut(w.Where, "."); {
		case key == "listen", key == "boundary", key == "discord", key == "store", w.Where == "modules.dir", w.Where == "modules.memory_mib", key == "asks":
			return true
		}
	}
	return false
}

// AcceptConfig puts the file in force whose digest a person was shown, in the name
// of by. config.ErrChangedSince when that is not the one that waits.
func (h *Host) AcceptConfig(ctx context.Context, digest, by string) (config.State, error) {
	h.changing.Lock()
	defer h.changing.Unlock()
	s := h.configuration.Load()
	switch {
	case !s.pending():
		return s.state(), config.ErrNothingPending
	case s.file.Digest() != digest:
		return s.state(), config.ErrChangedSince
	}
	if err := h.keep(ctx, s.file, store.EventConfigAccepted, by, "widens "+whereOf(s.widenings)); err != nil {
		return s.state(), err
	}
	now := combine(s.file, s.file)
	if err := h.permit(ctx, now); err != nil {
		return s.state(), fmt.Errorf("the configuration is accepted, but not in force before the next start: modules: %w", err)
	}
	h.put(now)
	h.settleProfiles(ctx)
	h.log.Info("configuration accepted", "file", now.file.File, "by", by)
	return now.state(), nil
}

// trouble notes why the file could not be used. What is in force stays.
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

// LookAtConfig has Watch read the configuration file now, and returns when what it
// held is applied and told to onChange, which must not call this. Where nothing
// watches the file it does nothing. The error is ctx's.
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
