package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/client"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
	"github.com/callgate/callgate/plugins"
)

func TestMain(m *testing.M) { os.Exit(compiledtest.Tests{M: m, Modules: plugins.Modules()}.Run()) }

// An agent's loop asks before each call, and runs the input that was approved.
func Example() {
	gate, err := client.Open(client.Options{Endpoint: "/run/none/callgate.sock", Token: "not a token"})
	if err != nil {
		fmt.Println("no gate, so no call runs")
		return
	}
	p := gate.CanUseTool(context.Background(), wire.Request{Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`)})
	fmt.Println(p.Allowed, p.Message)
	// Output: no gate, so no call runs
}

const yaml = `
rules: [{allow: Deploy}, {deny: Destroy}]
asks: {timeout: 1s}
`

// serve starts a daemon and names it for a client.
func serve(t *testing.T) client.Options {
	t.Helper()
	w := world.New(t, yaml)
	w.Serve(nil)
	return client.Options{Endpoint: w.Dirs.Socket(), TokenFile: tokenfile.Check(w.Dirs.State, tokenfile.DefaultAgent)}
}

// TestClient: what the daemon allows runs, and nothing else.
func TestClient(t *testing.T) {
	t.Parallel()
	c, err := client.Open(serve(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	request := func(tool string) wire.Request {
		return wire.Request{CallID: tool, Tool: tool, Input: json.RawMessage(`{"n":1}`), Context: wire.CallContext{Session: "s"}}
	}
	for tool, want := range map[string]bool{"Deploy": true, "Destroy": false, "Unknown": false} {
		ran := false
		err := c.Run(t.Context(), request(tool), func(_ context.Context, input json.RawMessage) error {
			ran = string(input) == `{"n":1}`
			return nil
		})
		if ran != want || errors.Is(err, client.ErrDenied) == want {
			t.Errorf("%s: ran %t, %v; want %t", tool, ran, err, want)
		}
	}
	if err := c.Run(t.Context(), wire.Request{Tool: "Deploy"}, nil); !errors.Is(err, client.ErrDenied) {
		t.Errorf("without an id: got %v", err)
	}
	if res, err := c.Evaluate(t.Context(), request("Unknown")); err != nil || res.Decision.Behavior != engine.Ask {
		t.Errorf("evaluate: got %s, %v", res.Decision.Behavior, err)
	}
	tools, err := c.VisibleTools(t.Context(), wire.VisibleToolsRequest{Tools: []string{"Deploy", "Destroy"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if tool.Name == "Destroy" {
			t.Error("a tool that never runs is shown")
		}
	}
}

// TestClient_noDaemon: a failure denies, and says what to do.
func TestClient_noDaemon(t *testing.T) {
	t.Parallel()
	o := serve(t)
	o.Endpoint = filepath.Join(t.TempDir(), "none.sock")
	c, err := client.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	p := c.CanUseTool(t.Context(), wire.Request{Tool: "Deploy", Input: json.RawMessage(`{}`)})
	if p.Allowed || !strings.Contains(p.Message, "callgate serve") {
		t.Errorf("got %+v", p)
	}
	o.TokenFile += ".none"
	if _, err := client.Open(o); err == nil {
		t.Error("a missing token was taken")
	}
}

// TestTypeScript runs the tests of sdk/client/typescript against a daemon.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH")
	}
	o := serve(t)
	cmd := exec.CommandContext(t.Context(), node, "--test", "index.test.js")
	cmd.Dir = repo.File("sdk", "client", "typescript")
	cmd.Env = append(os.Environ(), "CALLGATE_ENDPOINT="+o.Endpoint, "CALLGATE_TOKEN_FILE="+o.TokenFile)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
