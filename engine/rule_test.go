package engine_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
)

func TestParseRule(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text, tool string
		content    *string // nil: the whole tool
	}{
		{"Bash", "Bash", nil},
		{"Bash(*)", "Bash", nil},
		{"Bash()", "Bash", nil},
		{"Bash(npm run:*)", "Bash", content("npm run:*")},
		{"Bash(echo (a) (b))", "Bash", content("echo (a) (b)")},
		{"Bash())", "Bash", content(")")},
		{"Grep(TODO|FIXME)", "Grep", content("TODO|FIXME")},
		{"mcp__github__*", "mcp__github__*", nil},
		{"Bash( ls)", "Bash", content(" ls")},
		{"Bash(a\nb)", "Bash", content("a\nb")},
		{"Überwerkzeug(ä)", "Überwerkzeug", content("ä")},
	}
	for _, c := range cases {
		r, err := engine.ParseRule(c.text)
		if err != nil {
			t.Errorf("ParseRule(%q): %v", c.text, err)
			continue
		}
		if r.Tool != c.tool || r.WholeTool() != (c.content == nil) || (c.content != nil && *r.Content != *c.content) || r.Behavior != engine.Deny {
			t.Errorf("ParseRule(%q) = %+v, want tool %q, content %v, deny", c.text, r, c.tool, c.content)
		}
	}
	for _, text := range []string{"", "(x)", " Bash", "Bash ", "Bash (x)", "Ba sh(x)", "Bash(x", "Bash(x) ", "Bash)x", "Bashnpm)", "Ba\x00sh", "Ba\tsh", "\n", "Bash,Read", "{Bash,Read}", "[B]ash", "Bash|Read", "Bash;", "\"Bash\"", "Ba\u200bsh", "\u202eBash"} {
		if r, err := engine.ParseRule(text); err == nil {
			t.Errorf("ParseRule(%q) = %+v, want an error", text, r)
		}
	}
}

func TestWholeTool(t *testing.T) {
	t.Parallel()
	for _, r := range []engine.Rule{{Tool: "T"}, {Tool: "T", Content: content("")}, {Tool: "T", Content: content("*")}} {
		if !r.WholeTool() || r.String() != "T" {
			t.Errorf("%+v: whole %t, text %q; want the whole tool, text T", r, r.WholeTool(), r)
		}
	}
	if r := (engine.Rule{Tool: "T", Content: content("**")}); r.WholeTool() || r.String() != "T(**)" {
		t.Errorf("T(**): whole %t, text %q", r.WholeTool(), r)
	}
}

// FuzzParseRule: an accepted rule is written back as text with the same meaning.
func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"Bash", "Bash(npm run:*)", "Bash(*)", "Bash()", "(x)", "Bash(x", "a(b)(c)", "a(\x00)", "a((", "mcp__*__x(…)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := engine.ParseRule(text)
		if err != nil {
			if r.Tool != "" {
				t.Errorf("ParseRule(%q) returned %+v with an error", text, r)
			}
			return
		}
		again, err := engine.ParseRule(r.String())
		if err != nil {
			t.Fatalf("%q was accepted, its text %q is not: %v", text, r, err)
		}
		if again.Tool != r.Tool || again.WholeTool() != r.WholeTool() || (!r.WholeTool() && *again.Content != *r.Content) {
			t.Errorf("%q: %+v came back as %+v", text, r, again)
		}
	})
}

func TestMatchName(t *testing.T) {
	t.Parallel()
	cases := []struct {
		pattern, name string
		want          bool
	}{
		{"Bash", "Bash", true},
		{"Bash", "bash", false},
		{"Bash", "BashX", false},
		{"B*", "Bash", true},
		{"B?sh", "Bash", true},
		{"B?sh", "Bsh", false},
		{"mcp__github__*", "mcp__github__create_issue", true},
		{"mcp__github__*", "mcp__github", false},
		{"mcp__*__delete", "mcp__a/b__delete", true},
		{"a?b", "a/b", true},
		{"[a-z]*", "bash", false},
		{"[a]*", "[a]x", true},
		{`a\*`, `a\b`, true},
		{`a\*`, "a*", false},
		{"a*", "a*", true},
		{"", "Bash", false},
		{"*", "Bash", true},
	}
	for _, c := range cases {
		if got := engine.MatchName(c.pattern, c.name); got != c.want {
			t.Errorf("MatchName(%q, %q) = %t, want %t", c.pattern, c.name, got, c.want)
		}
	}
	if engine.MatchName("Bash") {
		t.Error("a pattern matched no name at all")
	}
	if !engine.MatchName("shell", "Bash", "shell") {
		t.Error("an alias was not matched")
	}
}

// FuzzMatchName compares with the plain reading of "*" and "?".
func FuzzMatchName(f *testing.F) {
	f.Add("mcp__*", "mcp__a__b")
	f.Add("a[b]?*", "a[b]cd")
	f.Add(`\*/?`, `\x/y`)
	f.Add("\xff*", "\xffa")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.Contains(name+pattern, "\x00") || !utf8.ValidString(name) || !utf8.ValidString(pattern) || len(pattern) > 200 {
			return // names reach the engine as valid text without NUL
		}
		text := regexp.QuoteMeta(pattern)
		text = strings.NewReplacer(`\*`, `(?s:.*)`, `\?`, `(?s:.)`).Replace(text)
		want := regexp.MustCompile(`\A` + text + `\z`).MatchString(name)
		if !strings.ContainsAny(pattern, "*?") {
			want = pattern == name
		}
		if got := engine.MatchName(pattern, name); got != want && pattern != name {
			t.Errorf("MatchName(%q, %q) = %t, want %t", pattern, name, got, want)
		}
	})
}
