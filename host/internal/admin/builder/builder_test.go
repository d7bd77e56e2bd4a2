package builder_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/builder"
	"github.com/callgate/callgate/host/wire"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		contents []string
		want     []builder.Kind
	}{
		{nil, []builder.Kind{builder.Whole}},
		{[]string{"npm run:*", "npm test"}, []builder.Kind{builder.Whole, builder.Exact, builder.Prefix}},
		{[]string{"src/**/*.ts", "*.json"}, []builder.Kind{builder.Whole, builder.Glob}},
		{[]string{"github.com", "*.npmjs.com"}, []builder.Kind{builder.Whole, builder.Domain}},
		{[]string{`{"a":1}`, "target:staging-*"}, []builder.Kind{builder.Whole, builder.Member}},
		{[]string{"TODO", "path:src/**"}, []builder.Kind{builder.Whole, builder.Exact, builder.Glob}},
	} {
		info := wire.Tool{Name: "X"}
		for _, content := range c.contents {
			info.RuleExamples = append(info.RuleExamples, wire.RuleExample{Content: content})
		}
		if got := builder.Kinds(info); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.contents, got, c.want)
		}
		for _, k := range c.want {
			if k.Label() == "" {
				t.Errorf("%s has no label", k)
			}
		}
	}
}

func TestRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind             builder.Kind
		text, want, says string
	}{
		{builder.Whole, "x", "Bash", ""},
		{builder.Exact, " npm test ", "Bash(npm test)", ""},
		{builder.Prefix, "git commit", "Bash(git commit:*)", ""},
		{builder.Prefix, "git commit:*", "Bash(git commit:*)", ""},
		{builder.Prefix, "git commit *", "Bash(git commit:*)", ""},
		{builder.Glob, "src/**/*.ts", "Bash(src/**/*.ts)", ""},
		{builder.Domain, "*.npmjs.com", "Bash(*.npmjs.com)", ""},
		{builder.Member, "target:staging-*", "Bash(target:staging-*)", ""},
		{builder.Exact, "", "", "type a pattern"},
		{builder.Exact, "npm *", "", "no exact text"},
		{builder.Glob, "*", "", "the whole tool"},
		{builder.Prefix, ":*", "", "words that it begins with"},
		{builder.Prefix, "a*b", "", "words that it begins with"},
		{builder.Domain, "https://github.com/", "", "the host alone"},
		{builder.Exact, "a\nb", "", "one line"},
	} {
		got, err := builder.Rule("Bash", c.kind, c.text)
		if got != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q: got %q, %v; want %q, %q", c.kind, c.text, got, err, c.want, c.says)
		}
	}
}

func TestDangers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule     string
		behavior engine.Behavior
		scope    engine.Scope
		want     []string
	}{
		{"Bash", engine.Deny, engine.Global, nil},
		{"Bash", engine.Allow, engine.Agent, []string{"every call of Bash"}},
		{"mcp__*", engine.Allow, engine.Agent, []string{"every tool whose name", "every call"}},
		{"Bash(npm:*)", engine.Allow, engine.Agent, []string{"begins with npm"}},
		{"Bash(npm run:*)", engine.Allow, engine.Agent, nil},
		{"Read(**)", engine.Allow, engine.Global, []string{"nearly everything", "every agent"}},
		{"Read(src/**)", engine.Allow, engine.Project, []string{"crosses directories"}},
	} {
		r, err := engine.ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		r.Behavior, r.Scope = c.behavior, c.scope
		got := builder.Dangers(r)
		if len(got) != len(c.want) {
			t.Errorf("%s: got %q, want %q", c.rule, got, c.want)
			continue
		}
		for i, w := range c.want {
			if !strings.Contains(got[i], w) {
				t.Errorf("%s: got %q, want %q", c.rule, got, c.want)
			}
		}
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	calls := []builder.Call{{Text: "a"}, {Text: "ab"}, {Text: "abc"}, {Text: "abcd"}, {Text: "x"}, {Text: "secret", Masked: true}}
	got := builder.Report(calls, func(c builder.Call) (bool, bool, error) {
		if c.Masked {
			t.Errorf("%s was tried", c.Text)
		}
		return c.Text == "a", strings.HasPrefix(c.Text, "a"), nil
	})
	if want := "of your last 5 calls it would allow 1 (a); as deny or ask it would hit 4 (a, ab, abc, ...); 1 more hold masked secrets and cannot be tried"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := builder.Report(nil, nil); !strings.Contains(got, "no calls of this tool yet") {
		t.Errorf("without calls: got %q", got)
	}
	if got := builder.Report(calls, func(builder.Call) (bool, bool, error) { return false, false, errors.New("no") }); got != "not a pattern yet: no" {
		t.Errorf("an error: got %q", got)
	}
}
