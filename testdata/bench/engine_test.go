// Package bench times Callgate beside its peers, in one process and one run.
package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cedar-policy/cedar-go"

	"github.com/callgate/callgate/engine"
)

// policies is how many rules both sides decide over. The call matches the last.
const policies = 100

func directory(i int) string { return fmt.Sprintf("/project/dir%02d/", i) }

// prefixTool is a tool in plain Go whose rules are path prefixes. It reads the
// path from the call's input, as a module would.
type prefixTool struct{}

func (prefixTool) CheckPermissions(context.Context, *engine.Call) (engine.Verdict, error) {
	return engine.Verdict{Behavior: engine.Passthrough}, nil
}

func (prefixTool) CheckReadOnly(context.Context, *engine.Call) (engine.ReadOnly, error) {
	return engine.ReadOnly{}, nil
}

func (prefixTool) MatchRule(_ context.Context, c *engine.Call, _ engine.Behavior, rules []engine.RuleText) ([]int, error) {
	var input struct {
		Path string `json:"file_path"`
	}
	if err := json.Unmarshal(c.Input, &input); err != nil {
		return nil, err
	}
	for i, r := range rules {
		if strings.HasPrefix(input.Path, r.Content) {
			return []int{i}, nil
		}
	}
	return nil, nil
}

func (prefixTool) GenerateSuggestions(context.Context, *engine.Call) ([]engine.SuggestedRule, error) {
	return nil, nil
}

func engineRequest() engine.Request {
	rules := make([]engine.Rule, policies)
	for i := range rules {
		content := directory(i)
		rules[i] = engine.Rule{Tool: "Write", Content: &content, Behavior: engine.Allow, Scope: engine.Agent, ScopeKey: "builder"}
	}
	return engine.Request{
		Entry: engine.Entry{Name: "Write", Tool: prefixTool{}, MayAllow: true, MayReadOnly: true},
		Rules: rules,
		Call: &engine.Call{
			Tool: "Write", Input: json.RawMessage(`{"file_path":"` + directory(policies-1) + `a.go","content":"x"}`),
			Context: engine.Context{Agent: "builder", CWD: "/project"},
		},
	}
}

// BenchmarkDecide/callgate and /cedar answer the same question: may this
// principal do this action on a resource below a path prefix, over 100 rules.
func BenchmarkDecide(b *testing.B) {
	b.Run("callgate", func(b *testing.B) {
		req := engineRequest()
		b.ReportAllocs()
		for b.Loop() {
			if d := engine.Decide(context.Background(), req); d.Behavior != engine.Allow {
				b.Fatalf("got %+v, want allow", d)
			}
		}
	})
	b.Run("cedar", func(b *testing.B) {
		set, entities, req := cedarRequest(b)
		b.ReportAllocs()
		for b.Loop() {
			if ok, diag := cedar.Authorize(set, entities, req); ok != cedar.Allow {
				b.Fatalf("got %v %v, want allow", ok, diag)
			}
		}
	})
}

func cedarRequest(tb testing.TB) (*cedar.PolicySet, cedar.EntityMap, cedar.Request) {
	tb.Helper()
	set := cedar.NewPolicySet()
	for i := range policies {
		var p cedar.Policy
		text := fmt.Sprintf(`permit (principal == Agent::"builder", action == Action::"Write", resource) when { resource.path like %q };`, directory(i)+"*")
		if err := p.UnmarshalCedar([]byte(text)); err != nil {
			tb.Fatal(err)
		}
		set.Add(cedar.PolicyID(fmt.Sprintf("p%02d", i)), &p)
	}
	file := cedar.NewEntityUID("File", "f")
	entities := cedar.EntityMap{file: cedar.Entity{
		UID:        file,
		Attributes: cedar.NewRecord(cedar.RecordMap{"path": cedar.String(directory(policies-1) + "a.go")}),
	}}
	return set, entities, cedar.Request{
		Principal: cedar.NewEntityUID("Agent", "builder"), Action: cedar.NewEntityUID("Action", "Write"), Resource: file,
	}
}
