package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/callgate/callgate/engine"
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
	// Report hears of what is wrong with CacheDir and costs no more than time; nil
	// drops it.
	Report func(error)
	// Grants by file name ("deploy.wasm" or "deploy") or by the module's name.
	Grants map[string]Grant
	// Limits are what modules may use whose grant says nothing of it; zero fields
	// keep the Runtime's own.
	Limits sandbox.Limits
	// Compiling hears of each module that has to be compiled and tried because
	// it was not admitted before, or because its code is not kept, which takes
	// seconds; nil means silence.
	Compiling func(file string)
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
	if opts.Report == nil {
		opts.Report = func(error) {}
	}
	v, err := openVerdicts(opts.CacheDir, opts.Report)
	if err != nil {
		return nil, err
	}
	c := &Catalog{opts: opts, verdicts: v, grants: opts.Grants, limits: opts.Limits}
	b := c.builder(ctx, nil)
	c.embedded, c.builtin = embeddedFiles(opts.Embedded)
	files, problems, err := directoryFiles(opts.Dir)
	if err != nil {
		problems = append(problems, Problem{opts.Dir, err})
	}
	b.problems = slices.Concat(c.builtin, problems)
	b.unreadable = err
	next := b.build(slices.Concat(c.embedded, files))
	c.current.Store(next)
	if err := c.verdicts.remember(next.seen); err != nil {
		opts.Report(err)
	}
	return c, nil
}

// Reload reads the directory again. Files that did not change keep their
// module; a file that became bad keeps the module it had, with a Problem; the
// new set takes effect at once and as a whole. Calls that run, and entries that
// were looked up, finish on what they began with. On an error nothing changed.
func (c *Catalog) Reload(ctx context.Context) error {
	c.reload.Lock()
	defer c.reload.Unlock()
	return c.replace(ctx, c.grants, c.limits)
}

// SetGrants reloads with other grants and other limits for modules without one.
func (c *Catalog) SetGrants(ctx context.Context, grants map[string]Grant, limits sandbox.Limits) error {
	c.reload.Lock()
	defer c.reload.Unlock()
	return c.replace(ctx, grants, limits)
}

// replace makes a new state. The caller holds reload.
func (c *Catalog) replace(ctx context.Context, grants map[string]Grant, limits sandbox.Limits) error {
	files, problems, err := directoryFiles(c.opts.Dir)
	if err != nil {
		return fmt.Errorf("catalog: nothing changed: %w", err)
	}
	grantsBefore, limitsBefore := c.grants, c.limits
	c.grants, c.limits = grants, limits
	b := c.builder(ctx, c.current.Load())
	b.problems = slices.Concat(c.builtin, problems)
	next := b.build(slices.Concat(c.embedded, files))
	if err := c.verdicts.remember(next.seen); err != nil {
		c.grants, c.limits = grantsBefore, limitsBefore
		return fmt.Errorf("catalog: nothing changed: %w", err)
	}
	c.current.Store(next)
	return nil
}

// Lookup finds the tool that answers to name. It always returns an entry: for a
// name nobody claims the fallback's, under the called name; when there is no
// tool at all, or its module is broken, one with Err set.
func (c *Catalog) Lookup(name string) Entry {
	s := c.current.Load()
	t, own := s.index.find(name)
	if t == nil {
		t, own = s.fallback, false
	}
	if t == nil {
		err := fmt.Errorf("no tool module answers to %q, and there is no %q tool for unknown names", name, c.opts.Fallback)
		return Entry{Entry: engine.Entry{Name: name, Err: err}}
	}
	return t.entry(name, own)
}

// entry is the tool as found under a name; own tells that the name is one of
// its exact names.
func (t *tool) entry(called string, own bool) Entry {
	e := Entry{
		Entry: engine.Entry{
			Name: t.Name, Aliases: slices.Clone(t.Aliases), Err: t.err,
			MayAllow: t.module.grant.MayAllow, MayReadOnly: t.module.grant.MayReadOnly && !t.AlwaysChanges,
		},
		Module: t.module.label(), File: t.module.file, Digest: t.module.digest,
		InputSchema: json.RawMessage(t.InputSchema), RuleHelp: t.RuleHelp,
		EditsFiles: t.EditsFiles, ReadOnly: t.ReadOnly, Embedded: t.module.embedded,
	}
	if !own || isGlob(t.Name) {
		e.Name, e.Aliases, own = called, nil, false
	}
	e.Own = own
	if d := t.module.desc; d != nil {
		e.Version, e.Summary = d.Version, d.Summary
	}
	if t.err == nil {
		e.describer = &adapter{t.module, e.Name}
		e.Tool = e.describer
	}
	return e
}

// Tools lists every tool, by name, also those that cannot answer.
func (c *Catalog) Tools() []Info {
	s := c.current.Load()
	infos := make([]Info, 0, len(s.tools))
	for _, t := range s.tools {
		infos = append(infos, t.info(t == s.fallback))
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

func (t *tool) info(fallback bool) Info {
	e := t.entry(t.Name, true)
	i := Info{
		Name: t.Name, Aliases: e.Aliases, Module: e.Module, Version: e.Version, File: e.File,
		Embedded: t.module.embedded, Digest: e.Digest, Size: t.module.size, Summary: e.Summary,
		RuleHelp: e.RuleHelp, RuleExamples: t.RuleExamples, InputSchema: e.InputSchema,
		ReadOnly: e.ReadOnly, EditsFiles: e.EditsFiles,
		MayAllow: e.MayAllow, MayReadOnly: t.module.grant.MayReadOnly, Fallback: fallback,
	}
	if t.module.runtime != nil { // nil where there is no file
		i.Limits = t.module.limits()
	}
	if t.err != nil {
		i.Error = t.err.Error()
	}
	return i
}

// Problems lists what is wrong with the modules, in the order it was found.
func (c *Catalog) Problems() []Problem { return slices.Clone(c.current.Load().problems) }
