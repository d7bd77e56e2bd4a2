package convert_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/convert"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/toolkit/eval"
	"github.com/callgate/callgate/plugins"
)

func TestMain(m *testing.M) { os.Exit(compiledtest.Tests{M: m, Modules: plugins.Modules()}.Run()) }

var opened = sync.OnceValues(func() (*eval.Evaluator, error) {
	c, err := compiledtest.Catalog()
	if err != nil {
		return nil, err
	}
	return eval.New(c), nil
})

// gate decides calls by the rules a report would store, with the real modules.
type gate struct {
	e     *eval.Evaluator
	agent config.Agent
}

// gateOf is a gate for one agent with the rules a report would store.
func gateOf(t fataler, r *convert.Report, agent string) gate {
	t.Helper()
	e, err := opened()
	if err != nil {
		t.Fatalf("%v", err)
	}
	c, err := config.Parse("callgate.yaml", []byte(r.YAML()), dirs)
	if err != nil {
		t.Fatalf("%v\n%s", err, r.YAML())
	}
	return gate{e, c.Agent(agent)}
}

// fataler is the common part of a test and a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// call is one tool call.
type call struct {
	tool  string
	input map[string]any
}

func shell(command string) call { return call{"Bash", map[string]any{"command": command}} }

// decide returns the behavior of each call, and whether it only reads by itself.
func (g gate) decide(t fataler, calls ...call) (behaviors []string, reads []bool) {
	t.Helper()
	var in, out bytes.Buffer
	where := map[string]any{"cwd": "/p", "working_directories": []string{"/p"}, "home": "/home/dev"}
	rules := []map[string]any{}
	for _, r := range g.agent.Rules.All() {
		rules = append(rules, map[string]any{"tool": r.Tool, "content": r.Content, "behavior": r.Behavior.String()})
	}
	for _, c := range calls {
		req := map[string]any{"id": "d", "op": "decide", "mode": g.agent.Mode.String(), "rules": rules, "tool": c.tool, "input": c.input, "context": where, "disallowed_tools": g.agent.Lists.Disallowed}
		if g.agent.Lists.Allowed != nil {
			req["allowed_tools"] = g.agent.Lists.Allowed
		}
		for _, q := range []map[string]any{req, {"id": "r", "op": "read_only", "tool": c.tool, "input": c.input, "context": where}} {
			line, err := json.Marshal(q)
			if err != nil {
				t.Fatalf("%v", err)
			}
			in.Write(append(line, '\n'))
		}
	}
	if err := g.e.Run(context.Background(), &in, &out); err != nil {
		t.Fatalf("%v", err)
	}
	dec := json.NewDecoder(&out)
	for range calls {
		var d struct {
			Behavior string `json:"behavior"`
			Error    string `json:"error"`
		}
		var r struct {
			ReadOnly bool   `json:"read_only"`
			Error    string `json:"error"`
		}
		if err := dec.Decode(&d); err != nil || d.Error != "" {
			t.Fatalf("%v %s", err, d.Error)
		}
		if err := dec.Decode(&r); err != nil || r.Error != "" {
			t.Fatalf("%v %s", err, r.Error)
		}
		behaviors, reads = append(behaviors, d.Behavior), append(reads, r.ReadOnly)
	}
	return behaviors, reads
}
