package gate

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
)

// CheckExamples tries the rules of a configuration, on their tools' examples
// and on their own, and returns the first that fails, with its file, line and
// field. What Tried has seen pass is not tried again.
func (t Trial) CheckExamples(ctx context.Context, c *config.Config) error {
	written, examples := c.Written(), c.Examples()
	b := &batch{Trial: t, tools: t.Catalog.Tools(), passed: make(map[trialKey]bool, len(written)+len(examples))}
	if err := b.understoodAll(ctx, written); err != nil {
		return err
	}
	if err := b.tryAll(ctx, examples); err != nil {
		return err
	}
	t.Tried.keep(b.passed)
	return nil
}

// batch is the trial of a whole configuration. A module that is asked costs more
// than what it is asked about, so that many rules are put to it at once.
type batch struct {
	Trial
	tools  []catalog.Info
	passed map[trialKey]bool
	unread sync.Mutex // held while Unread is called
}

// candidate is a rule of the file as its tool sees it.
type candidate struct {
	at    int
	entry catalog.Entry
	rule  engine.Rule
}

// understoodAll is understood for all rules.
func (b *batch) understoodAll(ctx context.Context, written []config.Example) error {
	byTool := map[string][]candidate{}
	var failed firstError
	for i, w := range written {
		r := w.Rule
		entry, err := b.canonicalAmong(&r, b.tools)
		if err != nil {
			failed.note(i, w.Errorf("%v", err))
			break
		}
		k := keyOf(entry, r, "", true)
		if b.passed[k] = true; !r.WholeTool() && entry.Err == nil && !b.Tried.has(k) {
			byTool[entry.Name] = append(byTool[entry.Name], candidate{i, entry, r})
		}
	}
	for _, rules := range byTool {
		for _, doubtful := range b.doubtful(ctx, rules) {
			if err := b.understood(ctx, doubtful.entry, doubtful.rule); err != nil {
				delete(b.passed, keyOf(doubtful.entry, doubtful.rule, "", true))
				b.fails(&failed, doubtful.at, doubtful.entry, written[doubtful.at].Errorf("%v", err))
			}
		}
	}
	return failed.err
}

// atOnce bounds how many rules a module is asked about at once, rounds how often it
// is asked about the rest before each is tried by itself.
const atOnce, rounds = 256, 3

// doubtful leaves out the rules of one tool that mean something: those that, as
// deny rules, leave an input of the tool's own rule examples alone.
func (b *batch) doubtful(ctx context.Context, rules []candidate) []candidate {
	for _, input := range b.exampleInputs(rules[0].entry) {
		call := &engine.Call{Tool: rules[0].rule.Tool, Input: input, Context: exampleContext()}
		if _, _, err := Touch(ctx, b.Catalog.Lookup, b.Targets, rules[0].entry, call); err != nil {
			continue
		}
		var left []candidate
		for len(rules) > 0 {
			n := min(len(rules), atOnce)
			left = append(left, matched(ctx, call, rules[:n])...)
			rules = rules[n:]
		}
		if rules = left; len(rules) == 0 {
			break
		}
	}
	return rules
}

// matched are the rules that match the call as deny rules, or of which that cannot
// be told. A module need not name all that match: those it names are taken out, and
// it is asked about the others.
func matched(ctx context.Context, call *engine.Call, rules []candidate) []candidate {
	var found []candidate
	for range rounds {
		texts := make([]engine.RuleText, len(rules))
		for i, r := range rules {
			texts[i].Content = *r.rule.Content
		}
		hits, err := rules[0].entry.Tool.MatchRule(ctx, call, engine.Deny, texts)
		if err != nil {
			break
		}
		if len(hits) == 0 {
			return found
		}
		hit := make([]bool, len(rules))
		for _, i := range hits {
			if i >= 0 && i < len(rules) {
				hit[i] = true
			}
		}
		var rest []candidate
		for i, r := range rules {
			if hit[i] {
				found = append(found, r)
			} else {
				rest = append(rest, r)
			}
		}
		if rules = rest; len(rules) == 0 {
			return found
		}
	}
	return append(found, rules...)
}

// tryAll tries the examples, on all processors.
func (b *batch) tryAll(ctx context.Context, examples []config.Example) error {
	var failed firstError
	var next atomic.Int64
	var wait sync.WaitGroup
	keys := make([]trialKey, len(examples))
	for range min(runtime.GOMAXPROCS(0), len(examples)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(examples) && failed.after(i); i = int(next.Add(1)) - 1 {
				e := examples[i]
				r := e.Rule
				entry, err := b.canonicalAmong(&r, b.tools)
				if keys[i] = keyOf(entry, r, e.Input, e.Want); err == nil && !b.Tried.has(keys[i]) {
					err = b.tryExample(ctx, entry, r, e.Input, e.Want)
				}
				if err != nil {
					keys[i] = trialKey{}
					b.fails(&failed, i, entry, e.Errorf("%v", err))
				}
			}
		})
	}
	wait.Wait()
	for _, k := range keys {
		b.passed[k] = k != trialKey{}
	}
	delete(b.passed, trialKey{})
	return failed.err
}

// fails notes an error of a rule. Where no module has the rule's tool, the operator
// may be about to add it, which takes a running daemon.
func (b *batch) fails(failed *firstError, at int, entry catalog.Entry, err error) {
	if b.Unread == nil || hasTool(b.tools, entry) {
		failed.note(at, err)
		return
	}
	b.unread.Lock()
	defer b.unread.Unlock()
	b.Unread(fmt.Errorf("no module is loaded that has this tool: until callgate tool add brings it, the rule allows nothing: %w", err))
}

// firstError keeps the error of what comes first in the file.
type firstError struct {
	mu  sync.Mutex
	at  int
	err error
}

func (f *firstError) note(at int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || at < f.at {
		f.at, f.err = at, err
	}
}

// after reports whether what failed, if anything, comes after at.
func (f *firstError) after(at int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err == nil || at < f.at
}
