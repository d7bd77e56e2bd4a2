package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/approval/push"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/gate/mcptools"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/notary"
	"github.com/callgate/callgate/host/internal/testkit/gotool"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/wire"
)

var (
	_ api.Gate  = assembly.Gate{}
	_ api.Asks  = (*ask.Broker)(nil)
	_ api.Audit = (*store.Store)(nil)
)

// shell is a tool in Go: its calls are {"command": text}.
var shell = &gotool.Tool{
	Member: "command", Verdict: judge, Reads: func(command string) bool { return command == "ls" },
	Suggests: func(command string) []engine.SuggestedRule {
		return []engine.SuggestedRule{{Content: &command, Description: "this very command"}}
	},
}

func judge(command string) engine.Verdict {
	switch {
	case command == "panic":
		panic("a bug of ours, with " + command)
	case strings.HasPrefix(command, "forbidden"):
		return engine.Verdict{Behavior: engine.Deny, Reason: "it is forbidden"}
	}
	return engine.Verdict{Behavior: engine.Passthrough}
}

// tools is a catalogue of one tool, for unknown names, too.
type tools struct{}

func (tools) Lookup(name string) modules.Entry {
	e := engine.Entry{Name: name, Tool: shell, MayAllow: true, MayReadOnly: true}
	if name == "Bash" || name == "shell" {
		e.Name, e.Aliases = "Bash", []string{"shell"}
	}
	return modules.Entry{Entry: e, Module: "test", Version: "1", Digest: strings.Repeat("a", 64), InputSchema: json.RawMessage(`{"required":["command"]}`)}
}

func (tools) Release() {}

func (tools) Tools() []wire.Tool {
	return []wire.Tool{{Name: "Bash", Aliases: []string{"shell"}, Module: "test", Version: "1", Digest: strings.Repeat("a", 64)}}
}

// world is a daemon on a socket and on a port, with a real gate, broker and store.
type world struct {
	t      testing.TB
	state  string
	broker *ask.Broker
	store  *store.Store
	tokens *api.Tokens
	// secrets are those of tokens without a file, by name.
	secrets map[string]string
	// ahead is how far the tokens' clock is ahead.
	ahead  atomic.Int64
	server *api.Server
	socket string
	port   string
	log    *safeBuffer
	// origin is the console's, for passkeys.
	origin string
}

// safeBuffer gathers the log.
type safeBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// settings are the operator's: agent "ci" asks no one; an ask outlasts any crowded machine.
const settings = `
agents:
  ci:
    mode: dont_ask
  long:
    mode: default
  guarded:
    tools: {Ship: {ask_approvers: {users: [approver], roles: [ops], quorum: 2, exclude_requester: true}}}
people:
  bob: {roles: [ops]}
asks: {per_session: 100, per_agent: 100, timeout: 10m}
`

