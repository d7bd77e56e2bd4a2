package gate

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/profiles"
	"github.com/callgate/callgate/host/internal/modules"
)

// asNobody and asNamed are a configuration without names, and one whose role ops may grant the
// wishes of the calls below.
const (
	asNobody = `agents: {worker: {mode: default}}`
	asNamed  = `permission_grants: {ops: [standard, "mode:default"]}`
)

// TestTightenersNeverLoosen: after any decision about any call, no tightener changes a denial,
// lets an ask through, or takes its immunity.
func TestTightenersNeverLoosen(t *testing.T) {
	t.Parallel()
	parse := func(yaml string) *config.Config {
		c, err := config.Parse("test.yaml", []byte(yaml), config.Dirs{Home: "/home/op", Config: "/c", State: "/s", Cache: "/k"})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	nobody, named := parse(asNobody), parse(asNamed)
	rapid.Check(t, func(t *rapid.T) {
		behaviors := rapid.SampledFrom([]engine.Behavior{engine.Deny, engine.Ask, engine.Allow})
		settings := rapid.SampledFrom([]*config.Config{nobody, named}).Draw(t, "settings")
		now := func() *config.Config { return settings }
		g := &Gate{c: Config{
			Settings: now, Authority: authority.New(authority.Config{Settings: now}), Profiles: profiles.NewGiven(profiles.Config{Settings: now}),
		}}
		name := rapid.SampledFrom([]string{"Bash", exitPlanMode, planMode, selfEditPermissions}).Draw(t, "tool")
		input := rapid.SampledFrom([]string{`{}`, `{"profile":"standard"}`, `{"profile":"other"}`, `{"action":"exit"}`, `{"command":"export TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz"}`}).Draw(t, "input")
		made := &engine.Call{Tool: name, Input: json.RawMessage(input), Context: engine.Context{
			Mode: rapid.SampledFrom([]engine.Mode{engine.DefaultMode, engine.Explore, engine.DontAsk, engine.Bypass}).Draw(t, "mode"),
			Kind: rapid.SampledFrom([]engine.Kind{engine.Main, engine.Background, engine.InteractiveFork}).Draw(t, "kind"),
		}}
		c := &call{facts: facts{req: engine.Request{Call: made}, entry: modules.Entry{}, settings: settings}}
		c.trigger.Person = rapid.SampledFrom([]approvers.Person{{}, {Name: "ann"}, {Name: "ann", Roles: []string{"ops"}}, {Name: "ann", Administrator: true}}).Draw(t, "trigger")
		c.entry.Name = name
		c.request.Context.SubAgent = rapid.SampledFrom([]string{"", "reviewer"}).Draw(t, "sub-agent")
		if rapid.Bool().Draw(t, "leaves") {
			c.leaves = &leaving{into: engine.DefaultMode}
		}
		for range rapid.IntRange(0, 2).Draw(t, "children") {
			c.children = append(c.children, engine.Request{Call: made})
		}
		d := engine.Decision{Behavior: behaviors.Draw(t, "behavior"), BypassImmune: rapid.Bool().Draw(t, "immune"), Stage: engine.StageMode}
		if d.Behavior == engine.Ask && rapid.Bool().Draw(t, "suggests") {
			content := rapid.SampledFrom([]string{"ls:*", "export TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz"}).Draw(t, "content")
			d.Suggestions = []engine.Suggestion{{Set: 1, Tool: name, Content: &content, Behavior: engine.Allow}}
		}
		for i, tighten := range tighteners {
			out := tighten(g, t.Context(), c, d)
			if out.Behavior > d.Behavior {
				t.Fatalf("tightener %d made %s of %s", i, out.Behavior, d.Behavior)
			}
			if out.Behavior == engine.Ask && d.Behavior == engine.Ask && d.BypassImmune && !out.BypassImmune {
				t.Fatalf("tightener %d took the immunity of an ask", i)
			}
			if len(out.Suggestions) > len(d.Suggestions) {
				t.Fatalf("tightener %d added suggestions: %v", i, out.Suggestions)
			}
		}
	})
}
