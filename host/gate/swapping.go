package gate

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/store"
)

// Swapping tries all stored allow rules of the tools of some files on the modules
// that will answer for them, next, before these are in force, and returns the texts
// of those that are not used with them (threat T05): a rule whose own examples the
// new module reads otherwise, and one that matches an example of the tool, or one of
// its last calls in the audit, which it does not match now. Deny and ask rules stay.
func (g *Gate) Swapping(ctx context.Context, next Catalog, files []string) []string {
	suspended, wider, stored, err := g.tryStored(ctx, next, files)
	if err != nil {
		g.c.Log.Error("the stored rules could not be tried on a new tool module: none that allows is used for modules that did not come with Callgate, until the next start", "error", err)
		g.mu.Lock()
		g.doubtful = true
		g.mu.Unlock()
		return nil
	}
	if len(wider) > 0 {
		if err := g.suspend(ctx, stored, wider); err != nil {
			g.c.Log.Error("that stored rules are suspended could not be stored: it is forgotten at the next start", "error", err)
		}
	}
	return suspended
}

// TryStored is Swapping for modules that are only tried: it suspends nothing.
func (g *Gate) TryStored(ctx context.Context, next Catalog, files []string) []string {
	suspended, _, _, err := g.tryStored(ctx, next, files)
	if err != nil {
		g.c.Log.Error("the stored rules could not be tried on a tool module", "error", err)
	}
	return suspended
}

// tryStored tries the stored rules. wider are those whose own examples do not tell.
func (g *Gate) tryStored(ctx context.Context, next Catalog, files []string) (suspended []string, wider []suspension, stored []engine.Rule, err error) {
	if stored, err = g.c.Store.Rules(ctx, store.RuleFilter{}); err != nil {
		return nil, nil, nil, err
	}
	now := g.c.Catalog()
	defer now.Release()
	var rest []comparison // rules of which nothing told so far
	for _, r := range stored {
		if r.Behavior != engine.Allow || r.WholeTool() {
			continue
		}
		for _, entry := range answering(next, files, r.Tool) {
			proven := g.provenRule(ctx, next, entry, r)
			if proven && g.wider(ctx, now, next, entry, r) {
				proven, wider = false, append(wider, suspension{r.ID, entry.Digest, entry.Name})
			}
			if !proven {
				suspended = append(suspended, told(r))
				continue
			}
			if old := now.Lookup(entry.Name); old.Err == nil && old.Digest != entry.Digest {
				rest = append(rest, comparison{r, old, entry})
			}
		}
	}
	for _, c := range g.widerOnPastCalls(ctx, now, next, rest) {
		suspended, wider = append(suspended, told(c.rule)), append(wider, suspension{c.rule.ID, c.next.Digest, c.next.Name})
	}
	slices.Sort(suspended)
	return slices.Compact(suspended), wider, stored, nil
}

// told names a rule for people: where it holds and what it says, unless that looks
// like a secret.
func told(r engine.Rule) string {
	text := r.String()
	if looksSecret(*r.Content) {
		text = r.Tool + "(...) " + r.ID
	}
	return strings.TrimSpace(text + " " + string(r.Scope) + " " + r.ScopeKey)
}

// answering are the tools of some files that a rule of this tool name or glob
// speaks of.
func answering(c Catalog, files []string, tool string) []catalog.Entry {
	var entries []catalog.Entry
	add := func(name string) {
		e := c.Lookup(name)
		same := func(other catalog.Entry) bool { return other.Name == e.Name }
		if e.Err == nil && slices.Contains(files, e.File) && !slices.ContainsFunc(entries, same) {
			entries = append(entries, e)
		}
	}
	if !strings.ContainsAny(tool, "*?") {
		add(tool)
		return entries
	}
	for _, i := range c.Tools() {
		if e := c.Lookup(i.Name); engine.MatchName(tool, e.Names(i.Name)...) {
			add(i.Name)
		}
	}
	return entries
}

// wider reports whether a rule means more with the module of next than with the one
// that answers now. Its near misses alone do not tell: the new module may know them.
func (g *Gate) wider(ctx context.Context, now, next Catalog, entry catalog.Entry, r engine.Rule) bool {
	old := now.Lookup(entry.Name)
	if old.Err != nil || old.Digest == entry.Digest {
		return false
	}
	return widened(ctx, Trial{Catalog: now, Targets: g.c.Targets}, Trial{Catalog: next, Targets: g.c.Targets}, old, entry, r)
}

// widened reports whether a rule matches an input with the next module that it does
// not match with the one that is in force. It cannot be told by inputs that neither
// gives; that one module fails with an input tells nothing.
func widened(ctx context.Context, now, next Trial, old, entry catalog.Entry, r engine.Rule) bool {
	inputs := compactInputs(slices.Concat(samples(entry, r), now.exampleInputs(old), next.exampleInputs(entry)))
	if len(r.NotMatch) > 0 {
		inputs = inputs[:min(len(inputs), maxComparedBeside)]
	}
	for _, input := range inputs {
		call := func() *engine.Call { return &engine.Call{Tool: r.Tool, Input: input, Context: common(r, r)} }
		is, err := next.matches(ctx, entry, r, call())
		if err != nil || !is {
			continue
		}
		if was, err := now.matches(ctx, old, r, call()); err == nil && !was {
			return true
		}
	}
	return false
}

// maxCompared bounds the inputs that two modules are compared on for one rule,
// maxComparedBeside those for one that has near misses as well: most stored rules do,
// and there may be thousands.
const (
	maxCompared       = 64
	maxComparedBeside = 24
)

// compactInputs are the inputs, each once, at most maxCompared of them.
func compactInputs(all []json.RawMessage) []json.RawMessage {
	seen := map[string]bool{}
	var out []json.RawMessage
	for _, input := range all {
		if !seen[string(input)] && len(out) < maxCompared {
			seen[string(input)] = true
			out = append(out, input)
		}
	}
	return out
}
