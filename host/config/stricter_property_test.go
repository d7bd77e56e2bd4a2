package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/config"
)

// prefixTool matches a rule when the call's text begins with its content, and
// gives the opinion that the text names.
type prefixTool struct{}

func (prefixTool) text(c *engine.Call) string {
	var text string
	_ = json.Unmarshal(c.Input, &text) // the test's own inputs are texts
	return text
}

func (p prefixTool) CheckPermissions(_ context.Context, c *engine.Call) (engine.Verdict, error) {
	switch text := p.text(c); {
	case strings.Contains(text, "never"):
		return engine.Verdict{Behavior: engine.Deny}, nil
	case strings.Contains(text, "risky"):
		return engine.Verdict{Behavior: engine.Ask, BypassImmune: true}, nil
	case c.Context.Mode == engine.AcceptEdits && slices.ContainsFunc(c.Context.WorkingDirectories, func(d string) bool { return strings.Contains(text, d) }):
		return engine.Verdict{Behavior: engine.Allow}, nil
	}
	return engine.Verdict{Behavior: engine.Passthrough}, nil
}

func (p prefixTool) CheckReadOnly(_ context.Context, c *engine.Call) (engine.ReadOnly, error) {
	return engine.ReadOnly{ReadOnly: p.text(c) == "look"}, nil
}

func (p prefixTool) MatchRule(_ context.Context, c *engine.Call, _ engine.Behavior, rules []engine.RuleText) ([]int, error) {
	var hits []int
	for i, r := range rules {
		if strings.HasPrefix(p.text(c), r.Content) {
			hits = append(hits, i)
		}
	}
	return hits, nil
}

func (prefixTool) GenerateSuggestions(context.Context, *engine.Call) ([]engine.SuggestedRule, error) {
	return nil, nil
}

