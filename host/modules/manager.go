package modules

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/store"
)

// Catalog holds the modules in force. *catalog.Catalog is one.
type Catalog interface {
	Modules() []catalog.ModuleInfo
	Try(ctx context.Context, file string, wasm []byte, g catalog.Grant) (catalog.Tried, error)
	Change(ctx context.Context, change func() error) (catalog.Outcome, error)
	Reload(ctx context.Context) (catalog.Outcome, error)
}

// Audit takes the rows of changes. *store.Store is one.
type Audit interface {
	Append(ctx context.Context, row store.Row) (store.Row, error)
}

// Config is what a Manager is made of; all of it is required.
type Config struct {
	Place   pin.Place
	Catalog Catalog
	Audit   Audit
	// Policy says which signatures are believed and required now.
	Policy func() pin.Policy
	// Complete is what a module may do with a grant under the configuration in force.
	Complete func(file, name string, g pin.Grant) catalog.Grant
	// Told hears what became of the modules.
	Told func(catalog.Outcome)
	// Now is the clock.
	Now func() time.Time
}

// Manager makes changes one after the other. It is safe for concurrent use.
type Manager struct {
	c  Config
	mu sync.Mutex
}

// New returns a manager.
func New(c Config) *Manager { return &Manager{c: c} }

// The errors besides those of pin and of catalog.Try.
var (
	// ErrChangedSince is a module that is not what the person was shown.
	ErrChangedSince = errors.New("the module is not the one that was shown")
	// ErrNeedsGrant is a module that declares something else than what its grant was
	// given for.
	ErrNeedsGrant = errors.New("the module describes itself otherwise than when it was granted")
	// ErrBadGrant is a grant that cannot be meant.
	ErrBadGrant = errors.New("the grant cannot be meant")
	// ErrNotInForce is a change that was taken back, because the module was not taken
	// into use.
	ErrNotInForce = errors.New("nothing was changed: the module cannot be used")
)

// Request is what is wanted of one module.
type Request struct {
	// File is its name in the directory of modules.
	File string
	// Wasm are its bytes; for Pin and Rollback they are where the file or the kept
	// version is.
	Wasm []byte
	// Grant is what the operator gives it. Nil Names are the exact names that it
	// declares. For Pin a nil Grant is the one that it has, which is only good while it
	// declares the same.
	Grant *pin.Grant
	// Signature is the module's; nil for none.
	Signature *pin.Signature
	// Digest is that of the bytes that were shown, Replaces that of what was shown to
	// be pinned; empty for not shown, ReplacesNothing for nothing.
	Digest, Replaces string
	// By is who wants it.
	By string
}

// ReplacesNothing is Request.Replaces of a file that was shown as not pinned.
const ReplacesNothing = "none"

// Done is what became of a change.
type Done struct {
	Proposal
	// Suspended are the stored allow rules that are no longer used.
	Suspended []string `json:"suspended,omitempty"`
	// Took is how long it took until the module was in force.
	Took time.Duration `json:"took_ns"`
}

// Add puts a module into the directory and pins it, with what it is granted.
func (m *Manager) Add(ctx context.Context, r Request) (Done, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.proposeAdd(ctx, r)
	if err != nil {
		return Done{}, err
	}
	return m.put(ctx, r, p)
}

// Pin pins the bytes that are in the directory.
func (m *Manager) Pin(ctx context.Context, r Request) (Done, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.proposePin(ctx, &r)
	if err != nil {
		return Done{}, err
	}
	if p.NeedsGrant {
		return Done{}, fmt.Errorf("%w (%s): grant it anew: callgate tool pin %s --same-grant, or with flags for what it may do", ErrNeedsGrant, whereOf(p.Changes), r.File)
	}
	return m.put(ctx, r, p)
}

// put pins what was proposed.
func (m *Manager) put(ctx context.Context, r Request, p Proposal) (Done, error) {
	g := pin.Granted{
		Name: p.Name, Version: p.Version, Digest: p.Digest, Description: p.Description, Signature: p.Signature,
		Grant: p.Grant, GrantedBy: r.By, GrantedAt: m.c.Now().UTC(),
	}
	row := m.row(store.EventModuleGranted, r.By, r.File, &g, p.Replaces)
	return m.change(ctx, r.File, p, row, func() (pin.Undo, error) { return m.c.Place.Put(r.File, g, r.Wasm, p.raw) })
}

// Rollback goes back to the version before.
func (m *Manager) Rollback(ctx context.Context, r Request) (Done, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.proposeRollback(ctx, r)
	if err != nil {
		return Done{}, err
	}
	stamp := func(g pin.Granted) pin.Granted {
		g.GrantedBy, g.GrantedAt, g.Signature = r.By, m.c.Now().UTC(), p.Signature
		return g
	}
	back := stamp(pin.Granted{Name: p.Name, Version: p.Version, Digest: p.Digest, Description: p.Description, Grant: p.Grant})
	row := m.row(store.EventModuleRolledBack, r.By, r.File, &back, p.Replaces)
	return m.change(ctx, r.File, p, row, func() (pin.Undo, error) { return m.c.Place.Rollback(r.File, stamp) })
}

