package languages

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/testkit/benchtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
	"github.com/callgate/callgate/sdk/go/tool"
)

var kitchenModules = repo.File("testdata/kitchen")

// potInput has a field of each kind known to the SDKs.
type potInput struct {
	Text    *string                   `json:"text"`
	Number  *float64                  `json:"number"`
	Boolean bool                      `json:"boolean"`
	List    *[]jsontext.Value         `json:"list"`
	Object  map[string]jsontext.Value `json:"object"`
	Any     jsontext.Value            `json:"any"`
}

// panInput is the same with every member required.
type panInput struct {
	Text    string                    `json:"text" tool:"required"`
	Number  float64                   `json:"number" tool:"required"`
	Boolean bool                      `json:"boolean" tool:"required"`
	List    []jsontext.Value          `json:"list" tool:"required"`
	Object  map[string]jsontext.Value `json:"object" tool:"required"`
	Any     jsontext.Value            `json:"any" tool:"required"`
}

type mixInput struct {
	Must jsontext.Value `json:"must" tool:"required"`
}

// kitchen is testdata/kitchen in Go, the reference for the others: a tool with functions for
// everything but the rules, one with none, one taking any member, and one whose answers
// contradict each other.
var kitchen = tool.Module{Name: "kitchen", Version: "1", Fallback: "Lid", Tools: []tool.Tool{
	tool.Define(tool.Spec[potInput]{
		Name: "Pot", Aliases: []string{"pot_*", "pot_a*"}, Check: potCheck, Suggest: potSuggest, Describe: potDescribe,
		ReadOnly: func(c *tool.Call[potInput]) tool.ReadOnly { return tool.ReadOnly{ReadOnly: true, Reason: c.Tool} },
	}),
	tool.Define(tool.Spec[panInput]{Name: "Pan", ReadOnlyTool: true}),
	tool.Define(tool.Spec[struct{}]{Name: "Lid", Aliases: []string{"mcp__*"}, AnyField: true}),
	tool.Define(tool.Spec[mixInput]{
		Name: "Mix", Check: mixCheck, Match: mixMatch,
		ReadOnly: func(*tool.Call[mixInput]) tool.ReadOnly { return tool.ReadOnly{ReadOnly: true, Reason: "sure"} },
	}),
}}

func potCheck(c *tool.Call[potInput]) tool.Verdict {
	in := c.Input
	reason := []string{"", "none", "-", "-", "-"}
	if in.Text != nil {
		reason[0] = *in.Text
	}
	switch {
	case in.Number == nil:
	case *in.Number >= 10:
		reason[1] = "large"
	default:
		reason[1] = "small"
	}
	if in.List != nil {
		reason[2] = fmt.Sprint(len(*in.List))
	}
	if _, has := in.Object["a"]; has {
		reason[3] = "a"
	}
	if in.Any != nil && in.Any.Kind() != 'n' {
		reason[4] = "any"
	}
	message := []string{c.Context.CWD, "", "-"}
	if len(c.Context.Targets) > 0 {
		message[1] = c.Context.Targets[0].Value
	}
	if c.Config != nil {
		message[2] = "config"
	}
	return tool.Verdict{Behavior: tool.Allow, Reason: strings.Join(reason, "|"), Message: strings.Join(message, "|")}
}

func potSuggest(c *tool.Call[potInput]) []tool.Suggestion {
	text := ""
	if c.Input.Text != nil {
		text = *c.Input.Text
	}
	exact := tool.Propose(text, "")
	exact.Covers = c.Tool
	miss, _ := json.Marshal(map[string]string{"text": text}) // cannot fail
	exact.NearMisses = []json.RawMessage{miss}
	return []tool.Suggestion{exact, tool.ProposeTool(c.Tool)}
}

func potDescribe(c *tool.Call[potInput]) tool.Description {
	d := tool.Description{Actions: []string{"a", c.Tool}, Title: c.Tool, Preview: strings.Join(c.Unknown, ","), Language: "none"}
	if c.Input.Text != nil {
		d.Action = *c.Input.Text
		d.Targets = []tool.Target{{Kind: tool.Path, Value: *c.Input.Text, Access: tool.Write}}
	}
	if c.Input.Number != nil {
		d.Effects = []tool.Effect{}
	}
	if c.Input.Text != nil {
		d.Effects = append(d.Effects, tool.Effect{Kind: tool.Overwrites, Value: *c.Input.Text, Certain: c.Effects})
	}
	if c.Input.Boolean {
		d.Effects = append(d.Effects, tool.Effect{Kind: tool.Deletes, Value: "x", How: tool.WholeTree})
		d.Moves, d.ChangesShell = true, []string{tool.ShellDirectory, tool.ShellEnvironment}
		d.Marks = []tool.Mark{{Kind: tool.Tree, Value: "x", Access: tool.Run}}
	}
	return d
}

