package profile_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
)

func TestOffered(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		p    profile.Profile
		tool string
		want bool
	}{
		{"nothing listed", profile.Profile{}, "bash", false},
		{"everything", profile.Profile{Allow: []string{"tool:.*"}}, "bash", true},
		{"asked about", profile.Profile{Ask: []string{"tool:bash:npm .*"}}, "Bash", true},
		{"other tool", profile.Profile{Allow: []string{"tool:view:.*"}}, "Bash", false},
		{"agent's name of view", profile.Profile{Allow: []string{"tool:view:.*"}}, "Read", true},
		{"one detail is enough", profile.Profile{Allow: []string{`tool:create_file:src/main\.py`}}, "Write", true},
		{"longer name", profile.Profile{Allow: []string{"tool:bashful:.*", "tools:bash:.*", "tool:bas"}}, "bash", false},
		{"case", profile.Profile{Allow: []string{"(?i)TOOL:BASH:.*"}}, "bash", true},
		{"look-ahead excludes the tool", profile.Profile{Allow: []string{"tool:(?!bash:).*"}}, "bash", false},
		{"look-ahead excludes some details", profile.Profile{Allow: []string{"tool:bash:(?!.*sudo).*"}}, "bash", true},
		{"look-ahead for another tool", profile.Profile{Allow: []string{"(?=tool:view:).*"}}, "bash", false},
		{"look-behind inside what is known", profile.Profile{Allow: []string{"tool:bash(?<!bash):.*"}}, "bash", false},
		{"never", profile.Profile{Allow: []string{"tool:bash:(?!)"}}, "bash", false},
		{"nothing before the start", profile.Profile{Allow: []string{"tool:bash:(?<=a{20})x"}}, "bash", false},
		{"word boundary inside what is known", profile.Profile{Allow: []string{`tool\B:bash:.*`}}, "bash", false},
		{"end inside what is known", profile.Profile{Allow: []string{"tool:bash$:.*"}}, "bash", false},
		{"start again", profile.Profile{Allow: []string{"tool:^bash:.*"}}, "bash", false},
		{"too clever to tell", profile.Profile{Allow: []string{`tool:bash:(a)\1(?<=b)`}}, "bash", true},
		{"clever, but for another tool", profile.Profile{Allow: []string{`tool:view:(a)\1(?>b)(?(1)c|d)`}}, "bash", false},
		{"clever inside a look-ahead", profile.Profile{Allow: []string{`tool:(?!(b)ash\1?)bash:.*`}}, "bash", true},
		{"too large to tell", profile.Profile{Allow: []string{"tool:view:(?:a{1000}){1000}"}}, "bash", true},
		{"denied altogether", profile.Profile{Allow: []string{"tool:.*"}, Deny: []string{"tool:bash:.*"}}, "bash", false},
		{"denied but for line feeds", profile.Profile{Allow: []string{"(?s)tool:.*"}, Deny: []string{"tool:bash:.*"}}, "bash", true},
		{"denied but for one", profile.Profile{Allow: []string{"tool:.*"}, Deny: []string{"tool:bash:(?:[^l].*|l[^s].*|ls.+)?"}}, "bash", true},
		{"denied for certain only where it looks", profile.Profile{Allow: []string{"tool:.*"}, Deny: []string{"tool:bash:(?!ls$).*"}}, "bash", true},
		{"denial too clever to count on", profile.Profile{Allow: []string{"tool:.*"}, Deny: []string{`tool:bash:(.)?(?:\1|.)*`}}, "bash", true},
		{"exact action", profile.Profile{Allow: []string{"tool:git:commit .+"}}, "git_commit", false},
		{"exact action allowed", profile.Profile{Allow: []string{"tool:git:(init|commit)"}}, "git_commit", true},
		{"push needs its arguments", profile.Profile{Allow: []string{"tool:git:push"}}, "git_push", false},
		{"unknown tool", profile.Profile{Allow: []string{"tool:DeployTool:.*"}}, "DeployTool", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := compiled(t, c.p).Offered(c.tool); got != c.want {
				t.Errorf("Offered(%s) of %+v = %t, want %t", c.tool, c.p, got, c.want)
			}
		})
	}
}

