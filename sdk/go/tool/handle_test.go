package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/sdk/go/tool"
)

type item struct {
	Name string `json:"name"`
	Dash int    `json:"-n"`
}

type sample struct {
	Command string          `json:"command"`
	Count   int             `json:"count"`
	Items   []item          `json:"items"`
	Free    json.RawMessage `json:"free"`
	Skipped string          `json:"-"`
}

// eager allows everything: the rest is the SDK's own caution.
func eager(anyField bool) tool.Module {
	yes := "yes"
	return tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[sample]{
		Name: "T", Aliases: []string{"t"}, AnyField: anyField,
		Check:    func(*tool.Call[sample]) tool.Verdict { return tool.Verdict{Behavior: tool.Allow} },
		ReadOnly: func(*tool.Call[sample]) tool.ReadOnly { return tool.ReadOnly{ReadOnly: true} },
		Match: func(_ *tool.Call[sample], _ tool.Behavior, rules []tool.Rule) []int {
			return tool.Indices(rules, func(tool.Rule) bool { return true })
		},
		Suggest: func(*tool.Call[sample]) []tool.Suggestion { return []tool.Suggestion{{Content: &yes}} },
		Describe: func(c *tool.Call[sample]) tool.Description {
			return tool.Description{Action: "tool:T:" + c.Input.Command}
		},
	})}}
}

func handle(t *testing.T, m tool.Module, verb, input string) string {
	t.Helper()
	out, err := tool.Handle(m, verb, []byte(`{"tool":"T","behavior":"allow","rules":[{"content":"a"},{"content":"b"}],"later":[],"input":`+input+`,"context":{"cwd":"/","future":1}}`))
	if err != nil {
		t.Fatalf("%s %s: %v", verb, input, err)
	}
	return string(out)
}

func TestCaution(t *testing.T) {
	t.Parallel()
	const (
		trusted = "trusted"
		unknown = "unknown member"
		broken  = "not decoded"
	)
	answers := map[string]map[string]string{
		trusted: {"check_permissions": `{"behavior":"allow"}`, "check_read_only": `{"read_only":true}`, "match_rule": `{"matched":[0,1]}`, "generate_suggestions": `{"rules":[{"content":"yes"}]}`},
		unknown: {"check_permissions": `"passthrough"`, "check_read_only": `"read_only":false`, "match_rule": `{"matched":[]}`, "generate_suggestions": `{"rules":[]}`},
		broken:  {"check_permissions": `"bypass_immune":true`, "check_read_only": `"read_only":false`, "match_rule": `{"matched":[]}`, "generate_suggestions": `{"rules":[]}`, "describe_call": `"targets_unknown":true`},
	}
	for _, tc := range []struct{ input, want string }{
		{`{"command":"x","count":2,"items":[{"name":"a","-n":1}],"free":{"any":"thing"}}`, trusted},
		{`{}`, trusted},
		{`{"command":null}`, trusted},
		{`{"command":"x","__proto__":{}}`, unknown},
		{`{"Command":"x"}`, unknown},
		{`{"command":"x","items":[{"name":"a","path":"b"}]}`, unknown},
		{`{"Skipped":"x"}`, unknown},
		{`{"-":"x"}`, unknown},
		{`{"command":5}`, broken},
		{`{"count":"5"}`, broken},
		{`{"count":1.5}`, broken},
		{`{"count":99999999999999999999}`, broken},
		{`{"items":{}}`, broken},
		{`[]`, broken},
		{`"x"`, broken},
		{`null`, broken},
	} {
		t.Run(tc.input, func(t *testing.T) {
			t.Parallel()
			for verb, want := range answers[tc.want] {
				if got := handle(t, eager(false), verb, tc.input); !strings.Contains(got, want) {
					t.Errorf("%s: got %s, want %s", verb, got, want)
				}
			}
			if got := handle(t, eager(true), "check_read_only", tc.input); tc.want == unknown && got != `{"read_only":true}` {
				t.Errorf("with AnyField: got %s", got)
			}
		})
	}
}

func TestDecodeErrorsNameTheMember(t *testing.T) {
	t.Parallel()
	if got := handle(t, eager(false), "check_permissions", `{"items":[{"name":7}]}`); !strings.Contains(got, "items/0/name") {
		t.Errorf("got %s, want it to name items/0/name", got)
	}
}

