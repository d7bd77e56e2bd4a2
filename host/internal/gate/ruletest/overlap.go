package ruletest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
)

// maxSamples bounds the inputs tried for one rule.
const maxSamples = 8

// Overlap looks for an input matched by both a and b, rules of one tool, each as a rule of its own
// behavior. It tries the rules' own examples, inputs made of their contents, and the examples
// of the tool. The input is written for people and may be empty; false means: none was found,
// and proves nothing.
func (t Tester) Overlap(ctx context.Context, a, b engine.Rule) (string, bool) {
	entry := t.Catalog.Lookup(a.Tool)
	if entry.Err != nil {
		return "", false
	}
	both := func(input json.RawMessage) bool {
		for _, r := range []engine.Rule{a, b} {
			if got, err := t.Matches(ctx, entry, r, &engine.Call{Tool: entry.Name, Input: input, Context: common(a, b)}); err != nil || !got {
				return false
			}
		}
		return !t.anythingMatches(ctx, entry, input)
	}
	inputs := slices.Concat(samples(entry, b), samples(entry, a), t.exampleInputs(entry))
	for i, input := range inputs {
		if i >= 3*maxSamples || ctx.Err() != nil {
			break
		}
		if both(input) {
			return readable(input), true
		}
	}
	return "", false
}

// anythingMatches reports whether every deny rule of the tool matches an input, as for an
// unreadable one: such an input says nothing about two rules.
func (t Tester) anythingMatches(ctx context.Context, entry modules.Entry, input json.RawMessage) bool {
	content := "nowhere.invalid"
	r := engine.Rule{Tool: entry.Name, Content: &content, Behavior: engine.Deny}
	got, err := t.Matches(ctx, entry, r, &engine.Call{Tool: entry.Name, Input: input, Context: common(r, r)})
	return err == nil && got
}

// common is the place to try two rules: the project of one of them.
func common(a, b engine.Rule) engine.Context {
	dir := exampleDir
	for _, r := range []engine.Rule{a, b} {
		if r.Scope == engine.Project && r.ScopeKey != "" {
			dir = r.ScopeKey
		}
	}
	return engine.Context{CWD: dir, WorkingDirectories: []string{dir}, ProjectRoot: dir, Home: "/home/user"}
}

// samples are inputs probably matched by a rule; its tool decides.
func samples(entry modules.Entry, r engine.Rule) []json.RawMessage {
	var out []json.RawMessage
	add := func(example string) {
		if input, err := exampleInput(entry, example); err == nil && len(out) < maxSamples {
			out = append(out, input)
		}
	}
	for _, example := range r.Match {
		add(example)
	}
	if r.WholeTool() {
		return out
	}
	for _, text := range instances(*r.Content) {
		add(text)
	}
	return out
}

// instances are texts probably matched by a pattern, in any of the tools' languages: a command
// and one with a word more, a path, an address, an input.
func instances(content string) []string {
	if strings.HasPrefix(strings.TrimSpace(content), "{") {
		return []string{content}
	}
	for _, end := range []string{":*", " *"} {
		if words, found := strings.CutSuffix(content, end); found {
			return []string{words, words + " x", words + " -x"}
		}
	}
	plain := strings.NewReplacer("**/", "", "**", "a", "*", "a", "?", "a").Replace(alternative(content))
	deep := strings.NewReplacer("**/", "a/", "**", "a/b", "*", "a", "?", "a").Replace(alternative(content))
	host, _ := strings.CutPrefix(plain, "domain:")
	out := []string{plain, deep, "https://" + host, "https://" + host + "/a"}
	if member, value, found := strings.Cut(content, ":"); found && !strings.ContainsAny(member, "*?/. ") {
		if input, err := json.Marshal(map[string]string{member: strings.ReplaceAll(value, "*", "a")}); err == nil {
			out = append([]string{string(input)}, out...)
		}
	}
	return slices.Compact(out)
}

// alternative takes the first of each {a,b}.
func alternative(content string) string {
	for {
		before, rest, open := strings.Cut(content, "{")
		inside, after, closed := strings.Cut(rest, "}")
		if !open || !closed {
			return content
		}
		first, _, _ := strings.Cut(inside, ",")
		content = before + first + after
	}
}

// readable is an input for a person: its one main text, in quotes, or its JSON.
func readable(input json.RawMessage) string {
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal(input, &members) == nil && len(members) == 1 {
		for _, value := range members {
			if json.Unmarshal(value, &text) == nil {
				return fmt.Sprintf("%q", text)
			}
		}
	}
	return string(input)
}

// Readable refuses a rule with a content its tool cannot read, and explains the syntax.
func (t Tester) Readable(ctx context.Context, r engine.Rule) error {
	entry, err := t.Canonical(&r)
	if err != nil {
		return err
	}
	if err := t.understood(ctx, entry, r); err != nil {
		return fmt.Errorf("%s: %s cannot read this content; the rule would allow nothing and deny everything. Rule syntax: %s", r, r.Tool, entry.RuleHelp)
	}
	return nil
}
