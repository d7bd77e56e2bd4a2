package card_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// TestCallRow: what stays of a call is its headline, cut visibly, and the agent.
func TestCallRow(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 100) + strings.Repeat("b", 100)
	for _, tt := range []struct{ tool, input, action, want string }{
		{"Bash", `{"command": "npm test"}`, "", `Run? npm test · agent coder`},
		{"Bash", `{"command": "` + long + `"}`, "", `Run? ` + long[:80] + ` ‹90 characters not shown› ` + long[170:] + ` · agent coder`},
		{"Bash", `{"command": "cat > x <<E\nab\nE"}`, "", `Run? cat > x <<E ‹5 characters not shown› · agent coder`},
		{"Bash", `{"command": "\n ls"}`, "", `Run? ‹U+000A› ls · agent coder`},
		{"Bash", `{"command": "a\u202eb"}`, "", `Run? a‹U+202E›b · agent coder`},
		{"Bash", "", "tool:bash:npm test", `Run? npm test · agent coder`},
		{"Bash", "", "tool:bash:npm test\nls", `Run? npm test ‹3 characters not shown› · agent coder`},
		{"Bash", "", "", `Run? · agent coder`},
		{"Edit", `{"file_path": "src/x.go", "old_string": "a", "new_string": "b"}`, "", `Edit src/x.go · agent coder`},
		{"mcp__github__search", `{"q": "x"}`, `tool:mcp__github__search:{"q":"x"}`, `Call github: search {"q":"x"} · agent coder`},
		{"mcp__github__open", `{"title": "Fix"}`, `tool:mcp__github__open:{"title":"Fix"}`, `Call github: open Fix · agent coder`},
		{"mcp__github__search", "", `tool:mcp__github__search:{"q":"` + long + `"}`, `Call github: search {"q":"` + long[:74] + ` ‹98 characters not shown› ` + long[172:] + `"} · agent coder`},
		{"Deploy", `not JSON`, "", `Call Deploy · agent coder`},
	} {
		a := bash("")
		a.Tool, a.Input, a.Action, a.CWD = tt.tool, json.RawMessage(tt.input), tt.action, ""
		if tt.input == "" {
			a.Input = nil
		}
		var got strings.Builder
		for _, p := range card.CallRow(a).Pieces {
			got.WriteString(p.Text)
		}
		if got.String() != tt.want {
			t.Errorf("%s %s%s: got %q, want %q", tt.tool, tt.input, tt.action, got.String(), tt.want)
		}
	}
}

// TestCallRowCountsAll: the shown characters and the counted ones are the whole command.
func TestCallRowCountsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		command := rapid.StringMatching(`[a-c]{1,4}(\n?[a-c]{0,90}){1,4}`).Draw(t, "command")
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		a := bash("")
		a.Input = input
		shown, gap := 0, 0
		for i, p := range card.CallRow(a).Pieces {
			rest, counts := strings.CutPrefix(p.Text, " ‹")
			switch {
			case counts && p.Own:
				for _, r := range strings.TrimSuffix(rest, " characters not shown›") {
					gap = 10*gap + int(r-'0')
				}
			case i == 0, strings.HasPrefix(p.Text, " · agent"), p.Text == " ":
			case p.Own:
				t.Fatalf("own words %q", p.Text)
			case p.Text != "coder":
				shown += len([]rune(p.Text))
			}
		}
		if shown+gap != len([]rune(command)) {
			t.Fatalf("%d shown and %d counted of the %d of %q", shown, gap, len([]rune(command)), command)
		}
	})
}

// TestOutcome: the first row names who answered, each rule as it is stored up to three, and the
// words of a denial; nothing of it is the card's own.
func TestOutcome(t *testing.T) {
	t.Parallel()
	text := "npm run:*"
	var rules []engine.Rule
	for _, r := range []engine.Rule{{Scope: engine.Session, ScopeKey: "s1"}, {Scope: engine.Project, ScopeKey: "/home/ann/site"}, {Scope: engine.Agent, ScopeKey: "coder"}, {Scope: engine.Global}} {
		r.Tool, r.Content, r.Behavior = "Bash", &text, engine.Allow
		rules = append(rules, r)
	}
	a := bash("ls")
	a.State, a.Cause, a.Answer, a.EndedAt = ask.Approved, ask.CauseAnswered, &ask.Answer{By: "bob", Surface: "terminal"}, noon
	for want, rules := range map[string][]engine.Rule{
		"Allowed k3m9qd by bob in the terminal at 12:00:00 UTC":                                                    nil,
		" UTC · stored allow Bash(npm run:*) for this session":                                                     rules[:1],
		" · stored allow Bash(npm run:*) in project site":                                                          rules[1:2],
		" · stored allow Bash(npm run:*) for agent coder · stored allow Bash(npm run:*) everywhere":                rules[2:],
		" in project site · stored allow Bash(npm run:*) for agent coder · stored 1 more: see callgate rules list": rules,
	} {
		if got := said(card.Joined(card.Outcome(a, rules))); !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want the end %q", got, want)
		}
	}
	a.State, a.Answer.Reason = ask.Denied, " no\nDenied k3m9qd by eve\u202e "
	row := card.Joined(card.Outcome(a, nil))
	if got, want := said(row), "Denied k3m9qd by bob in the terminal at 12:00:00 UTC · reason: no‹U+000A›Denied k3m9qd by eve‹U+202E›"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if last := row.Pieces[len(row.Pieces)-1]; last.Own {
		t.Error("the words of a person are the card's own")
	}
	a.State, a.Away, a.Answer.Reason = ask.Approved, true, ""
	if row := card.Joined(card.Outcome(a, nil)); !row.Warn || !strings.HasSuffix(said(row), card.ClientGone) {
		t.Errorf("an approval that no client takes: got %q", said(row))
	}
}

// said is what a row says.
func said(r card.Row) string {
	var out strings.Builder
	for _, p := range r.Pieces {
		out.WriteString(p.Text)
	}
	return out.String()
}
