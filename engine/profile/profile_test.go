package profile_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
)

func compiled(t testing.TB, p profile.Profile) *profile.Compiled {
	t.Helper()
	c, err := profile.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// gaveUp reports whether an answer is a denial for want of time, possible on a crowded machine.
func gaveUp(a engine.ProfileAnswer) bool {
	return a.Behavior == engine.Deny && strings.Contains(a.Note, ": gave up: ")
}

func preset(t testing.TB, name string) *profile.Compiled {
	t.Helper()
	p, err := profile.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return compiled(t, p)
}

// TestRecordedPython runs the recorded answers of Python 3.11, see testdata/cases.py.
func TestRecordedPython(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Pattern string
		Invalid bool
		Match   map[string]bool
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Pattern, func(t *testing.T) {
			t.Parallel()
			p, err := profile.Compile(profile.Profile{Allow: []string{c.Pattern}})
			if (err != nil) != c.Invalid {
				t.Fatalf("got error %v, Python refuses it: %t", err, c.Invalid)
			}
			for text, want := range c.Match {
				if a := p.Decide([]string{text}); (a.Behavior == engine.Allow) != want && !gaveUp(a) {
					t.Errorf("%q: got %s, Python matches: %t (%s)", text, a.Behavior, want, a.Note)
				}
			}
		})
	}
}

// TestPresets has the examples of Chorus, and the line feeds promised in its words and denied
// by Python's dot.
func TestPresets(t *testing.T) {
	t.Parallel()
	cases := map[string][3]engine.Behavior{ // open, standard, locked
		"tool:create_file:src/main.py":              {engine.Allow, engine.Allow, engine.Deny},
		"tool:view:README.md":                       {engine.Allow, engine.Allow, engine.Allow},
		"tool:view:a\nb":                            {engine.Allow, engine.Allow, engine.Allow},
		"tool:bash:npm install":                     {engine.Allow, engine.Ask, engine.Deny},
		"tool:bash:a\nb":                            {engine.Allow, engine.Ask, engine.Deny},
		"tool:git:init":                             {engine.Allow, engine.Allow, engine.Deny},
		"tool:git:commit":                           {engine.Allow, engine.Allow, engine.Deny},
		"tool:git:commit x":                         {engine.Allow, engine.Deny, engine.Deny},
		"tool:git:branch feature/x":                 {engine.Allow, engine.Allow, engine.Deny},
		"tool:git:push origin main":                 {engine.Allow, engine.Ask, engine.Deny},
		"tool:git:merge_request main":               {engine.Allow, engine.Ask, engine.Deny},
		"tool:self_edit:permissions:open":           {engine.Allow, engine.Ask, engine.Deny},
		"tool:unknown:x":                            {engine.Allow, engine.Deny, engine.Deny},
		"bash:ls":                                   {engine.Deny, engine.Deny, engine.Deny},
		"":                                          {engine.Deny, engine.Deny, engine.Deny},
		"tool:bash:" + strings.Repeat("x", 100_000): {engine.Allow, engine.Ask, engine.Deny},
	}
	for i, name := range []string{"open", "standard", "locked"} {
		c := preset(t, name)
		for action, want := range cases {
			if got := c.Decide([]string{action}); got.Behavior != want[i] || got.Name != name || got.Action != action {
				t.Errorf("%s on %.40q: got %+v, want %s", name, action, got.Behavior, want[i])
			}
		}
	}
	if _, err := profile.Preset("Open"); err == nil || !strings.Contains(err.Error(), "want one of open, standard, locked, or") {
		t.Errorf("preset Open: got %v, want an error that lists the names", err)
	}
}

