package modules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// state is one consistent set of modules. It does not change once made.
type state struct {
	index        index
	modules      []*module // those in use
	spares       []*module // built-in ones replaced by a file of the directory
	tools        []*tool
	fallback     *tool
	fallbackName string
	problems     []Problem
	infos        []wire.ModuleInfo
	seen         map[id]seen // each file's last admission
	testOnly     bool        // never in force

	held  []*code      // the code of its modules
	users atomic.Int64 // the catalogue while the state is current, and snapshots
}

// seen is a file's last admission.
type seen struct {
	digest string
	desc   *Described
}

// builder makes the next state.
type builder struct {
	*state
	ctx        context.Context
	c          *Catalog
	prev       *state
	pins       pins
	used       map[string]bool // keys of grants with a module
	unreadable error           // why the directory could not be read
	made       []*code
	refused    map[id]refusal
	replacing  map[string]bool // files of built-in modules replaced by one of the directory
	nameless   []*tool         // failing tools, under guessed names
	tried      map[id]time.Duration
	began      []*admission // by this build
	waits      []*admission // those left out for now
}

func (c *Catalog) builder(ctx context.Context, prev *state, p pins) *builder {
	return &builder{
		state: &state{index: index{exact: map[string]*tool{}, guessed: map[string]*tool{}}, seen: map[id]seen{}, fallbackName: c.opts.Fallback},
		ctx:   ctx, c: c, prev: prev, pins: p, used: map[string]bool{}, refused: map[id]refusal{}, replacing: map[string]bool{}, tried: map[id]time.Duration{},
	}
}

// build admits the files in order of precedence: embedded first, and replacements of those before
// all others. The state has one user.
func (b *builder) build(files []file) *state {
	b.findReplaced(files)
	first := func(f file) bool { return f.embedded || b.replaces(f.id) }
	for _, f := range files {
		if first(f) {
			b.take(f)
		}
	}
	b.reserve()
	for _, f := range files {
		if !first(f) {
			b.take(f)
		}
	}
	b.missing(files)
	b.claimGuessed()
	b.fallback = b.index.exact[b.c.opts.Fallback]
	b.tellProblems()
	b.c.dropUnused()
	b.users.Store(1)
	for _, m := range slices.Concat(b.modules, b.spares) {
		m.code.hold()
		b.held = append(b.held, m.code)
	}
	for _, c := range b.made {
		if !slices.Contains(b.held, c) {
			c.hold()
			c.letGo()
		}
	}
	return b.state
}

// take admits one file.
func (b *builder) take(f file) {
	if f.embedded && b.replacing[f.file] {
		b.spare(f)
		return
	}
	began := time.Now()
	m, err := b.admit(f)
	b.tried[f.id] += time.Since(began)
	b.accept(f, m, err)
}

// admit returns the module of a file, the one in use when nothing changed.
func (b *builder) admit(f file) (*module, error) {
	switch {
	case f.read == nil && b.unreadable != nil:
		return nil, fmt.Errorf("not loaded: %w", b.unreadable)
	case f.read == nil:
		return nil, errUnread
	}
	if _, pinned := b.pins.of(f.id); !pinned && !f.embedded && b.c.comesWith(f.file) {
		return nil, errComesWith // Settings.Grants for this one would be its own
	}
	if err := b.pins.admits(f); err != nil {
		return nil, err
	}
	grant, key, byFile := b.grantFor(f.id, "")
	var err error
	m, old := b.newModule(f, grant, key), b.old(f)
	first := m
	if err := b.rests(first); err != nil {
		return nil, err
	}
	if old != nil && old.digest == m.digest {
		m = b.with(old, f, grant, key) // admitted before
	} else if m, err = b.admitted(first, f); errors.Is(err, ErrTrying) {
		b.tryingAgain(first)
		return nil, err
	} else if err != nil {
		return nil, b.refuse(first, err)
	}
	pin, pinned := b.pins.of(f.id)
	if pinned {
		grant, note, err := pin.under(f.file, m.declared)
		if err != nil {
			return nil, err
		}
		m = b.with(m, f, grant, "")
		m.note, m.dev = note, f.digest != pin.digest
	} else if g, key, byName := b.grantFor(f.id, m.desc.Name); byName && !byFile {
		m = b.with(m, f, g, key)
	}
	if m.replaces {
		if err := m.stepsIn(b.builtIn(f.file)); err != nil {
			return nil, fmt.Errorf("not loaded: %w", err)
		}
	}
	if old != nil && old.same(m) {
		return old, b.restIfLate(first, m.prepare(b.ctx, b.c.compiling))
	}
	if err := b.begin(m, old); err != nil {
		return nil, b.restIfLate(first, err)
	}
	return m, nil
}

// begin makes a module ready for its first call, with its present limits.
func (b *builder) begin(m, old *module) error {
	if err := m.prepare(b.ctx, b.c.compiling); err != nil {
		return err // under other limits it is other code
	}
	if b.prev == nil || old != nil && old.code == m.code {
		return nil
	}
	_, err := m.ready(b.ctx)
	return err
}

// errUnread marks a file with a reported problem.
var errUnread = errors.New("the file cannot be read")

// old is the module of a file in the state before.
func (b *builder) old(f file) *module {
	if f.embedded {
		return b.prev.builtIn(f.file)
	}
	return b.prev.inUse(id{file: f.file})
}

// grantFor finds the grant of a file: its pin's, or by its name or, given one, the module's. key is
// the key in Settings.Grants.
func (b *builder) grantFor(f id, module string) (g Rights, key string, ok bool) {
	if pin, pinned := b.pins.of(f); pinned {
		return pin.rights, "", pin.digest != ""
	}
	key, g, ok = GrantOf(b.c.settings.Grants, f.file, module)
	return g, key, ok
}

// GrantOf finds an operator's settings for a module: by its file, by the file without its ending,
// or by the module's own name, empty when unknown.
func GrantOf[G any](grants map[string]G, file, module string) (key string, g G, ok bool) {
	for _, key := range []string{file, strings.TrimSuffix(file, ".wasm"), module} {
		if g, ok := grants[key]; ok && key != "" {
			return key, g, true
		}
	}
	return "", g, false
}

// use notes that a file exists for an entry in Settings.Grants.
func (b *builder) use(file, module string) {
	if key, _, ok := GrantOf(b.c.settings.Grants, file, module); ok {
		b.used[key] = true
	}
}

// before are the names of each file in this or an earlier process.
func (b *builder) before() map[id]seen {
	if b.prev != nil {
		return b.prev.seen
	}
	return b.c.verdicts.seen()
}

// name is the module's own name, empty when it is not known.
func (m *module) name() string {
	if m.desc == nil {
		return ""
	}
	return m.desc.Name
}

func (b *builder) problem(file string, err error) {
	b.problems = append(b.problems, Problem{file, err})
}