func newWorld(t testing.TB, change func(*api.Config)) *world {
	t.Helper()
	home := shortDir(t)
	dirs := config.Dirs{Home: home, Config: home + "/config", State: home + "/state", Cache: home + "/cache"}
	c, err := config.Parse("callgate.yaml", []byte(settings), dirs)
	must(t, err)
	w := &world{t: t, state: dirs.State, log: &safeBuffer{}, secrets: map[string]string{}}
	w.store = storetest.Open(t, filepath.Join(dirs.State, "callgate.db"), store.Options{})
	w.broker = ask.New(ask.Config{Store: w.store, PerSession: 1000, PerAgent: 1000})
	parts := gotool.Parts(tools{}, func() *config.Config { return c }, w.broker, w.store)
	resolver := &target.Resolver{FS: target.OS()}
	parts.Targets = resolver
	parts.Folders = folder.NewBook(folder.Config{Laws: func() folder.Laws { return folder.NewLaws([]string{home}, nil) }, Store: w.store, Looker: resolver, Now: time.Now})
	keys := passkey.New(passkey.Config{Store: w.store, Origin: func() string { return w.origin }})
	name, err := keys.Name(t.Context())
	must(t, err)
	w.origin, parts.Passkeys = "http://"+name+":4711", keys
	g, err := assembly.NewGate(parts)
	must(t, err)
	w.tokens, err = api.OpenTokens(t.Context(), api.TokenOptions{State: dirs.State, Store: w.store, Agents: []string{"ci", "long"}, Now: func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }})
	must(t, err)
	for name, kind := range map[string]store.TokenKind{"approver": store.TokenApprover, "integrator": store.TokenIntegrator} {
		made, err := w.tokens.Create(t.Context(), view.NewToken{Kind: kind, Name: name}, "test")
		must(t, err)
		w.secrets[name] = made.Secret
	}
	signs, err := notary.Open(t.Context(), notary.Config{Store: w.store, State: t.TempDir()})
	must(t, err)
	conf := api.Config{
		Discord: func() protocol.DiscordHealth {
			return protocol.DiscordHealth{Configured: true, Server: "300000000000000001", Since: time.Unix(1, 0), Problem: "no answer", Fatal: true, Bot: "gatekeeper (1)", Cards: 2, LastError: "post", LastErrorAt: time.Unix(2, 0)}
		},
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "callgate_audit_seq 1\n") }),
		Gate:    g, Folders: parts.Folders, MCP: mcptools.NewBook(w.store, time.Now), Asks: w.broker, Audit: w.store, Tools: tools{}.Tools, Tokens: w.tokens, Presence: somebody{pin.New(pin.Config{Store: w.store})},
		Passkeys: keys, Push: push.New(w.store, nil), Notary: signs,
		Console: func(_ context.Context, by string, lend func(time.Duration) (string, context.Context, func(), error)) (protocol.ConsoleLink, error) {
			secret, _, _, err := lend(time.Minute)
			return protocol.ConsoleLink{URL: "http://x.localhost/enter?by=" + by + "&key=" + secret, ExpiresAt: time.Unix(1, 0)}, err
		},
		Configuration: &pendingFile{}, Modules: &shelf{}, Version: "test",
		Log: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&conf)
	}
	w.server, err = api.New(conf)
	must(t, err)
	w.serve()
	t.Cleanup(w.close)
	return w
}

// shortDir is a private directory with a path short enough for a socket's name.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cg")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	dir, err = filepath.EvalSymlinks(dir)
	must(t, err)
	return dir
}

func (w *world) serve() {
	w.t.Helper()
	w.socket = filepath.Join(w.state, "callgate.sock")
	unix, err := api.Listen("unix", w.socket)
	must(w.t, err)
	tcp, err := api.Listen("tcp", "127.0.0.1:0")
	must(w.t, err)
	w.port = tcp.Addr().String()
	for _, l := range []net.Listener{unix, tcp} {
		go func() {
			if err := w.server.Serve(l); err != nil {
				w.t.Error("serve:", err)
			}
		}()
	}
}

func (w *world) close() {
	w.broker.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := w.server.Shutdown(ctx); err != nil {
		w.t.Error("shutdown:", err)
	}
	if err := w.store.Close(); err != nil {
		w.t.Error("close store:", err)
	}
}

// token reads a token: "admin", "approver", "integrator", or an agent's name.
func (w *world) token(name string) string {
	w.t.Helper()
	if secret := w.secrets[name]; secret != "" {
		return secret
	}
	path := tokenfile.Check(w.state, name)
	if name == "admin" {
		path = tokenfile.Admin(w.state)
	}
	secret, err := tokenfile.Read(path)
	must(w.t, err)
	return secret
}

// client talks over the socket.
func (w *world) client(name string) *client.Client {
	w.t.Helper()
	return w.dial(w.socket, name)
}

func (w *world) dial(endpoint, name string) *client.Client {
	w.t.Helper()
	c, err := client.Dial(endpoint, w.token(name))
	must(w.t, err)
	w.t.Cleanup(c.Close)
	return c
}

// attach lets asks be answered.
func (w *world) attach() { w.t.Cleanup(w.broker.Attach(ask.Surface{Name: "test"})) }

// shown waits for one more ask on show and returns it. Subscribe before the asking check.
func shown(t testing.TB, events <-chan ask.Event) ask.Ask {
	t.Helper()
	for {
		select {
		case ev := <-events:
			if ev.Kind == ask.EventShown {
				return ev.Ask
			}
		case <-time.After(20 * time.Second):
			t.Fatal("no ask was shown")
		}
	}
}

func bash(commandText string) wire.Request {
	input, err := json.Marshal(map[string]string{"command": commandText})
	if err != nil {
		panic(err)
	}
	return wire.Request{Tool: "Bash", Input: input}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
