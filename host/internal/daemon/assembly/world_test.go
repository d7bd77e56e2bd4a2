package assembly_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/wire"
	"github.com/callgate/callgate/plugins"
)

// cache holds the compiled modules of all tests of this package.
var cache string

func TestMain(m *testing.M) {
	os.Exit(compiledtest.Main(plugins.Modules(), func(dir string) int {
		cache = dir
		return m.Run()
	}))
}

// world is a host over the real first-party modules, its own store and a
// project directory.
type world struct {
	*assembly.Host
	t testing.TB
	// project is the working directory of every agent with PROJECT in the configuration.
	project string
	yaml    string
	dirs    config.Dirs
	// now is the host's clock; nil means time.Now.
	now func() time.Time
	// log is the host's log; nil means none.
	log *slog.Logger
}

// newWorld opens a host on a configuration; PROJECT in it stands for the
// project's directory. It skips where the modules have not been built.
func newWorld(t testing.TB, yaml string) *world {
	t.Helper()
	if len(plugins.Names()) == 0 {
		t.Skip("SKIPPED: the tool modules are not built: run make build")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, project: filepath.Join(root, "project"), yaml: yaml, dirs: config.Dirs{
		Home: filepath.Join(root, "home"), Config: filepath.Join(root, "config"), State: filepath.Join(root, "state"),
	}}
	for _, dir := range []string{w.project, w.dirs.Home, w.dirs.Config, w.dirs.State} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.open()
	return w
}

// open starts a host on the world's store, as after a restart.
func (w *world) open() {
	w.t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(strings.ReplaceAll(w.yaml, "PROJECT", strconv.Quote(w.project))), w.dirs)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Host, err = assembly.Open(context.Background(), assembly.Options{Config: cfg, CacheDir: cache, Modules: plugins.Modules(), Now: w.now, Log: w.log})
	if err != nil {
		w.t.Fatal(err)
	}
	h := w.Host
	w.t.Cleanup(func() {
		if err := h.Close(); err != nil {
			w.t.Error(err)
		}
	})
}

// install puts a module into the directory of the operator's modules. It is loaded when a host
// is opened.
func (w *world) install(name string, wasm []byte) {
	w.t.Helper()
	dir := filepath.Join(w.dirs.Config, "modules")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".wasm"), wasm, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// caller holds the check token of an agent.
func caller(agent string) authority.Caller {
	return authority.Caller{Token: "check:" + agent, Agent: agent}
}

func object(pairs ...string) json.RawMessage {
	members := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		members[pairs[i]] = pairs[i+1]
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) // texts always encode
	}
	return text
}

func (w *world) request(tool string, input json.RawMessage) wire.Request {
	return wire.Request{Tool: tool, Input: input, Context: wire.CallContext{CWD: w.project}}
}

func (w *world) bash(command string) wire.Request {
	return w.request("Bash", object("command", command))
}

// check decides a call as an agent's.
func (w *world) check(agent string, r wire.Request) wire.Result {
	w.t.Helper()
	res, err := w.Gate.Check(context.Background(), caller(agent), r, nil)
	if err != nil {
		w.t.Fatalf("Check(%s %.200s): %v", r.Tool, r.Input, err)
	}
	return res
}

// evaluate decides without asking: an ask stays one.
func (w *world) evaluate(agent string, r wire.Request) engine.Decision {
	w.t.Helper()
	res, err := w.Gate.Evaluate(context.Background(), caller(agent), r)
	if err != nil {
		w.t.Fatalf("Evaluate(%s %.200s): %v", r.Tool, r.Input, err)
	}
	return res.Decision
}

// answer answers the next shown ask while check runs.
func (w *world) answer(a func(ask.Ask) ask.Answer, check func()) ask.AnswerResult {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events := w.Asks.Subscribe(ctx)
	done := make(chan ask.AnswerResult, 1)
	go func() {
		for ev := range events {
			if ev.Kind != ask.EventShown {
				continue
			}
			given := a(ev.Ask)
			given.By, given.Surface = "ann", "test"
			out, err := w.Gate.Answer(ctx, ev.Ask.ID, given)
			if err != nil {
				w.t.Errorf("answer: %v", err)
			}
			done <- out
			return
		}
		done <- ask.AnswerResult{}
	}()
	check()
	cancel()
	return <-done
}
