package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/wire"
	"github.com/callgate/callgate/plugins"
)

// A program of one's own asks before each tool call, and answers its asks.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "callgate")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory
	gate, err := host.Open(context.Background(), host.Options{
		Dir: dir,
		// Modules: plugins.Modules(), for the shell, files, git, the web, ...
		Approve: func(_ context.Context, ask wire.CallbackRequest) (engine.CallbackAnswer, error) {
			fmt.Println("asked about", ask.Action)
			return engine.CallbackAnswer{Behavior: engine.Deny, Reason: "not on a Friday"}, nil
		},
	})
	if err != nil {
		panic(err)
	}
	defer func() { _ = gate.Close() }() // the program ends
	res, err := gate.Check(context.Background(), wire.Request{Tool: "Deploy", Input: json.RawMessage(`{"to": "staging"}`)})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Decision.Behavior, res.Outcome, res.DecidedBy)
	fmt.Println(res.Decision.Message)
	// Output:
	// asked about tool:Deploy:{"to":"staging"}
	// deny ask_denied the host program
	// Deploy was denied: not on a Friday. Do not retry it: do something else, or ask the user.
}

func TestMain(m *testing.M) { os.Exit(compiledtest.Tests{M: m, Modules: plugins.Modules()}.Run()) }

// TestHost: without an approver an ask denies; a relative directory and an unreadable
// configuration are errors; a report is compared; a tool with every call denied is not shown.
func TestHost(t *testing.T) {
	t.Parallel()
	if _, err := host.Open(t.Context(), host.Options{Dir: "state"}); err == nil {
		t.Error("a relative directory was taken")
	}
	dir := t.TempDir()
	config := dir + "/mine.yaml"
	if err := os.WriteFile(config, []byte("modes: wrong\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := host.Open(t.Context(), host.Options{Dir: dir, ConfigFile: config}); err == nil {
		t.Error("a wrong configuration was taken")
	}
	modules := compiledtest.Modules(t)
	if err := os.WriteFile(config, []byte("rules: [{allow: Deploy}, {deny: Destroy}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := host.Open(t.Context(), host.Options{Dir: dir, ConfigFile: config, CacheDir: compiledtest.Cache(), Modules: modules})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := wire.Request{CallID: "1", Tool: "Ask", Input: json.RawMessage(`{}`), Reports: true, Context: wire.CallContext{Session: "s"}}
	for tool, want := range map[string]engine.Behavior{"Ask": engine.Deny, "Deploy": engine.Allow, "Destroy": engine.Deny} {
		r.Tool, r.CallID = tool, tool
		if res, err := h.Check(t.Context(), r); err != nil || res.Decision.Behavior != want || res.AuditSeq == 0 {
			t.Errorf("%s: got %+v, %v; want %s, audited", tool, res, err, want)
		}
	}
	r.Tool = "Ask"
	if res, err := h.Evaluate(t.Context(), r); err != nil || res.Decision.Behavior != engine.Ask {
		t.Errorf("evaluate: got %+v, %v; want an ask", res, err)
	}
	if got, err := h.Finish(t.Context(), wire.Finished{CallID: "Deploy", Tool: "Deploy", Input: json.RawMessage(`{}`), Context: r.Context}); err != nil || !got.Match {
		t.Errorf("what ran is what was allowed: got %+v, %v", got, err)
	}
	if got, err := h.Finish(t.Context(), wire.Finished{CallID: "Destroy", Tool: "Destroy", Input: json.RawMessage(`{}`), Context: r.Context}); err != nil || got.Match {
		t.Errorf("what was denied ran: got %+v, %v", got, err)
	}
	tools, err := h.VisibleTools(t.Context(), wire.VisibleToolsRequest{Tools: []string{"Deploy", "Destroy"}})
	named := func(name string) bool {
		return slices.ContainsFunc(tools.Tools, func(tool wire.VisibleTool) bool { return tool.Name == name })
	}
	if err != nil || !named("Deploy") || named("Destroy") {
		t.Errorf("got %d tools, Deploy %t, Destroy %t, %v; want Deploy without Destroy", len(tools.Tools), named("Deploy"), named("Destroy"), err)
	}
}
