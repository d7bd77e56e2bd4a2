package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
)

// effectTool passes on, or answers read-only.
type effectTool struct{ readOnly bool }

func (effectTool) CheckPermissions(context.Context, *engine.Call) (engine.Verdict, error) {
	return engine.Verdict{Behavior: engine.Passthrough}, nil
}

func (t effectTool) CheckReadOnly(context.Context, *engine.Call) (engine.ReadOnly, error) {
	return engine.ReadOnly{ReadOnly: t.readOnly}, nil
}

func (effectTool) MatchRule(context.Context, *engine.Call, engine.Behavior, []engine.RuleText) ([]int, error) {
	return nil, nil
}

func (effectTool) GenerateSuggestions(context.Context, *engine.Call) ([]engine.SuggestedRule, error) {
	return nil, nil
}

func effectRequest(mode engine.Mode, effects []engine.Effect, rules ...engine.Rule) engine.Request {
	return engine.Request{
		Call:  &engine.Call{Tool: "Bash", Input: []byte(`{}`), Context: engine.Context{Mode: mode, CWD: "/p/sub", ProjectRoot: "/p", Home: "/home/dev", Approver: "attached"}},
		Entry: engine.Entry{Name: "Bash", Tool: effectTool{}, MayReadOnly: true}, Effects: effects, Rules: rules,
	}
}

func effectRule(t testing.TB, b engine.Behavior, text string) engine.Rule {
	t.Helper()
	r, err := engine.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	r.Behavior = b
	return r
}

func TestEffectRules(t *testing.T) {
	t.Parallel()
	push := engine.Effect{Kind: engine.Publishes, Value: "origin main", Certain: true}
	maybe := push
	maybe.Certain = false
	unread := engine.Effect{Kind: engine.Runs, Value: engine.Unreadable, Certain: true}
	send := engine.Effect{Kind: engine.Reaches, Value: "API.example", How: "send", Certain: true}
	tree := engine.Effect{Kind: engine.Deletes, Value: "build", How: "tree", Resolved: "/p/sub/build", Certain: true}
	key := engine.Effect{Kind: engine.Secret, Value: "~/.ssh/id", Resolved: "/home/dev/.ssh/id", Certain: true}
	for _, c := range []struct {
		name    string
		rule    string
		b       engine.Behavior
		effects []engine.Effect
		want    engine.Behavior // in mode bypass, where only rules ask and deny
	}{
		{"a certain effect is denied", "effect:publishes", engine.Deny, []engine.Effect{push}, engine.Deny},
		{"and asked about", "effect:publishes", engine.Ask, []engine.Effect{push}, engine.Ask},
		{"in any case", "Effect:Publishes", engine.Deny, []engine.Effect{push}, engine.Deny},
		{"a possible one is asked about", "effect:publishes", engine.Deny, []engine.Effect{maybe}, engine.Ask},
		{"and asked about by an ask rule", "effect:publishes", engine.Ask, []engine.Effect{maybe}, engine.Ask},
		{"code that is not known may do it", "effect:publishes", engine.Deny, []engine.Effect{unread}, engine.Ask},
		{"and is itself certain", "effect:runs", engine.Deny, []engine.Effect{unread}, engine.Deny},
		{"another effect", "effect:installs", engine.Deny, []engine.Effect{push}, engine.Allow},
		{"no effect", "effect:publishes", engine.Deny, []engine.Effect{}, engine.Allow},
		{"a value", "effect:reaches(api.example)", engine.Deny, []engine.Effect{send}, engine.Deny},
		{"another value", "effect:reaches(example)", engine.Deny, []engine.Effect{send}, engine.Allow},
		{"a star", "effect:reaches(*.example)", engine.Deny, []engine.Effect{send}, engine.Deny},
		{"the star means all", "effect:reaches(*)", engine.Deny, []engine.Effect{send}, engine.Deny},
		{"a path as written", "effect:deletes(build)", engine.Deny, []engine.Effect{tree}, engine.Deny},
		{"a path from the root of the project", "effect:deletes(sub/build)", engine.Deny, []engine.Effect{tree}, engine.Deny},
		{"a path as resolved", "effect:deletes(/p/sub/build)", engine.Deny, []engine.Effect{tree}, engine.Deny},
		{"below a tree", "effect:deletes(build/x)", engine.Deny, []engine.Effect{tree}, engine.Ask},
		{"beside a tree", "effect:deletes(builds/x)", engine.Deny, []engine.Effect{tree}, engine.Allow},
		{"from home", "effect:secret(~/.ssh/*)", engine.Deny, []engine.Effect{key}, engine.Deny},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := effectRule(t, c.b, c.rule)
			d := engine.Decide(t.Context(), effectRequest(engine.Bypass, c.effects, r))
			if d.Behavior != c.want {
				t.Fatalf("got %+v, want %s", d, c.want)
			}
			if c.want != engine.Allow && (d.Rule == nil || d.Rule.String() != r.String() || !strings.Contains(d.Reason, ": the call ")) {
				t.Errorf("got rule %v, reason %q; want the rule and the effect in words", d.Rule, d.Reason)
			}
		})
	}
}

