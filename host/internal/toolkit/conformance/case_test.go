package conformance_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/toolkit/conformance"
	"github.com/callgate/callgate/host/internal/toolkit/workbench/cases"
)

// TestCase: a finding's written case puts its very call.
func TestCase(t *testing.T) {
	t.Parallel()
	unknown, no := true, false
	rules := []trial.RuleSet{{Behavior: "deny", Contents: []string{"a: b", "- x"}, Root: "/p"}}
	for name, c := range map[string]conformance.Case{
		"the input alone": {Call: trial.Call{Tool: "Note", Input: json.RawMessage(`{"a":"#\n"}`)}, ReadOnly: &no},
		"raw":             {Call: trial.Call{Tool: "Note", Raw: []byte("{\"a\":1} \n")}, ReadOnly: &no},
		"no text":         {Call: trial.Call{Tool: "Note", Raw: []byte{0xff, 0}}, ReadOnly: &no},
		"a place of its own": {Call: trial.Call{
			Tool: "Note", Input: json.RawMessage(`{}`), CWD: "/c", Home: "/h", Mode: "plan", WorkingDirectories: []string{"/c", "/d"},
			Config: json.RawMessage(`{"k":[1]}`), Links: map[string]string{"/c/l": "/etc"}, TargetsUnknown: &unknown,
			Targets: []engine.Target{{Kind: "path", Value: "l", Access: "read"}}, Rules: rules,
		}, Matched: [][]int{{1}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := c.YAML("one")
			if err != nil {
				t.Fatal(err)
			}
			read, err := cases.Parse("cases.yaml", text)
			if err != nil {
				t.Fatalf("%v:\n%s", err, text)
			}
			if got := read[0].Call; !reflect.DeepEqual(got, c.Call) {
				t.Errorf("got %+v; want %+v; of\n%s", got, c.Call, text)
			}
		})
	}
}
