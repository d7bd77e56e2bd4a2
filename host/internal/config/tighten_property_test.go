package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
)

// prefixTool matches a rule when the call's text begins with its content, and gives the opinion
// named in the text.
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

// drawn is a random configuration of few words, so two of them overlap.
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

// TestTighten_isNeverLooser: for any accepted configuration and any changed file, no call is
// decided looser than by the accepted one, and when the file is accepted it is in force as it
// is.
func TestTighten_isNeverLooser(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		was, will := draw(r, "was"), draw(r, "will")
		inForce, waiting := was.Tighten(will)
		if len(waiting) == 0 && inForce != will {
			r.Fatal("nothing waits, but the file is not in force")
		}
		if again, rest := will.Tighten(will); again != will || len(rest) > 0 {
			r.Fatalf("accepted: %+v waits, want the file in force", rest)
		}
		agent := rapid.SampledFrom([]string{"", "one", "two"}).Draw(r, "agent")
		call := engine.Call{
			Tool:  rapid.SampledFrom([]string{"A", "B", "CD", "CXD"}).Draw(r, "tool"),
			Input: json.RawMessage(fmt.Sprintf("%q", rapid.SampledFrom([]string{"x", "xy", "risky", "never", "look", "edit /a", "edit /b"}).Draw(r, "text"))),
		}
		resumed := rapid.Bool().Draw(r, "resumed")
		now := time.Date(rapid.IntRange(2026, 2045).Draw(r, "year"), 6, 1, 0, 0, 0, 0, time.UTC)
		a := was.Agent(agent)
		if readsFreely(inForce.Agent(agent).Mode, a.Mode) && string(call.Input) == `"look"` {
			return // explore never asks about reading; it ranks strictest all the same
		}
		if len(waiting) == 0 && asksForADenial(was.Agent(agent), will.Agent(agent)) {
			return // an ask rule in an accepted file asks about a former denial
		}
		if got, want := decide(inForce.Agent(agent), call, resumed, now), decide(a, call, resumed, now); looser(got, want) {
			r.Fatalf("%s(%s) of %q: %s is in force, %s was accepted", call.Tool, call.Input, agent, got, want)
		}
		if got := inForce.Asks; got.Timeout > was.Asks.Timeout {
			r.Fatalf("asks: got %+v", got)
		}
	})
}

// asksForADenial reports whether the file has an unaccepted ask rule.
func asksForADenial(was, will config.Agent) bool {
	return slices.ContainsFunc(will.Rules.All(), func(r engine.Rule) bool {
		return r.Behavior == engine.Ask && !slices.ContainsFunc(was.Rules.All(), func(o engine.Rule) bool {
			return o.Behavior == engine.Ask && o.String() == r.String() && o.ExpiresAt.Equal(r.ExpiresAt)
		})
	})
}

// inForce is the part of a changed file in force before its acceptance.
func inForce(accepted, file *config.Config) *config.Config {
	c, _ := accepted.Tighten(file)
	return c
}

// TestStricter_askForADenial: an ask rule in only one of the two does not turn a denial by the
// tool itself, or explore, into a question.
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
			// A pure tightening is accepted by itself: here something waits as well.
			will := parse(c.will + "\nlisten: /other.sock")
			if got := decide(inForce(parse(c.was), will).Agent("one"), call, false, now); got != engine.Deny {
				t.Errorf("got %s, want deny", got)
			}
		})
	}
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

func readsFreely(mode, other engine.Mode) bool { return mode == engine.Explore && other != mode }
