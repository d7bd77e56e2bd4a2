package tool_test

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// MailInput is the agent's input: the fields of the tool's own schema.
type MailInput struct {
	To   string `json:"to" tool:"required"`
	Text string `json:"text"`
}

// mail judges calls of a mail tool; sdk/go/deploy is a whole module.
var mail = tool.Module{Name: "mail", Version: "1.0.0", Summary: "Judges mails.", Tools: []tool.Tool{tool.Define(tool.Spec[MailInput]{
	Name: "Mail",
	Check: func(c *tool.Call[MailInput]) tool.Verdict {
		if !strings.HasSuffix(c.Input.To, "@example.com") {
			return tool.Verdict{Behavior: tool.Ask, Reason: c.Input.To + " is somebody else's"}
		}
		return tool.Verdict{}
	},
	Describe: func(c *tool.Call[MailInput]) tool.Description {
		return tool.Description{Title: "mail to " + c.Input.To}
	},
})}}

// A module's program is two lines; tool.Serve goes into an init function,
// because a WebAssembly reactor never runs main.
func ExampleServe() {
	tool.Serve(mail)
}

// An omitted part of a Spec has a safe default, and so has an invalid input.
func ExampleDefine() {
	for _, input := range []string{`{"to":"ann@example.com"}`, `{"to":"eve@example.org"}`, `{"text":"hello"}`} {
		answer, err := tool.Handle(mail, "check_permissions", []byte(`{"tool":"Mail","input":`+input+`}`))
		fmt.Println(string(answer), err)
	}
	// Output:
	// {"behavior":"passthrough"} <nil>
	// {"behavior":"ask","reason":"eve@example.org is somebody else's"} <nil>
	// {"behavior":"ask","message":"The input does not have the shape Mail expects: member \"to\" is missing.","reason":"the input does not have the shape this tool expects: member \"to\" is missing","bypass_immune":true} <nil>
}

// A test asks Handle the host's questions to the module.
func ExampleHandle() {
	call := `{"tool":"Mail","input":{"to":"ann@example.com"},"context":{"cwd":"/srv"},"behavior":"allow","rules":[{"content":"to:*@example.com"}]}`
	for _, verb := range []string{"check_read_only", "match_rule", "generate_suggestions", "describe_call"} {
		answer, err := tool.Handle(mail, verb, []byte(call))
		fmt.Println(string(answer), err)
	}
	// Output:
	// {"read_only":false} <nil>
	// {"matched":[0]} <nil>
	// {"rules":[{"content":"{\"to\":\"ann@example.com\"}","description":"exactly this input"},{"content":null,"description":"every call of Mail"}]} <nil>
	// {"title":"mail to ann@example.com"} <nil>
}

// A rule of one's own usually knows "*".
func ExampleWildcard() {
	fmt.Println(tool.Wildcard("eu-*", "eu-west"), tool.Wildcard("eu-*", "us-east"))
	// Output: true false
}
