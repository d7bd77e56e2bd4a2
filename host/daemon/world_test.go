package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/compiledtest"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/daemon"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/presence"
	"github.com/callgate/callgate/plugins"
)

// cache holds the compiled modules of all tests of this package, those of the
// daemons that are killed included.
var cache string

// childRoot names, for the copy of this test that is to be killed, where its
// daemon lives; childCache is its cache.
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
	os.Exit(compiledtest.Main(plugins.Modules(), func(dir string) int {
		cache = dir
		return m.Run()
	}))
}

func serveUntilKilled(root, cache string) error {
	d, err := open(root, cache, nil)
	if err != nil {
		return err
	}
	fmt.Println(d.Address())
	return d.Run(context.Background())
}

func dirsOf(root, cache string) config.Dirs {
	return config.Dirs{
		Home: filepath.Join(root, "home"), Config: filepath.Join(root, "config"), State: filepath.Join(root, "state"), Cache: cache,
	}
}

// open opens a daemon that lives below root, on a port of its own.
func open(root, cache string, log *slog.Logger) (*daemon.Daemon, error) {
	dirs := dirsOf(root, cache)
	cfg, err := config.Open(dirs.ConfigFile(), dirs)
	if err != nil {
		return nil, err
	}
	l, err := api.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return daemon.Open(context.Background(), daemon.Options{
		Host: host.Options{Config: cfg, CacheDir: cache, Modules: plugins.Modules(), Log: log}, State: dirs.State, Version: "test", Listener: l,
	})
}

// newRoot makes the directories of a daemon and its configuration. It skips
// where the modules have not been built.
func newRoot(t *testing.T, yaml string) string {
	t.Helper()
	if len(plugins.Names()) == 0 {
		t.Skip("SKIPPED: the tool modules are not built: run make build")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"home", "config", "state"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	configure(t, root, yaml)
	return root
}

// configure writes the configuration as an editor does: a new file over the old.
func configure(t *testing.T, root, yaml string) {
	t.Helper()
	path := dirsOf(root, cache).ConfigFile()
	if err := os.WriteFile(path+".new", []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// run opens a daemon and lets it serve until stop is called.
func run(t *testing.T, root string, log *slog.Logger) (d *daemon.Daemon, stop func()) {
	t.Helper()
	d, err := open(root, cache, log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return d, stop
}

const pin = "4711 0815"

// choosePIN sets the approver PIN as the daemon's own terminal does.
func choosePIN(t *testing.T, d *daemon.Daemon) {
	t.Helper()
	if err := d.Presence.Set(t.Context(), "", pin, presence.Who{By: "ann"}); err != nil {
		t.Fatal(err)
	}
}

// dial connects as the holder of a token file.
func dial(t *testing.T, address, tokenFile string) *api.Client {
	t.Helper()
	token, err := api.ReadToken(tokenFile)
	if err != nil {
		t.Fatal(err)
	}
	c, err := api.Dial(address, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func agentToken(root, agent string) string {
	return api.CheckTokenFile(dirsOf(root, cache).State, agent)
}

func adminToken(root string) string { return api.AdminTokenFile(dirsOf(root, cache).State) }

func bash(session, id, command string) gate.Request {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err) // a text always encodes
	}
	return gate.Request{CallID: id, Tool: "Bash", Input: input, Context: gate.Claim{Session: session, CWD: "/"}}
}

// lines is a log that can be waited on.
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