// A module that says no effects is believed about targets alone: what it cannot say is
// asked about.
func TestEffectRulesUnsaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule    string
		unknown bool
		err     error
		want    engine.Behavior
	}{
		{"effect:publishes", false, nil, engine.Ask},
		{"effect:deletes", false, nil, engine.Ask},
		{"effect:secret", false, nil, engine.Allow},
		{"effect:reaches(x.example)", false, nil, engine.Allow},
		{"effect:secret", true, nil, engine.Ask},
		{"effect:secret", false, errors.New("slow"), engine.Ask},
	} {
		req := effectRequest(engine.Bypass, nil, effectRule(t, engine.Deny, c.rule))
		req.EffectsUnsaid, req.Err, req.Call.Context.TargetsUnknown = true, c.err, c.unknown
		if d := engine.Decide(t.Context(), req); d.Behavior != c.want {
			t.Errorf("%s: got %s (%s), want %s", c.rule, d.Behavior, d.Reason, c.want)
		}
	}
}

func TestParseEffectRule(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"effect:", "effect:nothing", "effect:*", "EFFECT:x(y)"} {
		if r, err := engine.ParseRule(bad); err == nil {
			t.Errorf("%s: got %v, want an error", bad, r)
		}
	}
	r := effectRule(t, engine.Allow, "effect:publishes")
	if r.CheckEffect() == nil {
		t.Error("an effect may allow")
	}
	r.Behavior, r.Match = engine.Deny, []string{"git push"}
	if r.CheckEffect() == nil {
		t.Error("a rule about an effect has examples")
	}
	// A tool of such a name is not what the rule is about.
	req := effectRequest(engine.Bypass, []engine.Effect{}, effectRule(t, engine.Deny, "effect:publishes"))
	req.Call.Tool, req.Entry.Name = "effect:publishes", "effect:publishes"
	if d := engine.Decide(t.Context(), req); d.Behavior != engine.Allow {
		t.Errorf("got %+v", d)
	}
}

// An ask rule about an effect takes the place of no denial. In explore, it once asked
// about what is denied without it.
func TestEffectRuleDoesNotLoosenExplore(t *testing.T) {
	t.Parallel()
	effects := []engine.Effect{{Kind: engine.Publishes, Value: "a", Certain: true}}
	for _, rules := range [][]engine.Rule{nil, {effectRule(t, engine.Ask, "effect:publishes")}} {
		req := effectRequest(engine.Explore, effects, rules...)
		req.Entry.Tool = effectTool{}
		if d := engine.Decide(t.Context(), req); d.Behavior != engine.Deny {
			t.Errorf("%v: got %s (%s), want deny", rules, d.Behavior, d.Reason)
		}
	}
}

func drawEffects(t *rapid.T) []engine.Effect {
	kind := rapid.SampledFrom(engine.EffectKinds)
	value := rapid.SampledFrom([]string{"a", "build", "x.example", engine.Unreadable, engine.Environment, "/p/a", "*.o"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) engine.Effect {
		return engine.Effect{
			Kind: kind.Draw(t, "kind"), Value: value.Draw(t, "value"), Certain: rapid.Bool().Draw(t, "certain"),
			How: rapid.SampledFrom([]string{"", "tree", "send", "force"}).Draw(t, "how"), Recoverable: rapid.SampledFrom([]engine.Recoverable{"", engine.RecoverableYes, engine.RecoverableNo}).Draw(t, "recoverable"),
		}
	}), 0, 5).Draw(t, "effects")
}

// An effect never loosens: whatever a call's effects are, and whatever rules about
// effects there are, also ones that would allow, the decision is no looser than without
// any. Without such rules, effects change nothing.
func TestEffectsNeverLoosen(t *testing.T) {
	t.Parallel()
	whole := engine.Rule{Tool: "Bash"}
	rapid.Check(t, func(t *rapid.T) {
		var others, all []engine.Rule
		for _, b := range rapid.SliceOfN(rapid.SampledFrom([]engine.Behavior{engine.Allow, engine.Ask, engine.Deny}), 0, 2).Draw(t, "rules") {
			r := whole
			r.Behavior, r.OnlyTightens = b, b != engine.Allow && rapid.Bool().Draw(t, "tightens")
			others = append(others, r)
		}
		all = slices.Clone(others)
		for range rapid.IntRange(0, 3).Draw(t, "effect rules") {
			r := engine.Rule{
				Tool:     "effect:" + string(rapid.SampledFrom(engine.EffectKinds).Draw(t, "kind")),
				Behavior: rapid.SampledFrom([]engine.Behavior{engine.Allow, engine.Ask, engine.Deny}).Draw(t, "behavior"), OnlyTightens: rapid.Bool().Draw(t, "only"),
			}
			if rapid.Bool().Draw(t, "pattern") {
				content := rapid.SampledFrom([]string{"a", "*", "*.example", "build/x", "[", `\`}).Draw(t, "content")
				r.Content = &content
			}
			all = append(all, r)
		}
		mode := rapid.SampledFrom([]engine.Mode{engine.DefaultMode, engine.AcceptEdits, engine.Explore, engine.Bypass, engine.DontAsk, engine.Trusted}).Draw(t, "mode")
		readOnly := rapid.Bool().Draw(t, "read only")
		decide := func(effects []engine.Effect, rules []engine.Rule) engine.Decision {
			req := effectRequest(mode, effects, rules...)
			req.Entry.Tool, req.EffectsUnsaid = effectTool{readOnly}, effects == nil
			return engine.Decide(context.Background(), req)
		}
		effects := drawEffects(t)
		if rapid.Bool().Draw(t, "unsaid") {
			effects = nil
		}
		bare, ruled, told := decide([]engine.Effect{}, others), decide(effects, all), decide(effects, others)
		if ruled.Behavior > bare.Behavior {
			t.Fatalf("%s with effects, %s without", ruled.Behavior, bare.Behavior)
		}
		if told.Behavior != bare.Behavior || told.Reason != bare.Reason {
			t.Fatalf("without a rule about effects: got %+v, want %+v", told, bare)
		}
	})
}