func TestDenyRulesMatchWhatDoesNotDecode(t *testing.T) {
	t.Parallel()
	for _, behavior := range []string{"deny", "ask"} {
		out, err := tool.Handle(eager(false), "match_rule", []byte(`{"tool":"T","behavior":"`+behavior+`","rules":[{"content":"a"},{"content":"b"}],"input":{"command":1},"context":{}}`))
		if err != nil || string(out) != `{"matched":[0,1]}` {
			t.Errorf("%s: got %s, %v; want every rule", behavior, out, err)
		}
	}
}

func TestRefusedEnvelopes(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"empty":               ``,
		"null":                `null`,
		"list":                `[]`,
		"trailing data":       `{"tool":"T","input":{}} {}`,
		"duplicate name":      `{"tool":"T","tool":"T","input":{}}`,
		"duplicate in input":  `{"tool":"T","input":{"command":"a","command":"b"}}`,
		"duplicate, deep":     `{"tool":"T","input":{"free":[{"a":1,"a":2}]}}`,
		"duplicate, escaped":  `{"tool":"T","input":{"command":"a","c\u006fmmand":"b"}}`,
		"invalid UTF-8":       "{\"tool\":\"T\",\"input\":{\"command\":\"\xff\"}}",
		"lone surrogate":      `{"tool":"T","input":{"command":"\ud800"}}`,
		"other case":          `{"Tool":"T","input":{}}`,
		"unknown tool":        `{"tool":"Other","input":{}}`,
		"wrong context":       `{"tool":"T","input":{},"context":{"cwd":5}}`,
		"wrong behavior":      `{"tool":"T","input":{},"behavior":"passthrough","rules":[]}`,
		"unclosed":            `{"tool":"T","input":{`,
		"deeper than allowed": `{"tool":"T","input":{"free":` + strings.Repeat("[", 20000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := tool.Handle(eager(false), "match_rule", []byte(input)); err == nil {
				t.Errorf("got %s, want an error", out)
			}
		})
	}
	if _, err := tool.Handle(eager(false), "run", []byte(`{"tool":"T","input":{}}`)); err == nil {
		t.Error("unknown verb: want an error")
	}
}

func TestAuthorsMistakesAreErrors(t *testing.T) {
	t.Parallel()
	specs := map[string]struct {
		verb string
		spec tool.Spec[sample]
	}{
		"panic":            {"check_permissions", tool.Spec[sample]{Check: func(*tool.Call[sample]) tool.Verdict { panic("boom") }}},
		"unknown behavior": {"check_permissions", tool.Spec[sample]{Check: func(*tool.Call[sample]) tool.Verdict { return tool.Verdict{Behavior: "yes"} }}},
		"immune deny": {"check_permissions", tool.Spec[sample]{Check: func(*tool.Call[sample]) tool.Verdict {
			return tool.Verdict{Behavior: tool.Deny, BypassImmune: true}
		}}},
		"index too high": {"match_rule", tool.Spec[sample]{Match: func(*tool.Call[sample], tool.Behavior, []tool.Rule) []int { return []int{2} }}},
		"negative index": {"match_rule", tool.Spec[sample]{Match: func(*tool.Call[sample], tool.Behavior, []tool.Rule) []int { return []int{-1} }}},
		"no text":        {"check_permissions", tool.Spec[sample]{Check: func(*tool.Call[sample]) tool.Verdict { return tool.Verdict{Reason: "\xff"} }}},
	}
	for name, tc := range specs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.spec.Name = "T"
			m := tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tc.spec)}}
			out, err := tool.Handle(m, tc.verb, []byte(`{"tool":"T","input":{},"behavior":"deny","rules":[{"content":"a"},{"content":"b"}]}`))
			if err == nil {
				t.Errorf("got %s, want an error", out)
			}
		})
	}
}

func TestMatchIsSortedAndUnique(t *testing.T) {
	t.Parallel()
	m := tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[sample]{
		Name: "T", Match: func(*tool.Call[sample], tool.Behavior, []tool.Rule) []int { return []int{1, 0, 1} },
	})}}
	if got := handle(t, m, "match_rule", `{}`); got != `{"matched":[0,1]}` {
		t.Errorf("got %s", got)
	}
}