func mixCheck(c *tool.Call[mixInput]) tool.Verdict {
	switch string(c.Input.Must) {
	case `"deny"`:
		return tool.Verdict{Behavior: tool.Deny, Reason: "no"}
	case `"immune"`:
		return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: "a person", Message: "Ask."}
	case `"ask"`:
		return tool.Verdict{Behavior: tool.Ask, Reason: "perhaps"}
	case `"nothing"`:
		return tool.Verdict{}
	}
	return tool.Verdict{Behavior: tool.Allow, Reason: "yes"}
}

func mixMatch(_ *tool.Call[mixInput], _ tool.Behavior, rules []tool.Rule) []int {
	found := tool.Indices(rules, func(r tool.Rule) bool { return r.Content == "yes" })
	slices.Reverse(found)
	return append(found, found...)
}

// kitchenInputs are put to every tool.
var kitchenInputs = []string{
	`{}`, `[]`, `null`, `"x"`, `5`, ``,
	`{"text":"a"}`, `{"text":""}`, `{"text":"\u00e9\ud83d\ude00\n\u0000\"\\\/\b\u007f"}`, `{"text":null}`, `{"text":1}`, `{"Text":"a"}`, `{"text":"a","text":"b"}`,
	`{"text":"` + strings.Repeat("a", 1985) + `"}`, `{"text":"` + strings.Repeat("a", 1989) + `"}`, `{"text":"` + strings.Repeat("a", 1990) + `"}`,
	`{"text":"` + strings.Repeat("\u00e9", 994) + `"}`, `{"text":"` + strings.Repeat("\u00e9", 1200) + `"}`, `{"text":"` + strings.Repeat("\u20ac", 800) + `"}`,
	`{"number":9.99}`, `{"number":1.50e3}`, `{"number":10}`, `{"number":1e999}`, `{"number":-1e999}`, `{"number":-0}`, `{"number":9007199254740993}`, `{"number":"10"}`, `{"number":1e-999}`,
	`{"boolean":true}`, `{"boolean":false}`, `{"boolean":"true"}`, `{"boolean":null,"text":"a"}`,
	`{"list":[]}`, `{"list":[1,"a",{"b":[ ]}]}`, `{"list":{}}`, `{"object":{"a":1,"b":{"c":null}}}`, `{"object":{}}`, `{"object":[]}`, `{"object":{"a":1,"a":1}}`,
	`{"any":null}`, `{"any":[[],{}]}`, `{"any":{"a":5.0,"b":[2e0,"x"]}}`, `{"any":false}`,
	`{"x":1}`, `{"text":"a","x":1,"b":2,"\u00e9":3}`, `{"\ue000":1,"\ud83d\ude00":2,"a":3,"\u007f":"\u007f"}`, `{"__proto__":{"text":"x"},"text":"y"}`, `{"constructor":1}`, `{"":1}`,
	`{"text":"a","number":1,"boolean":true,"list":[1],"object":{"a":2},"any":"z"}`, ` { "number" : 0.1e1 , "text" : "q" } `,
	`{"text":"a","number":1,"boolean":true,"list":[1],"object":{"a":2},"any":null}`, `{"text":"a","number":1,"boolean":true,"list":[1],"object":{"a":2},"any":"z","more":1}`,
	`{"must":"deny"}`, `{"must":"immune"}`, `{"must":"ask"}`, `{"must":"nothing"}`, `{"must":"x"}`, `{"must":false}`, `{"must":null}`, `{"must":"deny","x":1}`, `{"must":"x","x":1}`, `{"must":"immune","x":1}`,
}

