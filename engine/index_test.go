package engine_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
)

// names of rules and calls: differing by case in ASCII and beyond it, by clients' replacements
// of other signs, by the end of a server's name.
var typedNames = []string{
	"Tool", "tool", "TOOL", "alias", "Alias", "Read", "read", "Other", "", "Task", "task", "ta\u017fk", "TAS\u212a",
	"mcp__github__get", "mcp__GitHub__get", "MCP__github__get", "mcp__github", "mcp__GITHUB", "mcp__my server__get", "mcp__my_server__get", "mcp__my.server",
	"mcp__a__b__c", "mcp__a", "mcp__a__b", "mcp__a_", "mcp__a___b", "mcp__", "a/b", "a\x00b", "a\\b", "a[b]", "\u00e9", "\xc3", "\u0130", "i",
}

func drawName(t *rapid.T, glob bool) string {
	name := rapid.SampledFrom(typedNames).Draw(t, "name")
	if !glob || rapid.IntRange(0, 2).Draw(t, "is glob") > 0 {
		return name
	}
	at := rapid.IntRange(0, len(name)).Draw(t, "at")
	star := rapid.SampledFrom([]string{"*", "?", "**", "*__", "?*"}).Draw(t, "star")
	to := rapid.IntRange(at, len(name)).Draw(t, "to")
	return name[:at] + star + name[to:]
}

func drawNamed(t *rapid.T) engine.Rule {
	r := drawRule(t)
	r.Tool = drawName(t, true)
	r.OnlyTightens = rapid.IntRange(0, 3).Draw(t, "only tightens") == 0
	if r.Behavior == engine.Allow && rapid.IntRange(0, 3).Draw(t, "of a server") == 0 {
		r.Server = rapid.SampledFrom([]string{"github@1", "github@2"}).Draw(t, "rule's server")
	}
	return r
}

func drawNamedScene(t *rapid.T) engine.Request {
	req := drawScene(t).req
	req.Rules = rapid.SliceOfN(rapid.Custom(drawNamed), 0, 12).Draw(t, "rules")
	for i := range req.Rules {
		req.Rules[i].ID = fmt.Sprint(i)
	}
	call := *req.Call
	call.Tool = drawName(t, false)
	if rapid.Bool().Draw(t, "other entry") {
		req.Entry.Name, req.Entry.Aliases = drawName(t, false), nil
		req.Entry.Own = rapid.Bool().Draw(t, "own")
	}
	if rapid.Bool().Draw(t, "told server") {
		call.Context.Server = &engine.Server{
			Name:     rapid.SampledFrom([]string{"github", "a", "a__b", "my_server"}).Draw(t, "server"),
			Identity: rapid.SampledFrom([]string{"", "github@1"}).Draw(t, "identity"),
			Doubt:    rapid.SampledFrom([]string{"", "the project defines it"}).Draw(t, "doubt"),
		}
	}
	req.Call = &call
	return req
}

// TestIndexedRulesDecideTheSame: with the rules found by an index every call is decided as with
// all of them, down to the trace.
func TestIndexedRulesDecideTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		req := drawNamedScene(t)
		want := engine.Decide(context.Background(), req)
		list := engine.NewRuleList(slices.Clone(req.Rules))
		found := req
		found.Rules = list.For(req.About())
		if got := engine.Decide(context.Background(), found); !reflect.DeepEqual(got, want) {
			t.Fatalf("with %d of %d rules: got %+v\nwant %+v", len(found.Rules), len(req.Rules), got, want)
		}
	})
}

// drawWords are the words of some of the contents; nil at times.
func drawWords(t *rapid.T) *engine.RuleWords {
	if rapid.IntRange(0, 3).Draw(t, "no words") == 0 {
		return nil
	}
	words := rapid.SliceOfDistinct(rapid.SampledFrom(contents), rapid.ID)
	return &engine.RuleWords{Allow: words.Draw(t, "allow words"), Other: words.Draw(t, "other words")}
}

