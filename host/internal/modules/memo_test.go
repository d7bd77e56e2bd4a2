package modules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// answersAre wants so many questions to have run a module, and to have been remembered.
func answersAre(t *testing.T, c *modules.Catalog, run, remembered int64) {
	t.Helper()
	if r, m := c.Answers(); r != run || m != remembered {
		t.Errorf("got %d run, %d remembered; want %d and %d", r, m, run, remembered)
	}
}

// TestAnswers_sameAsARun: after any questions, an answer is that of a run for it, and each
// question is run once.
func TestAnswers_sameAsARun(t *testing.T) {
	t.Parallel()
	r, err := sandbox.New(t.Context(), sandbox.Config{Limits: sandbox.Limits{Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	alone, err := r.Load(t.Context(), "deploy", wasm(t, "deploy"))
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, modules.Options{Runtime: r, Embedded: embedded(t, "deploy"), Fallback: "Deploy"})
	tool, asked := c.Lookup("Deploy").Tool, map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		q := call(fmt.Sprintf(`{"target":%q,"action":%q}`, rapid.SampledFrom([]string{"staging/web", "production/web", "staging/db"}).Draw(rt, "target"), rapid.SampledFrom([]string{"", "status"}).Draw(rt, "action")))
		q.Context.Session = rapid.SampledFrom([]string{"s", "t"}).Draw(rt, "session")
		q.Context.Mode = rapid.SampledFrom([]engine.Mode{engine.DefaultMode, engine.Explore}).Draw(rt, "mode")
		if rapid.Bool().Draw(rt, "configured") {
			q.Context.Config = json.RawMessage(`{"k":"v"}`)
		}
		text, err := modules.Envelope(sandbox.CheckPermissions, "Deploy", q, nil, "", nil)
		if err != nil {
			rt.Fatal(err)
		}
		asked[string(text)] = true
		raw, err := alone.Append(t.Context(), nil, sandbox.Request{Export: sandbox.CheckPermissions, Input: text, Config: modules.ConfigLookup(q.Context.Config)})
		if err != nil {
			rt.Fatal(err)
		}
		var want struct{ Behavior, Reason, Message string }
		if err := json.Unmarshal(raw, &want); err != nil {
			rt.Fatal(err)
		}
		got, err := tool.CheckPermissions(t.Context(), q)
		if err != nil || got.Behavior.String() != want.Behavior || got.Reason != want.Reason || got.Message != want.Message {
			rt.Fatalf("%s: got %+v, %v; run alone it says %s", text, got, err, raw)
		}
	})
	if run, _ := c.Answers(); run != int64(len(asked)) {
		t.Errorf("%d questions ran %d times", len(asked), run)
	}
}

// TestAnswers_otherQuestions: another verb, other rules, another behavior and another
// tool are other questions.
func TestAnswers_otherQuestions(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{Embedded: embedded(t, "deploy"), Fallback: "Deploy"})
	tool, q := c.Lookup("Deploy").Tool, call(`{"target":"staging/web"}`)
	match := func(behavior engine.Behavior, rules ...engine.RuleText) {
		if _, err := tool.MatchRule(t.Context(), q, behavior, rules); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		match(engine.Allow, engine.RuleText{Content: "staging/*"})
		match(engine.Deny, engine.RuleText{Content: "staging/*"})
		match(engine.Allow, engine.RuleText{Content: "staging/*", Root: "/r"})
		match(engine.Allow, engine.RuleText{Content: "staging/*"}, engine.RuleText{Content: "staging/*"})
		if _, err := tool.CheckReadOnly(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Lookup("another").Tool.CheckReadOnly(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	answersAre(t, c, 6, 6)
}

// TestAnswers_failuresRunAgain: nothing of a failure is remembered, and an ended call fails
// although its answer is known.
func TestAnswers_failuresRunAgain(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{Embedded: embedded(t, "trap", "echo", "deploy"), Fallback: "echo"})
	for range 2 {
		if v, err := c.Lookup("trap").Tool.CheckPermissions(t.Context(), call(`{}`)); err == nil {
			t.Errorf("got %+v; want an error", v)
		}
	}
	answersAre(t, c, 2, 0)
	tool := c.Lookup("Deploy").Tool
	if _, err := tool.CheckPermissions(t.Context(), call(`{"target":"staging/web"}`)); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if v, err := tool.CheckPermissions(ended, call(`{"target":"staging/web"}`)); err == nil || v != (engine.Verdict{}) {
		t.Errorf("of a call that has ended: got %+v, %v; want an error", v, err)
	}
	answersAre(t, c, 3, 0)
}

// TestAnswers_notAcrossASwap: after a swap to other bytes and back each question is run
// again, also by the module with the bytes of before.
func TestAnswers_notAcrossASwap(t *testing.T) {
	t.Parallel()
	dir := directory(t, "deploy")
	c := open(t, modules.Options{Dir: dir, Fallback: "Deploy"})
	ask := func() {
		t.Helper()
		for range 2 {
			if v, err := c.Lookup("Deploy").Tool.CheckPermissions(t.Context(), call(`{"target":"staging/web"}`)); err != nil {
				t.Errorf("got %+v, %v", v, err)
			}
		}
	}
	ask()
	answersAre(t, c, 1, 1)
	if err := os.Remove(filepath.Join(dir, "deploy.wasm")); err != nil {
		t.Fatal(err)
	}
	reload(t, c)
	write(t, dir, "deploy.wasm", wasm(t, "deploy"))
	reload(t, c)
	ask()
	answersAre(t, c, 2, 2)
}
