package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
)

func propose(contents ...string) []engine.SuggestedRule {
	out := make([]engine.SuggestedRule, len(contents))
	for i, c := range contents {
		out[i] = engine.SuggestedRule{Content: content(c), Description: "about " + c}
	}
	return out
}

// TestSuggestionsAreProven: each offer lets this very call run when it is added, and a useless
// one is not offered.
func TestSuggestionsAreProven(t *testing.T) {
	t.Parallel()
	tool := &stub{verdict: passthrough, hits: []string{"npm run build", "npm run:*"}, proposals: propose("npm run build", "npm run:*", "yarn:*")}
	req := request(engine.DefaultMode, tool)
	d := decide(t, req)
	var got []string
	for _, s := range d.Suggestions {
		got = append(got, fmt.Sprintf("%s(%s) %s %d %s", s.Tool, *s.Content, s.Behavior, s.Set, s.Description))
		with := req
		with.Rules = []engine.Rule{{Tool: s.Tool, Content: s.Content, Behavior: s.Behavior}}
		if again := decide(t, with); again.Behavior != engine.Allow {
			t.Errorf("suggestion %s does not allow the call: %s", *s.Content, again.Reason)
		}
	}
	want := []string{"Tool(npm run build) allow 1 about npm run build", "Tool(npm run:*) allow 2 about npm run:*"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if d.SuggestionsNote != "" {
		t.Errorf("got note %q beside suggestions", d.SuggestionsNote)
	}
}

// adrift matches only rules without an anchor at a project's root.
type adrift struct{ *stub }

func (a adrift) MatchRule(ctx context.Context, c *engine.Call, b engine.Behavior, rules []engine.RuleText) ([]int, error) {
	if slices.ContainsFunc(rules, func(r engine.RuleText) bool { return r.Root != "" }) {
		return nil, nil
	}
	return a.stub.MatchRule(ctx, c, b, rules)
}

// TestSuggestionsHoldWhereverTheyAreStored: an offered relative pattern no longer covered the
// call once it was stored for the project.
func TestSuggestionsHoldWhereverTheyAreStored(t *testing.T) {
	t.Parallel()
	plain := &stub{verdict: passthrough, hits: []string{"src/**"}, proposals: propose("src/**")}
	for name, c := range map[string]struct {
		tool engine.Tool
		root string
		dirs []string
		want int
	}{
		"no project":                     {adrift{plain}, "", []string{"/p/api"}, 1},
		"the project is the directory":   {adrift{plain}, "/p", []string{"/p"}, 1},
		"anchored elsewhere, no cover":   {adrift{plain}, "/p", []string{"/p/api"}, 0},
		"anchored elsewhere, still good": {plain, "/p", []string{"/p/api"}, 1},
		"no directories, no cover":       {adrift{plain}, "/p", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(engine.DefaultMode, plain)
			req.Entry.Tool = c.tool
			req.Call.Context.ProjectRoot, req.Call.Context.WorkingDirectories = c.root, c.dirs
			if d := decide(t, req); len(d.Suggestions) != c.want {
				t.Errorf("got %+v, want %d", d.Suggestions, c.want)
			}
		})
	}
}

// TestSuggestionsForACompoundCall: rules useful only together come first, as one set.
func TestSuggestionsForACompoundCall(t *testing.T) {
	t.Parallel()
	tool := &stub{verdict: passthrough, covers: []string{"git add:*", "git commit:*"}, proposals: propose("git add:*", "git commit:*")}
	d := decide(t, request(engine.DefaultMode, tool))
	if len(d.Suggestions) != 2 || d.Suggestions[0].Set != 1 || d.Suggestions[1].Set != 1 {
		t.Fatalf("got %+v, want two rules of set 1", d.Suggestions)
	}
	halfKnown := request(engine.DefaultMode, tool, rule(engine.Allow, "Tool(git add:*)"))
	if d := decide(t, halfKnown); len(d.Suggestions) != 1 || *d.Suggestions[0].Content != "git commit:*" {
		t.Errorf("got %+v, want only the part that is not covered yet", d.Suggestions)
	}
}

