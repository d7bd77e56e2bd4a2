package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/callgate/callgate/engine"
)

// Snapshot is the set of tool modules as it was at one moment. A decision uses one
// from its beginning to its end, and releases it: until then its modules answer,
// whatever was swapped meanwhile. It is safe for concurrent use.
type Snapshot struct {
	state    *state
	released atomic.Bool
}

// Snapshot returns the set of modules as it is now. Whoever does not release it
// has its modules freed by the collector.
func (c *Catalog) Snapshot() *Snapshot {
	for {
		if s := c.current.Load(); s.hold() {
			return &Snapshot{state: s}
		}
	}
}

// Release gives the snapshot up. Calls that run are finished; later ones fail when
// their module was replaced. To release it again does nothing.
func (s *Snapshot) Release() {
	if s.released.CompareAndSwap(false, true) {
		s.state.letGo()
	}
}

// Trial reports whether the set was made to be tried only, by Try, and is never in
// force.
func (s *Snapshot) Trial() bool { return s.state.trial }

// hold keeps the modules of a state from being freed; false when they are already.
func (s *state) hold() bool {
	for {
		n := s.users.Load()
		if n == 0 {
			return false
		}
		if s.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (s *state) letGo() {
	if s.users.Add(-1) > 0 {
		return
	}
	for _, c := range s.held {
		c.letGo()
	}
}

// Lookup finds the tool that answers to name. It always returns an entry: for a
// name nobody claims the fallback's, under the called name; when there is no
// tool at all, or its module is broken, one with Err set.
func (s *Snapshot) Lookup(name string) Entry {
	t, own := s.state.index.find(name)
	if t == nil {
		t, own = s.state.fallback, false
	}
	if t == nil {
		err := fmt.Errorf("no tool module answers to %q, and there is no %q tool for unknown names", name, s.state.fallbackName)
		return Entry{Entry: engine.Entry{Name: name, Err: err}}
	}
	return t.entry(name, own)
}

// Tools lists every tool, by name, also those that cannot answer.
func (s *Snapshot) Tools() []Info {
	infos := make([]Info, 0, len(s.state.tools))
	for _, t := range s.state.tools {
		i := t.info(t == s.state.fallback)
		i.State = s.state.standing(t.module)
		infos = append(infos, i)
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

// Problems lists what is wrong with the modules, in the order it was found.
func (s *Snapshot) Problems() []Problem { return slices.Clone(s.state.problems) }

// Modules lists the modules: those of the binary, then those of the directory by
// file, also those that are not in use.
func (s *Snapshot) Modules() []ModuleInfo {
	out := make([]ModuleInfo, len(s.state.infos))
	for i, m := range s.state.infos {
		m.Limits, m.Grant.Names = slices.Clone(m.Limits), slices.Clone(m.Grant.Names)
		out[i] = m
	}
	return out
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
