package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
	"github.com/callgate/callgate/plugins"
)

// childRoot names, for the copy of this test to be killed, the place of its daemon; childCache
// is its cache.
const (
	childRoot  = "CALLGATE_TEST_DAEMON_ROOT"
	childCache = "CALLGATE_TEST_DAEMON_CACHE"
)

func TestMain(m *testing.M) {
	if root := os.Getenv(childRoot); root != "" {
		if err := serveUntilKilled(root, os.Getenv(childCache)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(compiledtest.Tests{M: m, Modules: plugins.Modules()}.Run())
}

// serveUntilKilled is the daemon of a world, in a process of its own.
func serveUntilKilled(root, cache string) error {
	dirs := world.DirsOf(root, cache)
	cfg, err := config.Open("", dirs)
	if err != nil {
		return err
	}
	l, err := api.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d, err := daemon.Open(context.Background(), daemon.Options{
		Host: assembly.Options{Config: cfg, CacheDir: cache, Modules: plugins.Modules()}, State: dirs.State, Version: "test", Listener: l,
	})
	if err != nil {
		return err
	}
	fmt.Println(d.Address())
	return d.Run(context.Background())
}

// newWorld is one with daemons on ports of their own.
func newWorld(t *testing.T, yaml string) *world.World {
	t.Helper()
	w := world.New(t, yaml)
	w.Port = true
	return w
}

func bash(session, id, command string) wire.Request {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err) // a text always encodes
	}
	return wire.Request{CallID: id, Tool: "Bash", Input: input, Context: wire.CallContext{Session: session, CWD: "/"}}
}

// lines is a log with waits.
type lines struct{ each chan string }

func newLines() lines { return lines{make(chan string, 1024)} }

func (l lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// Write implements io.Writer.
func (l lines) Write(p []byte) (int, error) {
	l.each <- string(p)
	return len(p), nil
}

// await returns the first line with the text once it was logged.
func (l lines) await(t *testing.T, text string) string {
	t.Helper()
	for {
		select {
		case line := <-l.each:
			if strings.Contains(line, text) {
				return line
			}
		case <-t.Context().Done():
			t.Fatalf("the log never said %q", text)
		}
	}
}
