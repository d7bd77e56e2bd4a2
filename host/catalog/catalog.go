package catalog

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

	"github.com/callgate/callgate/host/sandbox"
)

// Grant is what the operator lets one module do.
type Grant struct {
	// Names are the tool names and globs it may answer to. Nil means the exact
	// names it gives itself; a glob always needs to be listed.
	Names []string
	// MayAllow and MayReadOnly make the module's own allow and read_only count.
	// Embedded modules have both.
	MayAllow    bool
	MayReadOnly bool
	// Config is passed to the module's tools when the call brings none.
	Config json.RawMessage
	// Limits are what the module may use; the zero value means Options.Limits.
	Limits sandbox.Limits
}

// DefaultFallback is the tool that answers for names nobody claims.
const DefaultFallback = "generic"

// Options say what a Catalog is made of.
type Options struct {
	// Runtime runs the modules. Required; it must outlive the Catalog.
	Runtime *sandbox.Runtime
	// Embedded holds the modules of the binary; nil for none.
	Embedded fs.FS
	// Dir is the operator's directory of modules; it need not exist.
	Dir string
	// CacheDir remembers which modules were admitted, so that the next start need
	// not run them. It is the Runtime's own, whose key authenticates it. Empty
	// remembers nothing.
	CacheDir string
	// Report hears of what is wrong with CacheDir and costs no more than time, and
	// of what keeps Watch from seeing Dir; nil drops it.
	Report func(error)
	// Grants by file name ("deploy.wasm" or "deploy") or by the module's name.
	Grants map[string]Grant
	// Pins are what the files of Dir were granted, by file name; asked each time that
	// Dir is read. With it a file is loaded only as its pin says, and Grants hold for
	// the embedded modules. On its error Open loads nothing of Dir, and everything
	// stays as it is later. Nil: every file loads, by Grants.
	Pins func() (map[string]Pin, error)
	// Unpinned, asked with Pins, lets files without a pin load by Grants; nil does not.
	Unpinned func() bool
	// Swapping is told, before a changed module is in force, the set that will be, and
	// the file; by Try with a set that is a Trial. It returns the texts of the stored rules that are not used from then
	// on; nil has none. It must not call the Catalog.
	Swapping func(ctx context.Context, next *Snapshot, files []string) []string
	// Limits are what modules may use whose grant says nothing of it; zero fields
	// keep the Runtime's own.
	Limits sandbox.Limits
	// Compiling hears of each module that has to be compiled and tried because
	// it was not admitted before, or because its code is not kept, which takes
	// seconds; nil means silence.
	Compiling func(file string)
	// Poll is how often Watch looks at Dir when nothing tells of changes; zero means
	// two seconds.
	Poll time.Duration
	// Now is the clock of ModuleInfo.Since; nil means time.Now.
	Now func() time.Time
	// Fallback is the tool for unknown names; empty means DefaultFallback.
	Fallback string
}

// Catalog is the set of tool modules. It is safe for concurrent use.
type Catalog struct {
	opts     Options
	embedded []file
	builtin  []Problem // with the embedded modules
	verdicts *verdicts

	reload  sync.Mutex // held while a new state is made
	grants  map[string]Grant
	limits  sandbox.Limits
	refused map[string]refusal // by lastKey
	read    map[string]string  // the digests of the files read last
	tried   []*code            // what Try left in the cache
	current atomic.Pointer[state]
}

// Open reads the modules and admits them: a module not seen before is
// compiled, described and run on its own examples; one that passed before is
// compiled when it is first used. Only an unsafe CacheDir or a missing
// Runtime is an error; what is wrong with modules is told by Problems.
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
	if opts.Report == nil {
		opts.Report = func(error) {}
	}
	v, err := openVerdicts(opts.CacheDir, opts.Report)
	if err != nil {
		return nil, err
	}
	c := &Catalog{opts: opts, verdicts: v, grants: opts.Grants, limits: opts.Limits}
	c.embedded, c.builtin = embeddedFiles(opts.Embedded)
	p, err := c.readPins()
	var files []file
	var problems []Problem
	if err == nil {
		files, problems, err = directoryFiles(opts.Dir)
	}
	if err != nil {
		problems = append(problems, Problem{opts.Dir, err})
	}
	b := c.builder(ctx, nil, p)
	b.problems = slices.Concat(c.builtin, problems)
	b.unreadable = err
	next := b.build(slices.Concat(c.embedded, files))
	c.refused, c.read = b.refused, digests(files)
	c.current.Store(next)
	if err := c.verdicts.remember(next.seen); err != nil {
		opts.Report(err)
	}
	return c, nil
}

// Lookup is that of a Snapshot of now. The entry's module answers until the
// collector finds that nobody has the entry; a decision uses a Snapshot.
func (c *Catalog) Lookup(name string) Entry { return c.Snapshot().Lookup(name) }

// Tools lists every tool, by name, also those that cannot answer.
func (c *Catalog) Tools() []Info {
	s := c.Snapshot()
	defer s.Release()
	return s.Tools()
}

// Problems lists what is wrong with the modules, in the order it was found.
func (c *Catalog) Problems() []Problem {
	s := c.Snapshot()
	defer s.Release()
	return s.Problems()
}

// Modules lists the modules: those of the binary, then those of the directory by
// file, also those that are not in use.
func (c *Catalog) Modules() []ModuleInfo {
	s := c.Snapshot()
	defer s.Release()
	return s.Modules()
}
