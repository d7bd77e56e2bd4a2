package modulediff_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/modulediff"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/internal/testkit/benchtest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

func load(t *testing.T, path string) *trial.Module {
	t.Helper()
	return &benchtest.Load(t, repo.File("testdata")+"/"+path).Module
}

func export(t *testing.T, rows ...store.Row) string {
	t.Helper()
	var out strings.Builder
	for i, r := range rows {
		r.Seq = int64(i + 1)
		if r.Event == "" {
			r.Event, r.Decision = store.EventDecision, store.Allowed
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", line)
	}
	return out.String()
}

func deploy(name string) bool { return name == "Deploy" || name == "deploy" }

func TestRead(t *testing.T) {
	text := export(t,
		store.Row{Tool: "Deploy", Input: `{"target":"a/b","operation":"status"}`},
		store.Row{Tool: "Bash", Input: `{"command":"ls"}`},
		store.Row{Tool: "Deploy", Input: `{ "operation":"status", "target":"a/b"}`},
		store.Row{Tool: "Deploy", Input: `{"target":"[masked:0a1b2c3d]"}`},
		store.Row{Tool: "Deploy", Input: `{"target":"cut off`},
		store.Row{Event: store.EventRuleAdded, Tool: "Deploy", RuleText: "Deploy(x)"},
	)
	c, err := modulediff.Read(strings.NewReader(text+"\n"), time.Time{}, deploy)
	if err != nil {
		t.Fatal(err)
	}
	if c.Rows != 4 || c.Unreadable != 1 || len(c.List) != 2 {
		t.Fatalf("calls are %+v", c)
	}
	if one := c.List[0]; one.Times != 2 || one.Seq != 3 || one.Masked || string(one.Input) != `{"operation":"status","target":"a/b"}` {
		t.Errorf("first call is %+v", one)
	}
	if !c.List[1].Masked {
		t.Error("a masked input is not marked")
	}
	for _, bad := range []string{"oops\n", `{"event":1}`, strings.Repeat("x", 5<<20)} {
		if _, err := modulediff.Read(strings.NewReader(bad), time.Time{}, deploy); err == nil {
			t.Errorf("%.20s was read", bad)
		}
	}
}

func rule(behavior engine.Behavior, content string) engine.Rule {
	return engine.Rule{Tool: "deploy", Content: &content, Behavior: behavior, Scope: engine.Global}
}

// Two languages, one meaning; and another module of the same name.
func TestCompare(t *testing.T) {
	calls, err := modulediff.Read(strings.NewReader(export(t,
		store.Row{Tool: "Deploy", Input: `{"operation":"deploy","target":"prod/web"}`},
		store.Row{Tool: "deploy", Input: `{"operation":"status","target":"staging/web"}`},
		store.Row{Tool: "Deploy", Input: `{"operation":"nonsense","target":"[masked:0a1b2c3d]"}`},
	)), time.Time{}, deploy)
	if err != nil {
		t.Fatal(err)
	}
	whole := engine.Rule{Tool: "Deploy", Behavior: engine.Allow}
	rules := []engine.Rule{rule(engine.Allow, "staging/*"), rule(engine.Deny, "prod/*"), {Tool: "Bash", Content: rules1("x"), Behavior: engine.Deny}, whole}
	c, rust, other := load(t, "deploy/c.wasm"), load(t, "deploy/rust.wasm"), load(t, "modules/deploy.wasm")

	r, err := modulediff.Compare(t.Context(), c, rust, calls, rules, 0)
	if err != nil || r.Loosened() || len(r.Changes) > 0 || r.Calls != 3 || r.Masked != 1 || r.Rules != 2 {
		t.Errorf("C and Rust: %+v, %v", r, err)
	}

	r, err = modulediff.Compare(t.Context(), c, other, calls, rules, 0)
	if err != nil || !r.Loosened() {
		t.Fatalf("report is %+v, %v", r, err)
	}
	var out strings.Builder
	r.Print(&out, 100)
	for _, want := range []string{
		"3 rows of the audit, 3 different calls, 2 stored rules\n1 of the calls are kept with secrets masked",
		"\nloosened:\n      3  check\n",
		"  Deploy {\"operation\":\"deploy\",\"target\":\"prod/web\"}\n    (row 1, then allow, once)\n    check: ask, whatever allows it -> ",
		"once, masked)",
		"deny rule prod/*: matches -> does not match",
		"\ntightened:\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if r.Changes[0].Direction != history.Loosened || strings.Index(out.String(), "loosened") > strings.Index(out.String(), "tightened") {
		t.Errorf("order is\n%s", out.String())
	}

	// The other way round, each loosening is a tightening.
	back, err := modulediff.Compare(t.Context(), other, c, calls, rules, 0)
	if err != nil {
		t.Fatal(err)
	}
	count := func(r *history.ModuleDiff, d history.Direction) (n int) {
		for _, c := range r.Changes {
			if c.Direction == d {
				n++
			}
		}
		return n
	}
	if count(r, history.Loosened) != count(back, history.Tightened) || count(r, history.Tightened) != count(back, history.Loosened) {
		t.Errorf("there and back: %+v and %+v", r.Counts, back.Counts)
	}
	out.Reset()
	r.Print(&out, 1)
	if !strings.Contains(out.String(), "more (--all shows them)") {
		t.Errorf("printed\n%s", out.String())
	}
}

func rules1(content string) *string { return &content }

// A failing version allows nothing, so a failure is never a loosening of its allow rules, nor a
// tightening of its deny rules.
func TestFailureIsTheWorst(t *testing.T) {
	calls, err := modulediff.Read(strings.NewReader(export(t, store.Row{Tool: "Deploy", Input: `{"operation":"status","target":"staging/web"}`})), time.Time{}, deploy)
	if err != nil {
		t.Fatal(err)
	}
	rules := []engine.Rule{rule(engine.Allow, "staging/*"), rule(engine.Deny, "nothing/*")}
	was, is := load(t, "deploy/c.wasm"), load(t, "modules/echo.wasm") // its match_rule fails
	r, err := modulediff.Compare(t.Context(), was, is, calls, rules, 0)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, c := range r.Changes {
		if strings.Contains(c.Kind, "rule ") {
			told++
			if c.Direction != history.Tightened {
				t.Errorf("change is %+v", c)
			}
		}
	}
	if told != len(rules) {
		t.Errorf("%d changes of rules in %+v; want one of each rule", told, r.Changes)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"event":"decision","decision":"allow","tool":"Deploy","input":"{}"}`))
	f.Add([]byte("\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := modulediff.Read(strings.NewReader(string(data)), time.Time{}, func(string) bool { return true })
		if err == nil && len(c.List)+c.Unreadable > c.Rows {
			t.Errorf("calls are %+v", c)
		}
	})
}
