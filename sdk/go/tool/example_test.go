package tool_test

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// DeployInput is what the agent sends: the fields of the tool's own schema.
type DeployInput struct {
	Operation string `json:"operation"` // "status" or "deploy"
	Target    string `json:"target"`    // "staging/web", "prod/web"
}

// deploy judges calls of a tool that deploys services.
var deploy = tool.Define(tool.Spec[DeployInput]{
	Name:        "Deploy",
	Aliases:     []string{"deploy"},
	InputSchema: `{"type":"object","properties":{"operation":{"enum":["status","deploy"]},"target":{"type":"string"}},"required":["operation","target"]}`,
	RuleHelp:    "A glob over the target, such as staging/web or staging/*; * stays between slashes.",
	RuleExamples: []tool.RuleExample{
		{Content: "staging/*", Behavior: tool.Allow, Input: json.RawMessage(`{"operation":"deploy","target":"staging/web"}`), Match: true},
		{Content: "staging/*", Behavior: tool.Allow, Input: json.RawMessage(`{"operation":"deploy","target":"prod/web"}`), Match: false},
	},

	// Production is asked about, whatever the rules allow.
	Check: func(c *tool.Call[DeployInput]) tool.Verdict {
		if strings.HasPrefix(c.Input.Target, "prod") && c.Input.Operation != "status" {
			return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: c.Input.Target + " is production"}
		}
		return tool.Verdict{}
	},
	// Name what is safe, never what is dangerous: an operation added later is not read-only.
	ReadOnly: func(c *tool.Call[DeployInput]) tool.ReadOnly {
		return tool.ReadOnly{ReadOnly: c.Input.Operation == "status"}
	},
	// A rule that does not parse allows nothing, and denies everything.
	Match: func(c *tool.Call[DeployInput], behavior tool.Behavior, rules []tool.Rule) []int {
		return tool.Indices(rules, func(r tool.Rule) bool {
			ok, err := path.Match(r.Content, c.Input.Target)
			return ok || err != nil && behavior != tool.Allow
		})
	},
	// The most useful first; each must match this very call.
	Suggest: func(c *tool.Call[DeployInput]) []tool.Suggestion {
		stage, _, ok := strings.Cut(c.Input.Target, "/")
		if !ok || strings.ContainsAny(c.Input.Target, `*?[\`) {
			return nil
		}
		return []tool.Suggestion{
			tool.Propose(stage+"/*", "every target of "+stage),
			tool.Propose(c.Input.Target, "this target"),
		}
	},
	Describe: func(c *tool.Call[DeployInput]) tool.Description {
		return tool.Description{
			Action: "tool:Deploy:" + c.Input.Operation + " " + c.Input.Target,
			Title:  c.Input.Operation + " " + c.Input.Target,
		}
	},
})

var deployModule = tool.Module{Name: "deploy", Version: "1.0.0", Summary: "Judges deployments.", Tools: []tool.Tool{deploy}}

// A module's program is two lines; tool.Serve goes into an init function,
// because a WebAssembly reactor never runs main.
func ExampleServe() {
	tool.Serve(deployModule)
}

// A test asks Handle what the host would ask the module.
func ExampleHandle() {
	call := `{"tool":"Deploy","input":{"operation":"deploy","target":"prod/web"},"context":{"cwd":"/srv"}}`
	for _, verb := range []string{"check_permissions", "check_read_only", "generate_suggestions"} {
		answer, err := tool.Handle(deployModule, verb, []byte(call))
		fmt.Println(string(answer), err)
	}
	// Output:
	// {"behavior":"ask","reason":"prod/web is production","bypass_immune":true} <nil>
	// {"read_only":false} <nil>
	// {"rules":[{"content":"prod/*","description":"every target of prod"},{"content":"prod/web","description":"this target"}]} <nil>
}
