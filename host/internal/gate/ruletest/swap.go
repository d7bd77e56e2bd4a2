package ruletest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/mask"
)

// Swapping tries all stored allow rules of the tools of some files on their next modules,
// before these are in force, and returns the texts of unusable ones (threat T05): a rule whose
// own examples the new module reads otherwise, and one newly matching an example of the tool,
// or one of its last calls in the audit. Deny and ask rules stay.
func (s *Stored) Swapping(ctx context.Context, next describe.Catalog, files []string) []string {
	suspended, wider, stored, err := s.tryStored(ctx, next, files)
	if err != nil {
		s.c.Log.Error("the stored rules could not be tested on a new tool module; until the next start, allow rules are ignored for modules that did not come with Callgate", "error", err)
		s.mu.Lock()
		s.doubtful = true
		s.mu.Unlock()
		return nil
	}
	if len(wider) > 0 {
		if err := s.suspend(ctx, stored, wider); err != nil {
			s.c.Log.Error("the suspended rules could not be stored; the suspension ends at the next start", "error", err)
		}
	}
	return suspended
}

// TryStored is Swapping without suspensions, for a trial.
func (s *Stored) TryStored(ctx context.Context, next describe.Catalog, files []string) []string {
	suspended, _, _, err := s.tryStored(ctx, next, files)
	if err != nil {
		s.c.Log.Error("the stored rules could not be tested on a tool module", "error", err)
	}
	return suspended
}

// tryStored tries the stored rules. wider are those not decided by their own examples.
func (s *Stored) tryStored(ctx context.Context, next describe.Catalog, files []string) (suspended []string, wider []suspension, stored []engine.Rule, err error) {
	if stored, err = s.c.Store.Rules(ctx, store.RuleFilter{}); err != nil {
		return nil, nil, nil, err
	}
	now := s.c.Catalog()
	defer now.Release()
	var rest []comparison // rules undecided so far
	for _, r := range stored {
		if r.Behavior != engine.Allow || r.WholeTool() {
			continue
		}
		for _, entry := range answering(next, files, r.Tool) {
			proven := s.provenRule(ctx, next, entry, r)
			if proven && s.wider(ctx, now, next, entry, r) {
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
	for _, c := range s.widerOnPastCalls(ctx, now, next, rest) {
		suspended, wider = append(suspended, told(c.rule)), append(wider, suspension{c.rule.ID, c.next.Digest, c.next.Name})
	}
	slices.Sort(suspended)
	return slices.Compact(suspended), wider, stored, nil
}

// told names a rule for people: its scope and its text, unless that looks like a secret.
func told(r engine.Rule) string {
	text := r.String()
	if mask.LooksSecret(*r.Content) {
		text = r.Tool + "(...) " + r.ID
	}
	return strings.TrimSpace(text + " " + string(r.Scope) + " " + r.ScopeKey)
}

// answering are the tools of some files covered by this tool name or glob.
func answering(c describe.Catalog, files []string, tool string) []modules.Entry {
	var entries []modules.Entry
	add := func(name string) {
		e := c.Lookup(name)
		same := func(other modules.Entry) bool { return other.Name == e.Name }
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

// wider reports whether a rule means more with the module of next than with the current one.
// Its near misses alone prove nothing: the new module may know them.
func (s *Stored) wider(ctx context.Context, now, next describe.Catalog, entry modules.Entry, r engine.Rule) bool {
	old := now.Lookup(entry.Name)
	if old.Err != nil || old.Digest == entry.Digest {
		return false
	}
	return widened(ctx, Tester{Catalog: now, Targets: s.c.Targets}, Tester{Catalog: next, Targets: s.c.Targets}, old, entry, r)
}

// widened reports whether a rule matches an input with the next module only. Inputs refused by
// both, and one module's failure with an input, prove nothing.
func widened(ctx context.Context, now, next Tester, old, entry modules.Entry, r engine.Rule) bool {
	inputs := compactInputs(slices.Concat(samples(entry, r), now.exampleInputs(old), next.exampleInputs(entry)))
	if len(r.NotMatch) > 0 {
		inputs = inputs[:min(len(inputs), maxComparedBeside)]
	}
	for _, input := range inputs {
		call := func() *engine.Call { return &engine.Call{Tool: r.Tool, Input: input, Context: common(r, r)} }
		is, err := next.Matches(ctx, entry, r, call())
		if err != nil || !is {
			continue
		}
		if was, err := now.Matches(ctx, old, r, call()); err == nil && !was {
			return true
		}
	}
	return false
}

// maxCompared bounds the inputs for comparing two modules on one rule, maxComparedBeside those
// for one with near misses: most stored rules have some, and there may be thousands.
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