var kitchenRules = []string{
	`text:a`, `TEXT:A*`, `text:*`, `text:`, `number:1500`, `number:1.5e3`, `NUMBER:1500.0`, `{"text":"a"}`, `{}`, `{"number":1500}`, `any:*5*`, `any:2`, `ANY:x`, `yes`, `nonsense`, ``, `:`, `yes`,
	`list:*`, `list:[1,"a",{"b":[]}]`, `{"number":9007199254740992}`, `{"number":0}`, `{"number":1e400}`, `object:1`, `{"any":{"b":[2,"x"],"a":5}}`, ` {"text" : "\u0061"} `, `number:+1500`, `number:01500`,
	`text:"a"`, `{"a":1,"a":1}`, `x:1`, `x:1.0`, `{"\ue000":1.0,"\ud83d\ude00":2,"a":3,"\u007f":"\u007f"}`, `boolean:true`, `list:1`, `must:x`, `\u00e9:3`, `\u00c9:3`,
}

// kitchenCalls are the envelopes every language must answer as Go does.
func kitchenCalls() []string {
	list := make([]map[string]string, len(kitchenRules))
	for i, rule := range kitchenRules {
		list[i] = map[string]string{"content": strings.ReplaceAll(strings.ReplaceAll(rule, `\u00e9`, "\u00e9"), `\u00c9`, "\u00c9")}
	}
	rules, _ := json.Marshal(list) // cannot fail
	const around = `"context":{"cwd":"/w","targets":[{"kind":"path","value":"v","later":1}],"later":1},"later":[{}]`
	var calls []string
	for _, input := range kitchenInputs {
		member := `"input":` + input + `,`
		if input == "" {
			member = ""
		}
		for _, name := range []string{"Pot", "Pan", "Mix", "Lid"} {
			for _, behavior := range []string{`"allow","effects":true,"covers":true`, `"deny"`} {
				calls = append(calls, `{"tool":"`+name+`",`+member+`"behavior":`+behavior+`,"rules":`+string(rules)+`,`+around+`}`)
			}
		}
	}
	for _, name := range []string{"pot_b", "pot_ab", "mcp__x", "Unheard", "pot", "", "P*", "pot_*"} {
		calls = append(calls, `{"tool":"`+name+`","input":{"text":"a","x":1},"behavior":"ask","rules":[{"content":"text:a"}],"config":{"a":1},`+around+`}`)
	}
	for _, wrong := range []string{
		`"behavior":"passthrough"`, `"behavior":""`, `"behavior":null`, `"behavior":1`, `"behavior":"Allow"`, `"x":1`, `"behavior":"deny","rules":{}`, `"behavior":"deny","rules":[1]`, `"behavior":"deny","rules":[{"content":1}]`,
		`"effects":1`, `"effects":null`, `"effects":false,"covers":false`, `"effects":true`, `"covers":true`, `"covers":"yes"`, `"covers":null`,
		`"behavior":"deny","rules":null`, `"config":null`, `"config":[]`, `"context":null`, `"context":[]`, `"context":{"cwd":1}`, `"context":{"targets":{}}`, `"context":{"targets":[1]}`, `"context":{"cwd":null,"targets":null}`,
		`"context":{"working_directories":[1]}`, `"context":{"resumed":"yes"}`, `"context":{"targets":[{"exists":1}]}`, `"context":{"targets":[{"repo":[]}]}`, `"context":{"targets":[{"repo":{"dirty":["a"]}}]}`,
	} {
		calls = append(calls, `{"tool":"Pot","input":{"text":"a"},`+wrong+`}`)
	}
	return append(calls, ``, ` `, `[]`, `null`, `{}`, `{"tool":1}`, `{"tool":null,"input":{}}`, `{"tool":"Pot","input":{}} x`, `{"tool":"Pot","input":{},"tool":"Pot"}`)
}

// kitchenVerbs are the exports with an envelope.
var kitchenVerbs = []string{"check_permissions", "check_read_only", "match_rule", "generate_suggestions", "describe_call"}

// TestKitchen puts the SDKs' features beyond the example to a module in each language, and
// compares its raw answers with those of the Go SDK.
func TestKitchen(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"c", "rust", "assemblyscript", "typescript"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			m := kitchenModule(t, language)
			for _, envelope := range kitchenCalls() {
				for _, verb := range kitchenVerbs {
					if verb != "match_rule" && strings.Contains(envelope, `"behavior":"deny","rules":[{"content":"text`) {
						continue // only match_rule looks at the behavior
					}
					want := kitchenSaid(tool.Handle(kitchen, verb, []byte(envelope)))
					answer := m.Run(t.Context(), verb, []byte(envelope))
					if got := kitchenSaid(answer.Output, answer.Err); got != want {
						t.Errorf("%s %.300s\n got  %.600s %v\n want %.600s", verb, envelope, got, answer.Err, want)
					}
				}
			}
		})
	}
}