// TestIndexedByWordsDecideTheSame: where a module names the first word of every rule that matches,
// a call is decided with the rules of these words as with all of them. The trace counts fewer rules,
// and a denial names fewer that would allow something.
func TestIndexedByWordsDecideTheSame(t *testing.T) {
	t.Parallel()
	narrowed := 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		req := s.req
		s.tool.matchErr = nil // asked about no rule, it cannot fail
		req.Rules = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) engine.Rule {
			r := drawNamed(t)
			if r.Content != nil {
				r.Content = content(*r.Content + rapid.SampledFrom([]string{"", ":*", " *", " x", "*", " (x)"}).Draw(t, "rest"))
			}
			return r
		}), 0, 12).Draw(t, "rules")
		s.tool.hits = nil
		words := &engine.RuleWords{}
		for i := range req.Rules {
			r := &req.Rules[i]
			r.ID = fmt.Sprint(i)
			if r.Content == nil || !rapid.Bool().Draw(t, "matches") {
				continue
			}
			s.tool.hits = append(s.tool.hits, *r.Content) // for every behavior
			words.Allow, words.Other = append(words.Allow, engine.FirstWord(*r.Content)), append(words.Other, engine.FirstWord(*r.Content))
		}
		want := engine.Decide(context.Background(), req)
		// With all rules the decision is the same to the last word, and the module is asked about no
		// rule that its words rule out.
		all := req
		all.Words, s.tool.texts = words, nil
		if got := engine.Decide(context.Background(), all); !reflect.DeepEqual(got, want) {
			t.Fatalf("with words %v: got %+v\nwant %+v", words, got, want)
		}
		for _, text := range s.tool.texts {
			if req.Err == nil && !words.Name(engine.Allow, text.Content) {
				t.Fatalf("asked about %q with words %v", text.Content, words)
			}
		}
		found := req
		found.Words = words
		found.Rules = engine.NewRuleList(slices.Clone(req.Rules)).For(found.About())
		if len(found.Rules) < len(req.Rules) {
			narrowed++
		}
		got := engine.Decide(context.Background(), found)
		got.Trace, want.Trace, got.Permitted, want.Permitted, got.Message, want.Message = nil, nil, nil, nil, "", ""
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("with %d of %d rules, words %v: got %+v\nwant %+v", len(found.Rules), len(req.Rules), words, got, want)
		}
	})
	if narrowed == 0 {
		t.Error("no list of rules was narrowed")
	}
}

// TestWordsSpareQuestions: a module is not asked about rules that its words rule out, of any behavior;
// after an error it is asked about all.
func TestWordsSpareQuestions(t *testing.T) {
	t.Parallel()
	rules := []engine.Rule{rule(engine.Deny, "Tool(rm:*)"), rule(engine.Ask, "Tool(git push:*)"), rule(engine.Allow, "Tool(npm run:*)")}
	for _, c := range []struct {
		words *engine.RuleWords
		err   error
		want  string
	}{
		{want: "deny ask allow"},
		{words: &engine.RuleWords{}, want: ""},
		{words: &engine.RuleWords{Allow: []string{"npm"}, Other: []string{"git"}}, want: "ask allow"},
		{words: &engine.RuleWords{Allow: []string{"git"}, Other: []string{"npm", "rm"}}, want: "deny"},
		{words: &engine.RuleWords{}, err: errVerb, want: "deny"},
	} {
		tool := &stub{verdict: passthrough}
		req := request(engine.DefaultMode, tool, rules...)
		req.Words, req.Err = c.words, c.err
		decide(t, req)
		var asked []string
		for _, verb := range tool.asked {
			if b, is := strings.CutPrefix(verb, "match_rule "); is {
				asked = append(asked, b)
			}
		}
		if got := strings.Join(asked, " "); got != c.want {
			t.Errorf("words %v, error %v: asked about %q, want %q", c.words, c.err, got, c.want)
		}
	}
}

// TestIndexTriesAllAfterAnError: untried rules of a call that could not be prepared count as matched,
// so none is left out; nor is a rule that is tried on another tool's call as well, or of a server.
func TestIndexTriesAllAfterAnError(t *testing.T) {
	t.Parallel()
	list := engine.NewRuleList([]engine.Rule{
		{Tool: "Bash", Content: content("rm:*"), Behavior: engine.Deny}, {Tool: "bash", Content: content("npm run")}, {Tool: "Bash", Content: content("npm"), Behavior: engine.Allow},
		{Tool: "Bash"}, {Tool: "Bash", Content: content("r*")}, {Tool: "Ba*", Content: content("rm:*")}, {Tool: "Read", Content: content("rm")},
	})
	req := engine.Request{Call: &engine.Call{Tool: "bash"}, Entry: engine.Entry{Name: "Bash"}, Words: &engine.RuleWords{Other: []string{"npm"}}}
	texts := func(req engine.Request) string { return fmt.Sprint(list.For(req.About())) }
	if got := texts(req); got != "[bash(npm run) Bash Bash(r*) Ba*(rm:*)]" {
		t.Errorf("got %s", got)
	}
	const all = "[Bash(rm:*) bash(npm run) Bash(npm) Bash Bash(r*) Ba*(rm:*)]"
	failed := req
	failed.Err = errVerb
	if got := texts(failed); got != all {
		t.Errorf("after an error: got %s", got)
	}
	unready := req
	unready.Entry.Err = errVerb
	if got := texts(unready); got != all {
		t.Errorf("with an error of the entry: got %s", got)
	}
	shared := req
	shared.Related = []engine.Related{{Entry: engine.Entry{Name: "BASH"}}}
	if got := texts(shared); got != all {
		t.Errorf("with a call of the same tool beside: got %s", got)
	}
}

