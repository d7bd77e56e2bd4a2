package modules

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Rights are the operator's permissions for one module.
type Rights struct {
	// Names are the tool names and globs it may answer to. Nil means the exact
	// names it gives itself; a glob always needs to be listed.
	Names []string
	// MayAllow and MayReadOnly make the module's own allow and read_only count.
	// Embedded modules have both.
	MayAllow    bool
	MayReadOnly bool
	// Config is passed to the module's tools when the call brings none.
	Config json.RawMessage
	// Limits are the module's limits; zero fields mean Settings.Limits.
	Limits sandbox.Limits
}

// Settings is the configuration of modules.
type Settings struct {
	// Grants are by file name ("deploy.wasm" or "deploy") or by the module's name. For files in the
	// lock only Config and Limits hold.
	Grants map[string]Rights
	// Limits are the limits of modules without their own; zero fields keep the Runtime's.
	Limits sandbox.Limits
	// Signatures are the trusted keys and the required signatures.
	Signatures Policy
	// Unpinned lets files missing in the lock load by Grants.
	Unpinned bool
}

// DefaultFallback is the tool for unclaimed names.
const DefaultFallback = "generic"

// Options configure a Catalog.
type Options struct {
	// Runtime runs the modules. Required; it must outlive the Catalog.
	Runtime *sandbox.Runtime
	// Embedded holds the modules of the binary; nil for none.
	Embedded fs.FS
	// Dir is the operator's directory of modules; it need not exist.
	Dir string
	// State is the state directory of the daemon behind the lock in Dir: a file of Dir loads only
	// as the lock grants. On an error of the lock Open loads nothing of Dir, and later everything
	// stays as it is. Empty, and without Audit: every file loads, by Settings.Grants.
	State string
	// Settings come from the configuration.
	Settings Settings
	// Audit takes the rows of changes. With it the catalogue changes the lock; without it Add, Pin,
	// Rollback and Remove must not be called.
	Audit *store.Store
	// Told hears of the outcome of each change, Reload and Configure; nil drops it.
	Told func(Outcome)
	// CacheDir remembers admitted modules, so the next start need not run them. It is the Runtime's
	// own, and the Runtime's key authenticates it. Empty remembers nothing.
	CacheDir string
	// Report receives problems with CacheDir (they cost only time), and obstacles for Watch; nil
	// drops it.
	Report func(error)
	// Swapping receives, before a changed module is in force, the next set, and the file; from Test
	// a set with TestOnly. It returns the texts of stored rules unused from then on; nil has none.
	// It may take a Snapshot, and calls nothing else of the Catalog.
	Swapping func(ctx context.Context, next *Snapshot, files []string) []string
	// Compiling receives each module to compile and test because it is new, or because its code is
	// not kept; this takes seconds. nil means silence.
	Compiling func(file string)
	// Poll is how often Watch looks at Dir when nothing tells of changes; zero means
	// two seconds.
	Poll time.Duration
	// Now is the clock of ModuleInfo.Since; nil means time.Now.
	Now func() time.Time
	// Fallback is the tool for unknown names; empty means DefaultFallback.
	Fallback string
	// Behind makes Open and Configure go on without the modules of Dir still to compile and test:
	// until Watch puts them in force, calls of their names fail.
	Behind bool
}

// Catalog is the set of tool modules. It is safe for concurrent use.
type Catalog struct {
	opts     Options
	place    Place
	embedded []file
	builtin  []Problem // with the embedded modules
	verdicts *verdicts
	memo     *memo // what its modules answered
	meters   meters

	// mu is held while a new state is made, and while the lock of modules is read or
	// written. It is free while a module is compiled and tested. It guards all down to next.
	mu         sync.Mutex
	settings   Settings
	changing   string          // the file of the Add, Pin, Rollback or Remove under way; empty for none
	away       map[string]away // files changed by another daemon and not in force here yet
	bringing   bool            // the changes of other daemons are being brought
	refused    map[id]refusal
	read       map[string]string      // the digests of the files read last
	tested     []*code                // code from Test in the cache
	admissions map[bytesOf]*admission // under way, or over and not yet in use
	next       chan struct{}          // closed when the next admission or change is over

	current atomic.Pointer[state] // decisions take it without mu
	ripe    chan struct{}         // wakes Watch at the end of an admission without a waiting caller
	lanes   lanes
	telling sync.Mutex      // held during Compiling
	others  sync.WaitGroup  // the goroutine that brings changes of other daemons
	ending  context.Context // done when the catalogue is closed
	end     context.CancelFunc
}

