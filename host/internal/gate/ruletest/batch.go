package ruletest

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

// CheckExamples tries the rules of a configuration, on their tools' examples and on their own,
// and returns the first failure, with its file, line and field. It skips those Cache has seen
// pass.
func (t Tester) CheckExamples(ctx context.Context, c *config.Config) error {
	written, examples := c.Written(), c.Examples()
	b := &batch{Tester: t, tools: t.Catalog.Tools(), passed: make(map[testKey]bool, len(written)+len(examples))}
	if err := b.understoodAll(ctx, written); err != nil {
		return err
	}
	if err := b.tryAll(ctx, examples); err != nil {
		return err
	}
	t.Cache.keep(b.passed)
	return nil
}

// batch is the trial of a whole configuration. A call of a module costs more than its work, so
// many rules go into one.
type batch struct {
	Tester
	tools  []wire.Tool
	passed map[testKey]bool
	unread sync.Mutex // held while Unread is called
}

// candidate is a rule of the file as its tool sees it.
type candidate struct {
	at    int
	entry modules.Entry
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
		if b.passed[k] = true; !r.WholeTool() && !engine.IsEffectName(r.Tool) && entry.Err == nil && !b.Cache.has(k) {
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

// atOnce bounds the rules in one question to a module, rounds the questions about the rest
// before each is tried by itself.
const atOnce, rounds = 256, 3

// doubtful leaves out the rules of one tool with a proven meaning: those that, as deny rules,
// leave an input of the tool's own rule examples alone.
func (b *batch) doubtful(ctx context.Context, rules []candidate) []candidate {
	for _, input := range b.exampleInputs(rules[0].entry) {
		call := &engine.Call{Tool: rules[0].rule.Tool, Input: input, Context: exampleContext()}
		if _, _, err := describe.Call(ctx, b.Catalog.Lookup, b.Targets, rules[0].entry, call); err != nil {
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

// matched are the rules matching the call as deny rules, and the undecided ones. A module need
// not name all matches: the named ones are taken out, and it is asked about the others.
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
	keys := make([]testKey, len(examples))
	for range min(runtime.GOMAXPROCS(0), len(examples)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(examples) && failed.after(i); i = int(next.Add(1)) - 1 {
				e := examples[i]
				r := e.Rule
				entry, err := b.canonicalAmong(&r, b.tools)
				if keys[i] = keyOf(entry, r, e.Input, e.Want); err == nil && !b.Cache.has(keys[i]) {
					err = b.tryExample(ctx, entry, r, e.Input, e.Want)
				}
				if err != nil {
					keys[i] = testKey{}
					b.fails(&failed, i, entry, e.Errorf("%v", err))
				}
			}
		})
	}
	wait.Wait()
	for _, k := range keys {
		b.passed[k] = k != testKey{}
	}
	delete(b.passed, testKey{})
	return failed.err
}

// fails notes an error of a rule. For a tool without a module, the operator may be about to add
// one; adding takes a running daemon.
func (b *batch) fails(failed *firstError, at int, entry modules.Entry, err error) {
	if b.Unread == nil || hasTool(b.tools, entry) {
		failed.note(at, err)
		return
	}
	b.unread.Lock()
	defer b.unread.Unlock()
	b.Unread(fmt.Errorf("no loaded module has this tool; the rule allows nothing until you run callgate tool add: %w", err))
}

// firstError keeps the error of the first place in the file.
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

// after reports whether the error so far, if any, comes after at.
func (f *firstError) after(at int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err == nil || at < f.at
}
