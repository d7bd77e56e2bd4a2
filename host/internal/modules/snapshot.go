package modules

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/wire"
)

// Snapshot is the set of tool modules at one moment. A decision uses one from its beginning to its
// end, and releases it: until then its modules answer, in spite of swaps. It is safe for concurrent
// use.
type Snapshot struct {
	state    *state
	released atomic.Bool
}

// Snapshot returns the present set of modules. Without a release the collector frees its modules.
func (c *Catalog) Snapshot() *Snapshot {
	for {
		if s := c.current.Load(); s.hold() {
			return &Snapshot{state: s}
		}
	}
}

// Release gives the snapshot up. Running calls finish; later ones fail when their module was
// replaced. A second release does nothing.
func (s *Snapshot) Release() {
	if s.released.CompareAndSwap(false, true) {
		s.state.letGo()
	}
}

// TestOnly reports whether the set was made by Test, and is never in
// force.
func (s *Snapshot) TestOnly() bool { return s.state.testOnly }

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

// Lookup finds the tool for name. It always returns an entry: for an unclaimed name the fallback's,
// under the called name; without any tool, or with a broken module, one with Err set.
func (s *Snapshot) Lookup(name string) Entry {
	t, own := s.state.index.find(name)
	if t == nil {
		t, own = s.state.fallback, false
	}
	if t == nil {
		err := fmt.Errorf("no tool module handles %q, and there is no %q tool for unknown names", name, s.state.fallbackName)
		return Entry{Entry: engine.Entry{Name: name, Err: err}}
	}
	return t.entry(name, own)
}

// Tools lists every tool, by name, also broken ones.
func (s *Snapshot) Tools() []wire.Tool {
	infos := make([]wire.Tool, 0, len(s.state.tools))
	for _, t := range s.state.tools {
		i := t.info(t == s.state.fallback)
		i.State = s.state.stateOf(t.module)
		infos = append(infos, i)
	}
	slices.SortFunc(infos, func(a, b wire.Tool) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

// Problems lists the problems of the modules, in the order of discovery.
func (s *Snapshot) Problems() []Problem { return slices.Clone(s.state.problems) }

// Modules lists the modules: those of the binary, then those of the directory by file, also unused
// ones.
func (s *Snapshot) Modules() []wire.ModuleInfo {
	out := make([]wire.ModuleInfo, len(s.state.infos))
	for i, m := range s.state.infos {
		m.Limits, m.Grant.Names = slices.Clone(m.Limits), slices.Clone(m.Grant.Names)
		out[i] = m
	}
	return out
}

// entry is the tool as found under a name; own means the name is one of its exact names.
func (t *tool) entry(called string, own bool) Entry {
	e := Entry{
		Entry: engine.Entry{
			Name: t.Name, Aliases: slices.Clone(t.Aliases), Err: t.err,
			MayAllow: t.module.grant.MayAllow, MayReadOnly: t.module.grant.MayReadOnly && !t.AlwaysChanges,
		},
		Module: t.module.label(), File: t.module.file, Digest: t.module.digest,
		InputSchema: json.RawMessage(t.InputSchema), RuleHelp: t.RuleHelp,
		EditsFiles: t.EditsFiles, ReadOnly: t.ReadOnly, Embedded: t.module.embedded, Replaces: t.module.replaces,
	}
	if !own || isGlob(t.Name) {
		e.Name, e.Aliases, own = called, nil, false
	}
	e.Own = own
	if d := t.module.desc; d != nil {
		e.Version, e.Summary = d.Version, d.Summary
	}
	if t.err == nil {
		e.describer = &adapter{module: t.module, name: e.Name}
		e.Tool = e.describer
	}
	return e
}

func (t *tool) info(fallback bool) wire.Tool {
	e := t.entry(t.Name, true)
	i := wire.Tool{
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

// Entry is one tool as Lookup finds it. Copies may be changed freely.
type Entry struct {
	engine.Entry
	// Module and Version are the module's own words; File is where it came from.
	Module  string
	Version string
	File    string
	// Digest is the sha256 of the module's bytes, in hex.
	Digest      string
	InputSchema json.RawMessage
	RuleHelp    string
	Summary     string
	EditsFiles  bool
	ReadOnly    bool
	// Embedded means the module comes with the binary.
	Embedded bool
	// Replaces means the module takes the place of an embedded one.
	Replaces bool

	// Words asks describe_call for the first words of rules as well.
	Words bool

	describer *adapter
}

// ShellParts are the parts of a shell's state a call may change: its directory; and its variables,
// aliases, functions, options and the like.
var ShellParts = []string{"directory", "environment"}

// Description is a module's description of a call. The texts are untrusted words without control
// characters (Preview keeps its line feeds and tabs).
type Description struct {
	// Action is "tool:<name>:<detail>", Actions one per part of a compound
	// call; both empty when the module gives none.
	Action  string
	Actions []string
	Title   string
	Preview string
	// Language names the preview's syntax.
	Language string
	// Targets are the call's targets, not yet resolved.
	Targets        []engine.Target
	TargetsUnknown bool
	// Analysed: the actions cover the whole call.
	Analysed bool
	// Unread: the module names the actions of every readable input, and named none here. The host
	// sets it.
	Unread bool
	// Moves: the call may change the current directory or links.
	Moves bool
	// ChangesShell: possible changes by the call to its shell, of ShellParts.
	ChangesShell []string
	// Effects are the call's effects, in fixed kinds. From the module, nil means it does not name
	// them; package describe completes them.
	Effects []engine.Effect
	// EffectsUnsaid: the module does not name effects, so the call may have others. The host sets
	// it.
	EffectsUnsaid bool
	// RuleWords are the first words of rules that can match the call; nil when the module does not
	// say, or was not asked.
	RuleWords *engine.RuleWords
	// Marks are for the gate's self-protection alone, by the kinds of engine.Target.
	Marks []engine.Target
}

// Describe asks the module for the call's targets. Without a describe_call of its module the
// Description is empty. On an error nothing is known of the call, and the error belongs into
// engine.Request.Err.
func (e Entry) Describe(ctx context.Context, call *engine.Call) (Description, error) {
	if e.describer == nil {
		return Description{}, e.Err
	}
	return e.describer.describe(ctx, call, e.Words)
}

// Problem is something wrong with a module.
type Problem struct {
	// File is the module's file, or the directory's name.
	File string
	Err  error
}

// String implements fmt.Stringer.
func (p Problem) String() string { return p.File + ": " + p.Err.Error() }

// NamesActions reports whether the module's actions for profiles are trusted beyond its own tools:
// those of an embedded module, and of its replacement with an effective own allow.
func (e Entry) NamesActions() bool { return e.Embedded || e.Replaces && e.MayAllow }