// TestNamesTwice: a reader of the first and a reader of the last would differ on the call.
func TestNamesTwice(t *testing.T) {
	t.Parallel()
	m := tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[sample]{Name: "T", AnyField: true})}}
	for _, envelope := range []string{
		`{"tool":"T","tool":"T","input":{}}`, `{"tool":"T","input":{},"input":{}}`, `{"tool":"T","input":{"x":1,"x":1}}`, `{"tool":"T","input":{"x":1,"\u0078":2}}`,
		`{"tool":"T","input":{"x":[{"y":1,"y":1}]}}`, `{"tool":"T","input":{},"later":{"y":1,"y":1}}`,
	} {
		for _, verb := range []string{"check_permissions", "check_read_only", "generate_suggestions", "describe_call"} {
			if out, err := tool.Handle(m, verb, []byte(envelope)); err == nil {
				t.Errorf("%s %s: got %s, want an error", verb, envelope, out)
			}
		}
	}
}

func TestReadOnlyYieldsToCheck(t *testing.T) {
	t.Parallel()
	for _, v := range []tool.Verdict{{Behavior: tool.Deny}, {Behavior: tool.Ask, BypassImmune: true}} {
		m := tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[sample]{
			Name: "T", ReadOnlyTool: true, Check: func(*tool.Call[sample]) tool.Verdict { return v },
		})}}
		if got := handle(t, m, "check_read_only", `{}`); got != `{"read_only":false}` {
			t.Errorf("check %+v: got %s", v, got)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	m := tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[sample]{Name: "T"})}}
	for verb, want := range map[string]string{
		"check_permissions":    `{"behavior":"passthrough"}`,
		"check_read_only":      `{"read_only":false}`,
		"match_rule":           `{"matched":[]}`,
		"generate_suggestions": `{"rules":[{"content":"{\"command\":\"é\",\"count\":1}","description":"exactly this input"},{"content":null,"description":"every call of T"}]}`,
		"describe_call":        `{}`,
	} {
		if got := handle(t, m, verb, `{ "count": 1, "command": "\u00e9" }`); got != want {
			t.Errorf("%s: got %s, want %s", verb, got, want)
		}
	}
	out, err := tool.Handle(m, "describe", nil)
	want := `{"abi":1,"name":"m","version":"1","summary":"","tools":[{"name":"T","aliases":[],"input_schema":{"type":"object"},"read_only":false,"edits_files":false,"always_changes":true,"rule_help":"","rule_examples":[]}]}`
	if err != nil || string(out) != want {
		t.Errorf("describe: got %s, %v", out, err)
	}
}