// Remove takes a module away: its file, its grant and the version before.
func (m *Manager) Remove(ctx context.Context, file, by string) (catalog.Outcome, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	loaded, err := m.c.Place.Load()
	if err != nil {
		return catalog.Outcome{}, err
	}
	var was *pin.Granted
	if e := loaded.Find(file); e != nil {
		was = &e.Granted
	}
	row := m.row(store.EventModuleRemoved, by, file, nil, was)
	undo, outcome, err := m.apply(ctx, row, func() (pin.Undo, error) { return m.c.Place.Remove(file) })
	if err != nil {
		return catalog.Outcome{}, m.takeBack(ctx, file, row, undo, err)
	}
	m.c.Told(outcome)
	return outcome, nil
}

// Reload reads the directory again.
func (m *Manager) Reload(ctx context.Context) (catalog.Outcome, error) {
	outcome, err := m.c.Catalog.Reload(ctx)
	if err == nil {
		m.c.Told(outcome)
	}
	return outcome, err
}

// change puts what was proposed in force, or leaves everything as it was. It is not
// broken off when the one who asked goes away.
func (m *Manager) change(ctx context.Context, file string, p Proposal, row store.Row, do func() (pin.Undo, error)) (Done, error) {
	ctx = context.WithoutCancel(ctx)
	undo, outcome, err := m.apply(ctx, row, do)
	if err == nil {
		err = m.inForce(file, p.Digest)
	}
	if err != nil {
		return Done{}, m.takeBack(ctx, file, row, undo, err)
	}
	m.c.Told(outcome)
	done := Done{Proposal: p, Took: outcome.Took}
	for _, s := range outcome.Swaps {
		if s.File == file {
			done.Suspended = s.Suspended
		}
	}
	return done, nil
}

// apply audits a change and makes it while nobody reads the directory. A change
// without its row is not made.
func (m *Manager) apply(ctx context.Context, row store.Row, do func() (pin.Undo, error)) (undo pin.Undo, o catalog.Outcome, err error) {
	o, err = m.c.Catalog.Change(ctx, func() (err error) {
		if _, err := m.c.Audit.Append(ctx, row); err != nil {
			return err
		}
		undo, err = do()
		if err != nil {
			m.undone(ctx, row, err)
		}
		return err
	})
	return undo, o, err
}

// inForce wants the bytes to be in use: what cannot be is no change.
func (m *Manager) inForce(file, digest string) error {
	for _, i := range m.c.Catalog.Modules() {
		if i.File != file || i.Embedded {
			continue
		}
		if i.State.InUse() && i.Digest == digest {
			return nil
		}
		return fmt.Errorf("%w: %s", ErrNotInForce, i.Problem)
	}
	return fmt.Errorf("%w: it was not found", ErrNotInForce)
}

// takeBack undoes a change that failed with err.
func (m *Manager) takeBack(ctx context.Context, file string, row store.Row, undo pin.Undo, err error) error {
	if undo == nil {
		return err
	}
	m.undone(ctx, row, err)
	if _, undoErr := m.c.Catalog.Change(ctx, undo); undoErr != nil {
		return errors.Join(err, fmt.Errorf("%s: the change could not be taken back: callgate tool verify tells how it stands: %w", file, undoErr))
	}
	return err
}

// undone notes that a change that was audited did not come to pass. A row that cannot
// be written changes nothing about that.
func (m *Manager) undone(ctx context.Context, row store.Row, err error) {
	row.Event, row.Detail = store.EventModuleUndone, string(row.Event)+" did not come to pass: "+err.Error()
	_, _ = m.c.Audit.Append(ctx, row)
}

// row is the audit's word on a change.
func (m *Manager) row(event store.Event, by, file string, g, was *pin.Granted) store.Row {
	row := store.Row{Event: event, Time: m.c.Now(), DecidedBy: by}
	text := []string{file}
	if g != nil {
		row.Module, row.ModuleDigest = g.Name+" "+g.Version, g.Digest
		text = append(text, grantText(g.Grant))
		if g.Signature != nil {
			text = append(text, "signed by "+g.Signature.Key)
		}
	}
	if was != nil {
		text = append(text, fmt.Sprintf("replaces %s %s, sha256 %s", was.Name, was.Version, was.Digest))
		if g == nil {
			row.Module, row.ModuleDigest = was.Name+" "+was.Version, was.Digest
			text[len(text)-1] = "took away what it was granted: " + grantText(was.Grant)
		}
	}
	row.Detail = strings.Join(text, "; ")
	return row
}

func grantText(g pin.Grant) string {
	text := fmt.Sprintf("names %s, may_allow %t, may_read_only %t", strings.Join(g.Names, " "), g.MayAllow, g.MayReadOnly)
	for _, c := range pin.GrantChanges(pin.Grant{}, pin.Grant{Limits: g.Limits}) {
		text += ", " + c.Where + " " + c.Will
	}
	if g.Dev {
		text += ", dev"
	}
	return text
}

func whereOf(changes []pin.Change) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Where)
	}
	return strings.Join(all, ", ")
}
