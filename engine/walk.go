package engine

import (
	"context"
	"fmt"
	"slices"
)

// walk is the state of one Decide.
type walk struct {
	ctx  context.Context
	req  Request
	call *Call
	mode Mode
	// names are the possible names of the call's tool in rules.
	names []string
	// rules are the request's rules for this tool.
	rules ruleSet
	// effectRules are the request's rules about effects.
	effectRules ruleSet
	// askReason is the reason of the tool's plain ask; the mode's ask repeats it.
	askReason string
	// changes is why the tool does not call the call read-only; explore's denial repeats it, so the
	// agent knows what to leave out.
	changes string
	trace   []Step
}

func newWalk(ctx context.Context, req Request) *walk {
	names := req.Entry.Names(req.Call.Tool)
	return &walk{
		ctx: ctx, req: req, call: req.Call, mode: req.Call.Context.Mode,
		names: names, rules: rulesOf(req.Rules, req.Entry, req.Call, names), effectRules: effectRulesOf(req.Rules), trace: make([]Step, 0, 6),
	}
}

// ruleSet holds the rules of one tool by behavior. It points into the request,
// because a request may carry hundreds of rules.
type ruleSet [Passthrough][]*Rule

// rulesOf selects the rules for the entry, by one of names. It drops the allow rules of a project's
// file before a tool sees them: a tool judges all allow rules together, so one of these could
// complete the cover of a compound call behind an own rule. call is nil where only tightening rules
// are wanted.
func rulesOf(rules []Rule, entry Entry, call *Call, names []string) (set ruleSet) {
	for i := range rules {
		r := &rules[i]
		if r.Behavior >= Passthrough || IsEffectName(r.Tool) || !entry.meant(r, call, names) {
			continue
		}
		if set[r.Behavior] == nil {
			set[r.Behavior] = make([]*Rule, 0, len(rules)-i)
		}
		set[r.Behavior] = append(set[r.Behavior], r)
	}
	return set
}

// note adds a line to the trace.
func (w *walk) note(stage Stage, saw, result string) {
	w.trace = append(w.trace, Step{Step: string(stage), Saw: saw, Result: result})
}

// match finds the deciding rule among those of one behavior for entry's tool. Whole-tool rules are
// the engine's own and need no tool. With several hits, it prefers a rule outside a project's file,
// because only such a rule may decide by itself.
func match(ctx context.Context, entry Entry, call *Call, b Behavior, rules []*Rule) (*Rule, error) {
	hits, withContent := split(rules)
	own := firstOwn(hits)
	if own != nil || len(withContent) == 0 {
		return firstOf(own, hits), nil
	}
	indices, err := matchContent(ctx, entry, call, b, withContent)
	if err != nil {
		return firstOf(firstOwn(withContent), withContent), err
	}
	for _, i := range indices {
		hits = append(hits, withContent[i])
	}
	return firstOf(firstOwn(hits), hits), nil
}

// split separates the whole-tool rules from those for a tool to read.
func split(rules []*Rule) (whole, withContent []*Rule) {
	if !slices.ContainsFunc(rules, (*Rule).wholeTool) {
		return nil, rules
	}
	for _, r := range rules {
		if r.WholeTool() {
			whole = append(whole, r)
		} else {
			withContent = append(withContent, r)
		}
	}
	return whole, withContent
}

// matchContent asks the tool, and refuses an invalid answer.
func matchContent(ctx context.Context, entry Entry, call *Call, b Behavior, rules []*Rule) ([]int, error) {
	if entry.Err != nil {
		return nil, entry.Err
	}
	if entry.Tool == nil {
		return nil, fmt.Errorf("tool %s has no module", entry.Name)
	}
	texts, more := ruleTexts(rules, &call.Context, b)
	indices, err := entry.Tool.MatchRule(ctx, call, b, texts)
	if err != nil {
		return nil, err
	}
	for n, i := range indices {
		if i < 0 || i >= len(texts) {
			return nil, fmt.Errorf("match_rule answered index %d of %d rules", i, len(texts))
		}
		if i >= len(rules) {
			indices[n] = more[i-len(rules)]
		}
	}
	return indices, nil
}

// firstOwn returns the first rule able to decide by itself. RATIONALE.md, "Why does a project's ask
// rule not decide by itself?".
func firstOwn(rules []*Rule) *Rule {
	i := slices.IndexFunc(rules, func(r *Rule) bool { return !r.onlyTightens() })
	if i < 0 {
		return nil
	}
	return rules[i]
}

func firstOf(own *Rule, rules []*Rule) *Rule {
	if own != nil || len(rules) == 0 {
		return own
	}
	return rules[0]
}

// ruleTexts are the contents of the rules. In a work tree, those of its repository are anchored at
// the work tree. A deny or ask rule keeps its own anchor as well, in a further text at the end:
// more has the rules of these.
func ruleTexts(rules []*Rule, c *Context, b Behavior) (texts []RuleText, more []int) {
	texts = make([]RuleText, len(rules))
	for i, r := range rules {
		texts[i].Content = *r.Content
		switch {
		case r.Scope != Project:
		case c.Repository != "" && r.ScopeKey == c.Repository:
			texts[i].Root = c.ProjectRoot
			if b != Allow {
				more = append(more, i)
			}
		default:
			texts[i].Root = r.ScopeKey
		}
	}
	for _, i := range more {
		texts = append(texts, RuleText{Content: *rules[i].Content, Root: c.Repository})
	}
	return texts, more
}

// join writes a word and, when there is one, its reason.
func join(word, reason string) string {
	if reason == "" {
		return word
	}
	return word + ": " + reason
}