// Open reads the modules and admits them: a module not seen before is compiled, described and run
// on its own examples; one that passed before is compiled when it is first used. Only an unsafe
// CacheDir or a missing Runtime is an error; Problems lists problems of modules.
func Open(ctx context.Context, opts Options) (*Catalog, error) {
	if opts.Runtime == nil {
		return nil, errors.New("catalog: no runtime")
	}
	if opts.Fallback == "" {
		opts.Fallback = DefaultFallback
	}
	opts.Poll = cmp.Or(opts.Poll, defaultPoll)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Told == nil {
		opts.Told = func(Outcome) {}
	}
	if opts.Report == nil {
		opts.Report = func(error) {}
	}
	v, err := openVerdicts(opts.CacheDir, opts.Report)
	if err != nil {
		return nil, err
	}
	c := &Catalog{
		opts: opts, place: Place{Modules: opts.Dir, State: opts.State}, verdicts: v, memo: newMemo(memoLimit), settings: opts.Settings,
		admissions: map[bytesOf]*admission{}, away: map[string]away{}, next: make(chan struct{}), ripe: make(chan struct{}, 1), lanes: newLanes(),
	}
	c.ending, c.end = context.WithCancel(context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.embedded, c.builtin = embeddedFiles(opts.Embedded)
	if err := c.join(ctx); err != nil {
		return nil, err
	}
	p, err := c.readPins()
	files, problems, unread := directoryFiles(opts.Dir)
	if err != nil {
		for i := range files {
			files[i].read = nil // listed, so its possible names fail
		}
	}
	if err = cmp.Or(err, unread); err != nil {
		problems = append(problems, Problem{opts.Dir, err})
	}
	// First those of the binary, so others do not take their turn to be compiled.
	first := c.builder(ctx, nil, p)
	for _, f := range c.embedded {
		_, _ = first.admit(f) // the build below reports their problems
	}
	_ = c.await(ctx, first.waits, func() error { return nil })
	open := func() *builder {
		b := c.builder(ctx, nil, p)
		b.problems = slices.Concat(c.builtin, problems)
		b.unreadable = err
		b.build(slices.Concat(c.embedded, files))
		c.refused, c.read = b.refused, digests(files)
		if err != nil {
			c.read = nil // the next look at the directory sees a change
		}
		return b
	}
	b := open()
	_ = c.await(ctx, c.needed(b.waits), func() error { // without the others on an error
		b.letGo()
		b = open()
		return nil
	})
	next := b.state
	c.current.Store(next)
	if err := c.verdicts.remember(next.seen); err != nil {
		opts.Report(err)
	}
	return c, nil
}

// needed are the admissions Open waits for.
func (c *Catalog) needed(all []*admission) (some []*admission) {
	for _, a := range all {
		if !c.opts.Behind || a.module.embedded || a.module.replaces {
			some = append(some, a)
		}
	}
	return some
}

// Lookup is a present Snapshot's. The entry's module answers until the collector finds the entry
// unused; a decision uses a Snapshot.
func (c *Catalog) Lookup(name string) Entry { return c.Snapshot().Lookup(name) }

// Tools is a present Snapshot's.
func (c *Catalog) Tools() []wire.Tool { return c.now().Tools() }

// Problems is a present Snapshot's.
func (c *Catalog) Problems() []Problem { return c.now().Problems() }

// Modules is a present Snapshot's.
func (c *Catalog) Modules() []wire.ModuleInfo { return c.now().Modules() }

// now is the set of modules for looking at; its modules may be freed at any time.
func (c *Catalog) now() *Snapshot { return &Snapshot{state: c.current.Load()} }