// drawn is a random configuration of few words, so that two of them meet.
func drawn(t *rapid.T, label string) string {
	pick := func(key string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label+" "+key) }
	list := func(key string, from ...string) string {
		return "[" + strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, 3, rapid.ID[string]).Draw(t, label+" "+key), ", ") + "]"
	}
	rules := func(key string) string {
		var out []string
		for i := range rapid.IntRange(0, 4).Draw(t, label+" "+key) {
			rule := fmt.Sprintf("{%s: %q", pick(fmt.Sprint(key, i, " behavior"), "allow", "ask", "deny"), pick(fmt.Sprint(key, i, " text"), "A", "A(x)", "A(xy)", "B", "B(risky)", "C*"))
			if rapid.Bool().Draw(t, "expires") {
				rule += ", expires_at: " + pick("end", "2030-01-01", "2040-01-01")
			}
			out = append(out, rule+"}")
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	settings := func(key string) string {
		var out []string
		add := func(name, value string) {
			if rapid.Bool().Draw(t, label+" "+key+name) {
				out = append(out, name+": "+value)
			}
		}
		if pick(key+" trust", "", "", "yes") != "" {
			out = append(out, "mode: trusted", "respect_denylist: "+pick(key+"respect", "true", "false"))
		} else {
			add("mode", pick(key+" mode", "default", "accept_edits", "explore", "bypass", "trusted", "dont_ask"))
		}
		add("working_directories", list(key+" dirs", "/a", "/b", "/c"))
		add("kind", pick(key+" kind", "main", "background"))
		add("allowed_tools", list(key+" allowed", "A", "B", `"C*"`, "CD", `"C*D*"`))
		add("disallowed_tools", list(key+" disallowed", "A", "B", `"C*"`, "CD"))
		add("resume_asks", pick(key+" resume", "ask", "deny"))
		add("profile", pick(key+" profile", "open", "locked", "p", "q", "nowhere", `{allow: ["tool:A:.*"]}`, `{ask: ["tool:.*"], allow: ["tool:[AB]:.*"]}`))
		add("timeout", pick(key+" timeout", "10s", "20s"))
		add("follow_client_mode", pick(key+" follow", "true", "false"))
		add("dialect", pick(key+" dialect", "bash", "zsh", "fish"))
		add("persistent_shell", pick(key+" shell", "true", "false"))
		return strings.Join(out, ", ")
	}
	block := func(name string) string {
		own := settings(name)
		if own != "" {
			own += ", "
		}
		return "{" + own + "rules: " + rules(name) + "}"
	}
	patterns := func(key string) string {
		return list(key, `"tool:A:.*"`, `"tool:[AB]:.*"`, `"tool:.*"`, `"(?s)tool:.*"`, `"tool:A:x"`)
	}
	lists := func(name string) string {
		return fmt.Sprintf("%s: {allow: %s, ask: %s, deny: %s}", name, patterns(name+" allow"), patterns(name+" ask"), patterns(name+" deny"))
	}
	text := fmt.Sprintf("defaults: {%s}\nrules: %s\nprofiles: {%s, %s}\nagents:\n  one: %s\n", settings("defaults"), rules("rules"), lists("p"), lists("q"), block("one"))
	if rapid.Bool().Draw(t, label+" second") {
		text += "  two: " + block("two") + "\n"
	}
	return text
}

// TestStricter_isNeverLooser: whatever two configurations say, a call that the
// stricter of both allows is one that both allow, and one that it asks about is
// one that neither denies.
func TestStricter_isNeverLooser(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		was, will := draw(r, "was"), draw(r, "will")
		both := config.Stricter(was, will)
		agent := rapid.SampledFrom([]string{"", "one", "two"}).Draw(r, "agent")
		a, b := was.Agent(agent), will.Agent(agent)
		call := engine.Call{
			Tool:  rapid.SampledFrom([]string{"A", "B", "CD", "CXD"}).Draw(r, "tool"),
			Input: json.RawMessage(fmt.Sprintf("%q", rapid.SampledFrom([]string{"x", "xy", "risky", "never", "look", "edit /a", "edit /b"}).Draw(r, "text"))),
		}
		resumed := rapid.Bool().Draw(r, "resumed")
		now := time.Date(rapid.IntRange(2026, 2045).Draw(r, "year"), 6, 1, 0, 0, 0, 0, time.UTC)
		got := decide(both.Agent(agent), call, resumed, now)
		for label, c := range map[string]config.Agent{"accepted": a, "next": b} {
			if label == "next" && !tellable(a, b) {
				continue // what cannot be told stays as accepted
			}
			if readsFreely(both.Agent(agent).Mode, c.Mode) && string(call.Input) == `"look"` {
				continue // explore asks nobody about reading; the design ranks it strictest
			}
			if want := decide(c, call, resumed, now); looser(got, want) {
				r.Fatalf("%s(%s) of %q: both say %s, %s says %s", call.Tool, call.Input, agent, got, label, want)
			}
		}
		if got := both.Asks(); got.Timeout > min(was.Asks.Timeout, will.Asks.Timeout) {
			r.Fatalf("asks: got %+v", got)
		}
	})
}

// TestStricter_askForADenial: an ask rule that only one of the two has does not
// turn what the tool itself denies, or explore, into a question.
func TestStricter_askForADenial(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ was, will, text string }{
		"added, the tool denies":   {"rules: []", `rules: [ask: A]`, "never"},
		"removed, the tool denies": {`rules: [ask: A]`, "rules: []", "never"},
		"outlives the accepted":    {`rules: [{ask: A, expires_at: 2030-01-01}]`, `rules: [ask: A]`, "never"},
		"explore":                  {"defaults: {mode: explore}", `rules: [ask: A]`, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parse := func(text string) *config.Config {
				parsed, err := config.Parse("/etc/callgate.yaml", []byte(text+"\n"), dirs)
				if err != nil {
					t.Fatal(err)
				}
				return parsed
			}
			call := engine.Call{Tool: "A", Input: json.RawMessage(fmt.Sprintf("%q", c.text))}
			now := time.Date(2035, 6, 1, 0, 0, 0, 0, time.UTC)
			if got := decide(config.Stricter(parse(c.was), parse(c.will)).Agent("one"), call, false, now); got != engine.Deny {
				t.Errorf("got %s, want deny", got)
			}
		})
	}
}