// TestNotOfferedMeansDenied: of many actions tried, a hidden tool has none that would not be
// denied.
func TestNotOfferedMeansDenied(t *testing.T) {
	t.Parallel()
	g := newGenerator(3)
	all, hidden := rounds(1500), 0
	for range all {
		p := profile.Profile{Allow: []string{g.actionPattern(), g.actionPattern()}, Ask: []string{g.actionPattern()}}
		if g.IntN(3) == 0 {
			p.Deny = []string{g.actionPattern()}
		}
		c, err := profile.Compile(p)
		if err != nil || c.Offered("ab") {
			continue
		}
		hidden++
		for range 40 {
			action := "tool:ab:" + g.detail()
			if a := c.Decide([]string{action}); a.Behavior != engine.Deny {
				t.Fatalf("%+v: ab is not offered, but %q is %s by %s", p, action, a.Behavior, a.Pattern)
			}
		}
	}
	if hidden < all/40 {
		t.Errorf("only %d of %d profiles hide the tool: the test proves little", hidden, all)
	}
}

// shortPattern writes a pattern without look-around or memory, with matches of at most four
// characters after its beginning.
func (g *generator) shortPattern() string {
	atom := func() string {
		return pickOne(g, []string{"a", "b", ".", "[ab]", "[^a]", "", "(?:a|b)", "(?:aa|b)", "\\n", "x?", "a?"})
	}
	parts := make([]string, 1+g.IntN(2))
	for i := range parts {
		parts[i] = atom() + atom()
	}
	return pickOne(g, []string{"tool:ab:", "tool:ab:", "tool:a[b]:", "tool:.b:", "(?i:TOOL:A)b:", "tool:ab", "tool:xy:", "(?s)tool:ab:"}) + "(?:" + strings.Join(parts, "|") + ")"
}

// TestOfferedExactly: where patterns are regular and short, a tool is offered
// exactly when some action of it is not denied.
func TestOfferedExactly(t *testing.T) {
	t.Parallel()
	g := newGenerator(5)
	var actions []string
	var grow func(text string)
	grow = func(text string) {
		actions = append(actions, "tool:ab:"+text)
		if len(text) < 4 {
			for _, c := range []string{"a", "b", "x", "z", "\n"} {
				grow(text + c)
			}
		}
	}
	grow("")
	var offered, hidden int
	all := rounds(1500)
	for range all {
		p := profile.Profile{Allow: []string{g.shortPattern()}, Ask: []string{g.shortPattern()}}
		for range g.IntN(4) {
			p.Deny = append(p.Deny, g.shortPattern(), "tool:ab:"+pickOne(g, []string{"", "a", "b", "[^a]", ".", "..", "[ab]+", "(?s:.+)"}))
		}
		c := compiled(t, p)
		want := false
		for _, action := range actions {
			if want = c.Decide([]string{action}).Behavior != engine.Deny; want {
				break
			}
		}
		if got := c.Offered("ab"); got != want {
			t.Errorf("%+v: offered %t, some action is not denied: %t", p, got, want)
		}
		if want {
			offered++
		} else {
			hidden++
		}
	}
	if offered < all/8 || hidden < all/8 {
		t.Errorf("%d offered, %d hidden: the profiles prove little", offered, hidden)
	}
}

// TestOffersShapes: a tool with several beginnings of actions is offered when one of them may
// pass.
func TestOffersShapes(t *testing.T) {
	t.Parallel()
	c := compiled(t, profile.Profile{Allow: []string{"tool:git:push .*", "tool:mcp__wiki__read:.*"}})
	for _, tc := range []struct {
		shapes []profile.Shape
		want   bool
	}{
		{nil, false},
		{[]profile.Shape{{Text: "tool:git:init", Exact: true}}, false},
		{[]profile.Shape{{Text: "tool:git:init", Exact: true}, {Text: "tool:git:push "}}, true},
		{[]profile.Shape{profile.ShapeOf("mcp__wiki__read")}, true},
		{[]profile.Shape{profile.ShapeOf("mcp__wiki__write")}, false},
		{[]profile.Shape{{Text: "tool:mcp__wiki__"}}, true},
		{[]profile.Shape{{}}, true},
	} {
		if got := c.Offers(tc.shapes...); got != tc.want {
			t.Errorf("%+v: got %t, want %t", tc.shapes, got, tc.want)
		}
	}
}