func TestAllowBeatsAskBeatsDeny(t *testing.T) {
	t.Parallel()
	c := compiled(t, profile.Profile{
		Allow: []string{"tool:a:.*", "tool:all:.*"}, Ask: []string{"tool:a:.*", "tool:b:.*"}, Deny: []string{"tool:all:no"},
	})
	for action, want := range map[string]engine.ProfileAnswer{
		"tool:a:x":    {Behavior: engine.Allow, Pattern: "tool:a:.*"},
		"tool:b:x":    {Behavior: engine.Ask, Pattern: "tool:b:.*"},
		"tool:c:x":    {Behavior: engine.Deny},
		"tool:all:x":  {Behavior: engine.Allow, Pattern: "tool:all:.*"},
		"tool:all:no": {Behavior: engine.Deny, Pattern: "tool:all:no"},
	} {
		want.Name, want.Action = "custom", action
		if got := c.Decide([]string{action}); got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

// TestStrictestOverActions: each command of a compound line is judged, and the
// strictest answer counts.
func TestStrictestOverActions(t *testing.T) {
	t.Parallel()
	c := compiled(t, profile.Profile{Allow: []string{"tool:bash:npm .*"}, Ask: []string{"tool:bash:git .*"}})
	cases := []struct {
		actions []string
		want    engine.Behavior
		action  string
	}{
		{[]string{"tool:bash:npm test"}, engine.Allow, "tool:bash:npm test"},
		{[]string{"tool:bash:npm test", "tool:bash:npm ci"}, engine.Allow, "tool:bash:npm test"},
		{[]string{"tool:bash:npm test", "tool:bash:git push"}, engine.Ask, "tool:bash:git push"},
		{[]string{"tool:bash:git push", "tool:bash:rm x", "tool:bash:npm ci"}, engine.Deny, "tool:bash:rm x"},
		{nil, engine.Deny, ""},
	}
	for _, c2 := range cases {
		if got := c.Decide(c2.actions); got.Behavior != c2.want || got.Action != c2.action {
			t.Errorf("%q: got %s by %q, want %s by %q", c2.actions, got.Behavior, got.Action, c2.want, c2.action)
		}
	}
}

// TestT04_ProfileAllowOnShellText: a pattern for one program does not allow a line with another
// one too, analysed or not.
func TestT04_ProfileAllowOnShellText(t *testing.T) {
	t.Parallel()
	c := compiled(t, profile.Profile{Allow: []string{"tool:bash:npm .*"}})
	if got := c.Decide([]string{"tool:bash:npm i", "tool:bash:curl x", "tool:bash:sh"}); got.Behavior != engine.Deny {
		t.Errorf("npm i; curl x | sh: got %s, want deny", got.Behavior)
	}
	if got := c.DecideUnanalysed([]string{"tool:bash:npm $(curl x | sh)"}); got.Behavior != engine.Deny {
		t.Errorf("a line that cannot be analysed: got %s, want deny", got.Behavior)
	}
}

func TestUnanalysedNeedsAPatternForEverything(t *testing.T) {
	t.Parallel()
	line := []string{"tool:bash:eval $x"}
	for _, c := range []struct {
		p    profile.Profile
		want engine.Behavior
	}{
		{profile.Profile{Allow: []string{"tool:.*"}}, engine.Allow},
		{profile.Profile{Allow: []string{"tool:bash:.*"}}, engine.Allow},
		{profile.Profile{Allow: []string{".*"}}, engine.Deny},
		{profile.Profile{Allow: []string{"tool:bash:eval.*"}}, engine.Deny},
		{profile.Profile{Allow: []string{"tool:bash:e.*"}, Ask: []string{"tool:bash:eval .*"}}, engine.Ask},
	} {
		if got := compiled(t, c.p).DecideUnanalysed(line).Behavior; got != c.want {
			t.Errorf("%+v: got %s, want %s", c.p, got, c.want)
		}
	}
	view := []string{"tool:view:"}
	for text, want := range map[string]engine.Behavior{
		"tool:view:.*": engine.Allow, "(?s)tool:view:.*": engine.Allow, "tool:.*": engine.Allow, "tool:bash:.*": engine.Deny,
		".*": engine.Deny, "tool:v.*": engine.Deny, "tool:view:": engine.Deny, "tool:vie.:.*": engine.Deny, "(?:tool:view:.*)": engine.Deny, "tool::.*": engine.Deny,
	} {
		if got := compiled(t, profile.Profile{Allow: []string{text}}).DecideUnanalysed(view).Behavior; got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for name, want := range map[string]engine.Behavior{"open": engine.Allow, "standard": engine.Ask, "locked": engine.Deny} {
		if got := preset(t, name).DecideUnanalysed(line).Behavior; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestErrorsNameThePlace: list, pattern, position and cure.
func TestErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	cases := []struct {
		p    profile.Profile
		says string
	}{
		{profile.Profile{Name: "ci", Allow: []string{"a", "tool:bash:("}}, `profile ci: allow[1]: pattern "tool:bash:(": position 10: missing ), unterminated subpattern: close the group, or write \( for the character`},
		{profile.Profile{Ask: []string{"*"}}, `profile custom: ask[0]: pattern "*": position 0: nothing to repeat: write \* for the character`},
		{profile.Profile{Deny: []string{`a\`}}, `profile custom: deny[0]: pattern "a\\": position 1: bad escape (end of pattern): write \\ for a backslash`},
		{profile.Profile{Allow: []string{`é(?<=a+)b`}}, "position 1: look-behind requires fixed-width pattern"},
		{profile.Profile{Allow: []string{`a{99999999}`}}, "a repeat of more than 16777216: no action is as long: use * or +"},
		{profile.Profile{Allow: []string{strings.Repeat("(", 300)}}, "more than 250 groups inside each other"},
		{profile.Profile{Allow: []string{strings.Repeat("a", 20000)}}, "20000 bytes: at most 16384"},
		{profile.Profile{Allow: make([]string, 1001)}, "1001 patterns: at most 1000"},
	}
	for _, c := range cases {
		_, err := profile.Compile(c.p)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got  %v\nwant %s", err, c.says)
		}
	}
}

// seeds are patterns and an action each for fuzzers.
func seeds(add func(pattern, action string)) {
	for _, s := range []string{
		"tool:.*", `(a+)+\1`, "(?P<n>a)(?P=n)", "(?i)[^k-z]{2,3}+", "(?<!a)b|(?=c)", `\N{EM DASH}`, "(?x)a #b\n", "(?(1)a|b)(c)", `(?i)(İ)\1`, `(?ai)(é|K)\1`, `((?:a|)+)*?\1`,
		`(?>a+)?a`, `(?:a{2,3})++`, `(?<=(?:(a)|b){2})\1`, `\b\B(?a:\b)`, `(?m)^$\Z`, `(?(x)a)`, "(?P<x>a)(?(x)b|c)", `[\w-z]`, `\400`, `(?t)a`, "(?u)(?a:\\w)",
	} {
		add(s, "tool:bash:aab")
	}
}

// FuzzTranslation: a pattern and its translation match alike, and none fails in another way
// than by giving up.
func FuzzTranslation(f *testing.F) {
	seeds(func(pattern, action string) { f.Add(pattern, action) })
	f.Fuzz(func(t *testing.T, pattern, action string) {
		c, err := profile.Compile(profile.Profile{Allow: []string{pattern}})
		match, refused := profile.Translated(pattern)
		if err != nil || refused != nil {
			if refused != nil && !strings.Contains(refused.Error(), "position ") {
				t.Errorf("%q: %v, without a place", pattern, refused)
			}
			return
		}
		a := c.Decide([]string{action})
		got, err := match(action)
		switch {
		case err != nil && got:
			t.Errorf("%q on %q: a match and %v", pattern, action, err)
		case err != nil && strings.Contains(err.Error(), "regexp2"):
			t.Errorf("%q on %q: %v", pattern, action, err)
		case err == nil && a.Note == "" && got != (a.Behavior == engine.Allow):
			t.Errorf("%q on %q: %s, translated %t", pattern, action, a.Behavior, got)
		}
	})
}

func FuzzCompile(f *testing.F) {
	seeds(func(pattern, action string) { f.Add(pattern, action) })
	f.Fuzz(func(t *testing.T, pattern, action string) {
		p := profile.Profile{Allow: []string{pattern}}
		c, err := profile.Compile(p)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "profile custom: allow[0]: pattern ") {
				t.Errorf("error without its place: %v", err)
			}
			return
		}
		a, again := c.Decide([]string{action}), c.Decide([]string{action})
		if a != again && !gaveUp(a) && !gaveUp(again) {
			t.Errorf("%q on %q: %+v, then %+v", pattern, action, a, again)
		}
		if a.Behavior == engine.Ask || a.Behavior == engine.Passthrough {
			t.Errorf("an allow pattern answered %s", a.Behavior)
		}
		detail, isBash := strings.CutPrefix(action, "tool:bash:")
		if isBash && a.Behavior == engine.Allow && !c.Offered("bash") {
			t.Errorf("%q: bash is not offered, but %q is allowed", pattern, detail)
		}
	})
}