// TestFirstWord: as docs/abi.md says.
func TestFirstWord(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"npm run:*": "npm", "NPM run *": "npm", "npm": "npm", " \tgit  push": "git", "/bin/rm:*": "/bin/rm", "a_b-c.d+e%f@g^h]:i,j x": "a_b-c.d+e%f@g^h]:i,j",
		"": "", ":*": "", " *": "", "  ": "", "*": "", "npm run*": "", "npm * x": "", "n\\pm": "", "'npm'": "", "npm\nrun": "", "\u00e9 x": "", "npm {a,b}:*": "", "a=b": "", "git:* without -f": "", "x\x00": "", "\u212anpm": "",
	} {
		if got := engine.FirstWord(content); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}

// TestIndexFindsWhatMayBeMeant: no rule possible under some server or name is left out, for any
// rest of the request.
func TestIndexFindsWhatMayBeMeant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		req := drawNamedScene(t)
		req.Rules = []engine.Rule{{Tool: drawName(t, true), Behavior: rapid.SampledFrom(behaviors).Draw(t, "behavior")}}
		req.Lists, req.Profile, req.Protected, req.Err = engine.Lists{}, nil, "", nil
		req.Entry.Tool, req.Entry.Err = &stub{verdict: passthrough}, nil
		none := req
		none.Rules = nil
		if len(engine.NewRuleList(req.Rules).For(req.About())) == 1 {
			return
		}
		with, without := engine.Decide(context.Background(), req), engine.Decide(context.Background(), none)
		if !reflect.DeepEqual(with, without) {
			t.Fatalf("rule %q for a call of %q is left out, and decides %+v in place of %+v", req.Rules[0].Tool, req.Call.Tool, with, without)
		}
	})
}

// TestIndexLeavesOutOtherTools: it is of use.
func TestIndexLeavesOutOtherTools(t *testing.T) {
	t.Parallel()
	var rules []engine.Rule
	for i := range 1000 {
		rules = append(rules, engine.Rule{Tool: fmt.Sprintf("mcp__s%d__get", i)}, engine.Rule{Tool: fmt.Sprintf("mcp__s%d__list_*", i)}, engine.Rule{Tool: fmt.Sprintf("Other%d", i)})
	}
	rules = append(rules, engine.Rule{Tool: "Bash"}, engine.Rule{Tool: "mcp__s7"}, engine.Rule{Tool: "mcp__s7*"}, engine.Rule{Tool: "mcp*"})
	list := engine.NewRuleList(rules)
	for _, tc := range []struct{ tool, want string }{
		{"Bash", "[Bash]"},
		{"bash", "[Bash]"},
		{"mcp__s7__get", "[mcp__s7__get mcp__s7 mcp__s7* mcp*]"},
		{"mcp__s70__list_all", "[mcp__s70__list_* mcp__s7* mcp*]"},
		{"Nothing", "[]"},
	} {
		req := engine.Request{Call: &engine.Call{Tool: tc.tool}, Entry: engine.Entry{Name: tc.tool}}
		if got := fmt.Sprint(list.For(req.About())); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.tool, got, tc.want)
		}
	}
}

// TestIndexForgets: removed rules are not found, remaining ones are.
func TestIndexForgets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var x engine.Index
		in := map[int]engine.Rule{}
		for n := range rapid.IntRange(0, 20).Draw(t, "changes") {
			if len(in) > 0 && rapid.Bool().Draw(t, "remove") {
				out := rapid.SampledFrom(sortedNumbers(in)).Draw(t, "number")
				r := in[out]
				x.Remove(out, &r)
				delete(in, out)
				continue
			}
			r := drawNamed(t)
			in[n] = r
			x.Add(n, &r)
		}
		var fresh engine.Index
		for _, n := range sortedNumbers(in) {
			r := in[n]
			fresh.Add(n, &r)
		}
		req := engine.Request{Call: &engine.Call{Tool: drawName(t, false)}, Entry: engine.Entry{Name: "Tool"}, Words: drawWords(t)}
		if got, want := x.Find(req.About()), fresh.Find(req.About()); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v of %v", got, want, in)
		}
	})
}

func sortedNumbers(m map[int]engine.Rule) []int {
	var out []int
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// TestEveryLetterIsFoundInAnyCase: a rule typed in another case is found, for every
// letter there is.
func TestEveryLetterIsFoundInAnyCase(t *testing.T) {
	t.Parallel()
	for r := rune(1); r <= unicode.MaxRune; r++ {
		name := string(r)
		for _, other := range []string{string(unicode.SimpleFold(r)), strings.ToLower(name), strings.ToUpper(name)} {
			if other == name || !strings.EqualFold(other, name) && strings.ToLower(other) != strings.ToLower(name) { //nolint:staticcheck // ToLower folds other letters than EqualFold
				continue
			}
			req := engine.Request{Call: &engine.Call{Tool: name}, Entry: engine.Entry{Name: name}}
			if len(engine.NewRuleList([]engine.Rule{{Tool: other}, {Tool: other + "*"}}).For(req.About())) != 2 {
				t.Errorf("%q (%U) is not found as %q (%U)", name, r, other, []rune(other))
			}
		}
	}
}