// kitchenSaid is an answer without each SDK's free wording.
func kitchenSaid(output []byte, err error) string {
	if err != nil {
		return "an error"
	}
	var members map[string]any
	if err := json.Unmarshal(output, &members); err != nil {
		return "no JSON: " + string(output)
	}
	reason, _ := members["reason"].(string)
	if strings.Contains(reason, "does not have the shape") || strings.Contains(reason, "unknown members") || members["read_only"] == false {
		delete(members, "reason")
		delete(members, "message")
	}
	if text, ok := members["preview"].(string); ok { // the order of Call.Unknown is the SDK's own
		list := strings.Split(text, ",")
		slices.Sort(list)
		members["preview"] = strings.Join(list, ",")
	}
	for name, value := range members {
		if list, ok := value.([]any); value == nil || value == false && name != "analysed" || value == "" || ok && len(list) == 0 && name != "effects" {
			delete(members, name)
		}
	}
	out, _ := json.Marshal(members) // sorted; cannot fail
	return string(out)
}

// TestKitchenBroken: an author's mistake is an error naming it, in every language where it can
// be written.
func TestKitchenBroken(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"c", "rust", "assemblyscript", "typescript"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			m := kitchenModule(t, language)
			for _, tc := range []struct {
				verb, how string
				says      []string // one of them
				not       string   // languages with types preventing it
			}{
				{"check_permissions", "behavior", []string{"permit", "behavior"}, "rust"},
				{"check_permissions", "immune allow", []string{"only an ask"}, ""},
				{"check_permissions", "immune deny", []string{"only an ask"}, ""},
				{"check_permissions", "throw", []string{"the check broke"}, ""},
				{"check_read_only", "throw", []string{"the question broke"}, ""},
				{"check_read_only", "immune allow", []string{"only an ask"}, ""}, // asked of check
				{"match_rule", "throw", []string{"the match broke"}, ""},
				{"match_rule", "index", []string{"match answered"}, "c"},
				{"match_rule", "negative", []string{"match answered"}, "c rust"},
				{"generate_suggestions", "throw", []string{"the suggestion broke"}, ""},
				{"generate_suggestions", "many", []string{"rules"}, ""},
				{"generate_suggestions", "near miss", []string{"near_miss", "JSON"}, ""},
				{"describe_call", "throw", []string{"the description broke"}, ""},
				{"describe_call", "many", []string{"targets"}, ""},
				{"describe_call", "a million", []string{"describe_call"}, ""}, // memory or fuel may end first
				{"describe_call", "many marks", []string{"marks"}, ""},
				{"describe_call", "many actions", []string{"actions"}, ""},
				{"describe_call", "many effects", []string{"effects"}, ""},
				{"describe_call", "text", []string{"UTF-8", "surrogate"}, "rust"},
			} {
				if strings.Contains(tc.not, language) {
					continue
				}
				envelope := `{"tool":"Broken","input":{"how":"` + tc.how + `"},"behavior":"deny","rules":[{"content":"x"}]}`
				answer := m.Run(t.Context(), tc.verb, []byte(envelope))
				if answer.Err == nil || !slices.ContainsFunc(tc.says, func(word string) bool { return strings.Contains(answer.Err.Error(), word) }) {
					t.Errorf("%s, %s: got %.200s, %v; want an error that says %q", tc.verb, tc.how, answer.Output, answer.Err, tc.says)
				}
			}
		})
	}
}

// TestKitchenSources: the modules of testdata/kitchen are of the sources as they are.
func TestKitchenSources(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile(filepath.Join(kitchenModules, "sources.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		want, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(kitchenModules, file))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != want {
			t.Errorf("%s is another than when the modules were built: run testdata/kitchen/build.sh", file)
		}
	}
}

// kitchenModule loads the module in a language: TypeScript is linked here, the others
// are as testdata/kitchen/build.sh made them.
func kitchenModule(t *testing.T, language string) *workbench.Module {
	t.Helper()
	wasm := []byte(nil)
	if language == "typescript" {
		if raceflag.Enabled {
			t.Skip("the engine of scripts runs for minutes under the race detector; go test without -race runs it")
		}
		wasm = deployScript(t, filepath.Join(kitchenModules, "kitchen.ts"))
	} else {
		data, err := os.ReadFile(filepath.Join(kitchenModules, language+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		wasm = data
	}
	bench := benchtest.Open(t)
	m, err := bench.LoadBytes(t.Context(), language+".wasm", wasm)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