func TestNoSuggestionWhereNoneHelps(t *testing.T) {
	t.Parallel()
	prof := request(engine.DefaultMode, &stub{verdict: passthrough, proposals: propose("x")})
	prof.Profile = &engine.ProfileAnswer{Name: "standard", Behavior: engine.Ask, Action: "tool:x:y", Pattern: "tool:x:.*"}
	hostile := request(engine.DefaultMode, &stub{verdict: passthrough, hits: []string{"x"}, proposals: propose("x")})
	hostile.Call.Tool = "mcp__*"
	cases := []struct {
		name, says string
		req        engine.Request
	}{
		{"safety check", "no allow rule can skip it", request(engine.DefaultMode, &stub{verdict: immuneAsk, proposals: propose("x")})},
		{"ask rule", "ask rule Tool asks every time", request(engine.DefaultMode, &stub{verdict: passthrough}, rule(engine.Ask, "Tool"))},
		{"project file's ask rule", "project's file", request(engine.DefaultMode, &stub{verdict: passthrough}, projectRule(engine.Ask, "Tool(talk to me)"), projectRule(engine.Ask, "Tool"))},
		{"profile", "change profile standard", prof},
		{"error", "an error asks every time", request(engine.DefaultMode, &stub{verdictErr: errVerb})},
		{"proposals do not help", "none of the tool's suggested rules", request(engine.DefaultMode, &stub{verdict: passthrough, proposals: propose("x", "y")})},
		{"tool fails", "generate_suggestions failed: out of fuel", request(engine.DefaultMode, &stub{verdict: passthrough, suggestErr: errVerb, proposals: propose("x")})},
		{"a name that reads as a pattern", "would be read as a pattern", hostile},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := decide(t, c.req)
			if d.Behavior != engine.Ask || len(d.Suggestions) != 0 || !strings.Contains(d.SuggestionsNote, c.says) {
				t.Errorf("got %s with %+v and note %q\nwant an ask without suggestions, note saying %q", d.Behavior, d.Suggestions, d.SuggestionsNote, c.says)
			}
		})
	}
}

// TestSuggestionNamesTheCalledTool: where one entry answers for every unknown
// tool, a rule with the entry's name would allow them all.
func TestSuggestionNamesTheCalledTool(t *testing.T) {
	t.Parallel()
	for called, want := range map[string]string{"DeployTool": "DeployTool", "alias": "Tool", "Tool": "Tool"} {
		req := request(engine.DefaultMode, &stub{verdict: passthrough, proposals: []engine.SuggestedRule{{}}})
		req.Call.Tool = called
		d := decide(t, req)
		if len(d.Suggestions) != 1 || d.Suggestions[0].Tool != want || d.Suggestions[0].Content != nil {
			t.Errorf("called as %s: got %+v, want the whole tool %s", called, d.Suggestions, want)
		}
	}
}

// TestKnownRuleIsNotSuggestedAgain: the tool's plain ask is not the rule's to
// silence twice.
func TestKnownRuleIsNotSuggestedAgain(t *testing.T) {
	t.Parallel()
	tool := &stub{verdict: passthrough, covers: []string{"a", "b", "c"}, proposals: propose("a", "b", "c")}
	d := decide(t, request(engine.DefaultMode, tool, rule(engine.Allow, "Tool(b)")))
	var got []string
	for _, s := range d.Suggestions {
		got = append(got, *s.Content)
	}
	if !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("got %q, want only what is not there yet: a, c", got)
	}
}

func TestSuggestionsAreBounded(t *testing.T) {
	t.Parallel()
	tool := &stub{verdict: passthrough}
	for i := range 100 {
		c := fmt.Sprint(i)
		tool.hits, tool.proposals = append(tool.hits, c), append(tool.proposals, propose(c)...)
	}
	if n := len(decide(t, request(engine.DefaultMode, tool)).Suggestions); n != 16 {
		t.Errorf("got %d suggestions of 100 proposals, want 16", n)
	}
}

// TestSuggestionThatStillAsks: a rule leaving the call an ask is not offered.
func TestSuggestionThatStillAsks(t *testing.T) {
	t.Parallel()
	d := decide(t, request(engine.DefaultMode, &stub{verdict: passthrough, hits: []string{"x"}, proposals: propose("x", "y")}))
	if d.Behavior != engine.Ask || len(d.Suggestions) != 1 || *d.Suggestions[0].Content != "x" {
		t.Errorf("got %s with %+v, want an ask that offers x alone", d.Behavior, d.Suggestions)
	}
}
