package history_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/internal/text/jsonschema"
)

// TestToOCSF: each kind of row fits the class, and says who, what, and how it was decided.
func TestToOCSF(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/ocsf-api-activity.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1700000000, 5e6)
	for _, k := range []struct {
		name string
		row  store.Row
		want []string
	}{
		{"allowed", store.Row{Seq: 1, Time: at, Event: store.EventDecision, Agent: "ci", Session: "s", User: "ann", Tool: "Bash", CallID: "c1", Action: "tool:bash:ls", Decision: store.Allowed, Stage: "read_only", Latency: 5},
			[]string{`"action_id":1`, `"disposition_id":1`, `"status_id":1`, `"severity_id":1`, `"time":1700000000005`, `"operation":"Bash"`, `"app_name":"ci"`, `"user":{"name":"ann"}`, `"request":{"uid":"c1"}`, `"stage":"read_only"`, `"latency_ns":"5"`}},
		{"denied", store.Row{Seq: 2, Time: at, Event: store.EventDecision, Tool: "Bash", Decision: store.AskTimeout, RuleText: "Bash(x)"},
			[]string{`"action_id":2`, `"disposition_id":2`, `"status_id":2`, `"severity_id":2`, `"message":"ask_timeout"`, `"rule_text":"Bash(x)"`, `"app_name":"callgate"`}},
		{"approved", store.Row{Seq: 3, Time: at, Event: store.EventDecision, Agent: "ci", Tool: "Bash", Decision: store.AskApproved, DecidedBy: "bob"},
			[]string{`"action_id":1`, `"decided_by":"bob"`, `"user":{"name":"bob"}`}},
		{"no decision", store.Row{Seq: 4, Time: at, Event: store.EventRuleAdded, DecidedBy: "ann", RuleText: "Bash(ls)"},
			[]string{`"activity_name":"rule_added"`, `"operation":"rule_added"`, `"status_id":1`}},
		{"a call that ran differently", store.Row{Seq: 5, Time: at, Event: store.EventCallMismatch, Agent: "ci", Tool: "Bash"}, []string{`"severity_id":4`}},
	} {
		text, err := json.Marshal(history.ToOCSF(k.row))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(text); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
		for _, want := range k.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %s in %s", k.name, want, text)
			}
		}
		if strings.Contains(string(text), "action_id") != (k.row.Event == store.EventDecision) {
			t.Errorf("%s: a decision, and nothing else, has an action: %s", k.name, text)
		}
	}
}
