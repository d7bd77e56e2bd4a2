package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/daemon"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/presence"
	"github.com/callgate/callgate/host/terminal"
	"github.com/callgate/callgate/plugins"
)

// newClient starts a daemon of its own and connects as its admin.
func newClient(t *testing.T) *api.Client {
	t.Helper()
	if err := needModules(); err != nil {
		t.Skip("no tool modules in this binary: run make build")
	}
	home, err := os.MkdirTemp("", "cg") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) }) // the system empties its temporary directory
	dirs := config.Dirs{Home: home, Config: filepath.Join(home, "config"), State: filepath.Join(home, "state"), Cache: filepath.Join(sharedCache, "callgate")}
	ctx, cancel := context.WithCancel(context.Background())
	l, err := api.Listen("tcp", "127.0.0.1:0") // over a socket it would matter whether the test has a terminal
	if err != nil {
		t.Fatal(err)
	}
	d, err := daemon.Open(ctx, daemon.Options{
		Host: host.Options{Config: config.Default(dirs), CacheDir: dirs.Cache, Modules: plugins.Modules()}, State: dirs.State, Listener: l,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Presence.Set(ctx, "", "4711 0815", presence.Who{By: "ann"}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("daemon: %v", err)
		}
	})
	token, err := api.ReadToken(api.AdminTokenFile(dirs.State))
	if err != nil {
		t.Fatal(err)
	}
	client, err := api.Dial(d.Address().String(), token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func TestWatchAnswersByKey(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	var screen bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	watching := make(chan error, 1)
	w := watcher{client: client, by: "ann", out: &screen, terminal: terminal.New(strings.NewReader("s0815 4711\r4711 0815\ryn"), &screen)}
	go func() { watching <- w.run(ctx) }()

	for _, tt := range []struct {
		name, command string
		want          engine.Behavior
		by            string
	}{
		{"accepted for the session, with the PIN", "npm run build", engine.Allow, "ann"},
		{"allowed by its rule", "npm run lint", engine.Allow, ""},
		{"approved once", "npm install", engine.Allow, "ann"},
		{"denied", "npm publish", engine.Deny, "ann"},
	} {
		input, err := json.Marshal(map[string]string{"command": tt.command})
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Check(t.Context(), gate.Request{Tool: "Bash", Input: input, Context: gate.Claim{CWD: "/"}}, nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if res.Decision.Behavior != tt.want || res.DecidedBy != tt.by {
			t.Errorf("%s: got %s by %q, want %s by %q", tt.name, res.Decision.Behavior, res.DecidedBy, tt.want, tt.by)
		}
	}
	cancel()
	if err := <-watching; err != nil {
		t.Errorf("watch: %v", err)
	}
	for _, want := range []string{"Call of Bash: may it run?", "npm install", "stored: allow Bash(npm run:*) (session)", "Approver PIN: \nwrong PIN: 4 tries left\nApprover PIN: \n"} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("screen: want %q in\n%s", want, screen.String())
		}
	}
}