func TestDescribeRefusesBadModules(t *testing.T) {
	t.Parallel()
	named := func(names ...string) []tool.Tool {
		var tools []tool.Tool
		for _, n := range names {
			tools = append(tools, tool.Define(tool.Spec[sample]{Name: n}))
		}
		return tools
	}
	for name, m := range map[string]tool.Module{
		"empty":     {},
		"no tools":  {Name: "m", Version: "1"},
		"no name":   {Name: "m", Version: "1", Tools: named("")},
		"two alike": {Name: "m", Version: "1", Tools: named("A", "A")},
		"schema":    {Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[sample]{Name: "A", InputSchema: "{"})}},
	} {
		if out, err := tool.Handle(m, "describe", nil); err == nil {
			t.Errorf("%s: got %s, want an error", name, out)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	saying := func(name string) tool.Tool {
		return tool.Define(tool.Spec[sample]{Name: name, Check: func(c *tool.Call[sample]) tool.Verdict {
			return tool.Verdict{Reason: name + " for " + c.Tool}
		}})
	}
	m := tool.Module{Name: "m", Version: "1", Fallback: "other", Tools: []tool.Tool{saying("mcp__*"), saying("mcp__git__*"), saying("mcp__git__push"), saying("other")}}
	for name, want := range map[string]string{
		"mcp__git__push": "mcp__git__push for mcp__git__push",
		"mcp__git__pull": "mcp__git__* for mcp__git__pull",
		"mcp__x":         "mcp__* for mcp__x",
		"mcp_x":          "other for mcp_x",
	} {
		out, err := tool.Handle(m, "check_permissions", []byte(`{"tool":"`+name+`","input":{}}`))
		if err != nil || !strings.Contains(string(out), `"`+want+`"`) {
			t.Errorf("%s: got %s, %v; want %q", name, out, err, want)
		}
	}
}

func TestMatchParameters(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		content, input string
		allow, deny    bool
	}{
		{`{"b":1,"a":"x"}`, `{ "a": "\u0078", "b": 1 }`, true, true},
		{`{"a":"x"}`, `{"a":"x","b":1}`, false, false},
		{`{"n":9007199254740993}`, `{"n":9007199254740992}`, false, true}, // for many programs the same
		{`{"n":9007199254740993}`, `{"n":9007199254740995}`, false, false},
		{`{"n":1.0}`, `{"n":1}`, false, true},
		{`{"n":[1,{"m":20}]}`, `{"n":[1e0,{"m":2e1}]}`, false, true},
		{`{"n":-0}`, `{"n":0.0}`, false, true},
		{`{"n":"1"}`, `{"n":1}`, false, false},
		{`{"n":1e999}`, `{"n":1e998}`, false, true},
		{"n:5", `{"n":5.0}`, false, true},
		{"n:5", `{"n":[4,5e0]}`, false, true},
		{"Target:prod", `{"target":"prod"}`, false, true},
		{"target:*", `{"target":["a"]}`, true, true},
		{"target:*staging*", `{"target":["prod","staging"]}`, false, true},
		{"target:prod-*", `{"target":{"name":"prod-1"}}`, false, true},
		{"target:prod-*", `{"target":{"name":"dev-1"}}`, false, false},
		{"target:staging", `{"target":"staging","__proto__":{"target":"prod"}}`, false, true},
		{"target:prod", `{"constructor":{"prototype":{"target":"prod"}}}`, false, true},
		{`{"__proto__":{}}`, `{"__proto__":{}}`, true, true},
		{`{"A":"x"}`, `{"a":"x"}`, false, false},
		{"target:staging-*", `{"target":"staging-web","force":true}`, true, true},
		{"target:staging-*", `{"target":"prod"}`, false, false},
		{"target:*", `{"target":"a:b*c"}`, true, true},
		{"target:a*b*c", `{"target":"axbxc"}`, true, true},
		{"target:a*a", `{"target":"a"}`, false, false},
		{"target:", `{"target":""}`, true, true},
		{"target:*", `{}`, false, false},
		{"n:5", `{"n":5}`, true, true},
		{"on:true", `{"on":true}`, true, true},
		{"target:prod", `{"target":["staging","prod"]}`, false, true},
		{`target:["staging","prod"]`, `{"target":["staging","prod"]}`, true, true},
		{"target", `{"target":"target"}`, false, true},
	} {
		for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.allow, tool.Deny: tc.deny} {
			got := len(tool.MatchParameters(json.RawMessage(tc.input), behavior, []tool.Rule{{Content: tc.content}})) == 1
			if got != want {
				t.Errorf("%s rule %s on %s: got %v, want %v", behavior, tc.content, tc.input, got, want)
			}
		}
	}
}

// FuzzHandle throws bytes at every verb: no panic, and no allowance for undecodable ones.
func FuzzHandle(f *testing.F) {
	f.Add(`{"tool":"T","input":{"command":"x"},"behavior":"allow","rules":[{"content":"a"}]}`)
	f.Add(`{"tool":"t","input":[],"context":{"targets":[{"kind":"path"}]}}`)
	f.Add(`{"tool":"T","input":{"items":[{"x":1}]}}`)
	m := eager(false)
	f.Fuzz(func(t *testing.T, envelope string) {
		for _, verb := range []string{"describe", "check_permissions", "check_read_only", "match_rule", "generate_suggestions", "describe_call"} {
			out, err := tool.Handle(m, verb, []byte(envelope))
			if (err == nil) != json.Valid(out) {
				t.Fatalf("%s: answer %q, error %v", verb, out, err)
			}
			if verb == "check_permissions" && strings.Contains(string(out), `"allow"`) {
				var e struct{ Input *sample }
				if json.Unmarshal([]byte(envelope), &e) != nil || e.Input == nil {
					t.Fatalf("%s allowed", envelope)
				}
			}
		}
	})
}

// TestCheckSeesInputAndContext: a tool's own check judges by the actual input, and by the place
// and the mode of the call.
func TestCheckSeesInputAndContext(t *testing.T) {
	t.Parallel()
	m := tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[sample]{
		Name: "T", Check: func(c *tool.Call[sample]) tool.Verdict {
			return tool.Verdict{Behavior: tool.Ask, Reason: strings.Join([]string{c.Tool, c.Input.Command, c.Context.CWD, string(c.Context.Mode), c.Context.User}, " ")}
		},
	})}}
	out, err := tool.Handle(m, "check_permissions", []byte(`{"tool":"T","input":{"command":"x"},"context":{"cwd":"/p","mode":"accept_edits","user":"ann"}}`))
	if want := `{"behavior":"ask","reason":"T x /p accept_edits ann"}`; err != nil || string(out) != want {
		t.Errorf("got %s, %v; want %s", out, err, want)
	}
}
