package tool_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/sdk/go/tool"
)

// The SDK says effects only to a host that reads them, says that there may be more where
// the input is not wholly understood, and refuses more than the host takes.
func TestEffects(t *testing.T) {
	t.Parallel()
	module := func(list []tool.Effect) tool.Module {
		return tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[struct {
			Path string `json:"path"`
		}]{
			Name: "T",
			Describe: func(*tool.Call[struct {
				Path string `json:"path"`
			}]) tool.Description {
				return tool.Description{Effects: list}
			},
		})}}
	}
	one := []tool.Effect{{Kind: tool.Deletes, Value: "a", Certain: true, How: tool.WholeTree}}
	const deletes, more = `{"kind":"deletes","value":"a","certain":true,"how":"tree"}`, `{"kind":"runs","value":"unreadable","certain":false}`
	for _, c := range []struct {
		name, input, asks string
		list              []tool.Effect
		want              string
	}{
		{"asked", `{"path":"a"}`, `,"effects":true`, one, `"effects":[` + deletes + `]`},
		{"not asked", `{"path":"a"}`, ``, one, ``},
		{"asked not to", `{"path":"a"}`, `,"effects":false`, one, ``},
		{"none", `{"path":"a"}`, `,"effects":true`, []tool.Effect{}, `"effects":[]`},
		{"not said", `{"path":"a"}`, `,"effects":true`, nil, ``},
		{"an unknown member", `{"path":"a","x":1}`, `,"effects":true`, one, `"effects":[` + deletes + `,` + more + `]`},
		{"an unknown member, not said", `{"path":"a","x":1}`, `,"effects":true`, nil, ``},
		{"another shape", `{"path":7}`, `,"effects":true`, one, ``},
	} {
		out, err := tool.Handle(module(c.list), "describe_call", []byte(`{"tool":"T","input":`+c.input+`,"context":{"cwd":"/"}`+c.asks+`}`))
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want == "" && strings.Contains(string(out), "effects"), !strings.Contains(string(out), c.want):
			t.Errorf("%s: got %s, want %q in it", c.name, out, c.want)
		}
	}
	if _, err := tool.Handle(module(make([]tool.Effect, 257)), "describe_call", []byte(`{"tool":"T","input":{},"context":{"cwd":"/"},"effects":true}`)); err == nil {
		t.Error("257 effects are answered")
	}
}