// TestStricter_andWideningsAgree: nothing widens exactly when the next
// configuration is, for every question, what the stricter of both says. It follows
// that what only tightens holds whole at once.
func TestStricter_andWideningsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		was, will := draw(r, "was"), draw(r, "will")
		both := config.Stricter(was, will)
		same := true
		for _, agent := range []string{"", "one", "two"} {
			same = same && reflect.DeepEqual(meaning(both.Agent(agent)), meaning(will.Agent(agent)))
		}
		for _, name := range []string{"p", "q"} {
			same = same && both.Profile(name).Canonical() == will.Profile(name).Canonical()
		}
		if ws := both.Widenings(); (len(ws) == 0) != same {
			r.Fatalf("widenings %+v, but that the next one equals the stricter is %t:\n%+v\n%+v", ws, same, both.Agent("one"), will.Agent("one"))
		}
		if ws := config.Stricter(will, will).Widenings(); len(ws) > 0 {
			r.Fatalf("with itself: got %+v, want none", ws)
		}
	})
}

func draw(r *rapid.T, label string) *config.Config {
	text := drawn(r, label)
	c, err := config.Parse("/etc/callgate.yaml", []byte(text), dirs)
	if err != nil {
		r.Fatalf("%s\n%v", text, err)
	}
	return c
}

func decide(a config.Agent, call engine.Call, resumed bool, now time.Time) engine.Behavior {
	call.Context = engine.Context{
		Agent: a.Name, Mode: a.Mode, Kind: a.Kind, WorkingDirectories: a.WorkingDirectories, Resumed: resumed, Approver: "attached",
	}
	live := slices.DeleteFunc(a.Rules.All(), func(r engine.Rule) bool { return !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt) })
	entry := engine.Entry{Name: call.Tool, Tool: prefixTool{}, Own: true, MayAllow: true, MayReadOnly: true}
	return engine.Decide(context.Background(), engine.Request{Call: &call, Entry: entry, Rules: live, Lists: a.Lists, ResumeAsks: a.ResumeAsks, Profile: a.Profile.Decide([]string{"tool:" + call.Tool + ":" + prefixTool{}.text(&call)})}).Behavior
}

func looser(got, want engine.Behavior) bool {
	rank := map[engine.Behavior]int{engine.Deny: 0, engine.Ask: 1, engine.Allow: 2}
	return rank[got] > rank[want]
}

// tellable reports whether the two can be ranked: not explore and dont_ask, and
// not lists of directories with other beginnings.
func tellable(a, b config.Agent) bool {
	sorted := engine.Stricter(a.Mode, b.Mode) == engine.Stricter(b.Mode, a.Mode)
	return sorted && (len(a.WorkingDirectories) == 0 || slices.Contains(b.WorkingDirectories, a.WorkingDirectories[0]))
}

func readsFreely(mode, other engine.Mode) bool { return mode == engine.Explore && other != mode }

// meaning is an agent in a form that is equal for what means the same: sets
// sorted, without what is covered, each rule once with its longest life.
func meaning(a config.Agent) string {
	prune := func(list []string) []string {
		var out []string
		for i, e := range list {
			covered := false
			for j, wider := range list {
				glob := strings.Contains(e, "*") && engine.MatchName(wider, e)
				covered = covered || i != j && (e == wider && j < i || e != wider && glob)
			}
			if !covered {
				out = append(out, e)
			}
		}
		slices.Sort(out)
		return out
	}
	end := map[string]time.Time{}
	longest := func(key string, t time.Time) {
		if old, there := end[key]; !there || !old.IsZero() && (t.IsZero() || t.After(old)) {
			end[key] = t
		}
	}
	for _, r := range a.Rules.All() {
		longest(r.Behavior.String()+" "+r.String(), r.ExpiresAt)
	}
	var rules []string
	for key, t := range end {
		deny, denied := end["deny"+strings.TrimPrefix(key, "ask")]
		if strings.HasPrefix(key, "ask") && denied && (deny.IsZero() || !t.IsZero() && !t.After(deny)) {
			continue // the deny rule of the same text says it all
		}
		rules = append(rules, fmt.Sprint(key, t.Unix()))
	}
	slices.Sort(rules)
	rest := slices.Clone(a.WorkingDirectories)
	if len(rest) > 1 {
		slices.Sort(rest[1:])
	}
	return fmt.Sprint(a.Mode, rest, a.Home, a.User, a.Kind, prune(a.Lists.Disallowed), a.Lists.Allowed == nil, prune(a.Lists.Allowed),
		a.Lists.IgnoreDenylist, a.Timeout, a.ResumeAsks, a.FollowClientMode, a.Dialect, a.PersistentShell, rules, a.Profile.Canonical())
}
