package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/internal/testkit/gotool"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/wire"
)

// limit is the time for required events, on the busiest machine.
const limit = 60 * time.Second

// tools answers for every name with a tool in Go: rules match when their content is the
// member "command" of the input.
var tools = gotool.Tools{Tool: &gotool.Tool{Member: "command"}, Infos: []wire.Tool{{Name: "Probe"}}}

// world is a gate with its broker and store, and a surface before a Discord-shaped
// server.
type world struct {
	t      *testing.T
	dir    string
	yaml   string
	server *discordtest.Server
	store  *store.Store
	broker *ask.Broker
	gate   assembly.Gate
	// ann is listed and approves, bob is an unlisted member.
	ann, bob discordtest.Human
	// fill, when set, fills in the rest of the configuration.
	fill *strings.Replacer
	// timeout is how long an ask is shown; empty for long.
	timeout string
	// change, when set, changes the surface's configuration.
	change func(*Config)

	surface *Surface
	stop    func()
	mu      sync.Mutex
	logged  strings.Builder
}

// usual is a configuration with one agent, for fmt.Sprintf with the server's ids.
const usual = `
discord: {server: "%[1]s", api_url: "%[2]s", token_file: "%[3]s"}
people:
  ann: {discord: "%[5]s"}
asks: {timeout: %[7]s}
agents:
  worker: {user: cy, working_directories: ["%[6]s"], discord: {channel: "%[4]s"}}
`

// newWorld opens all of it, and waits until the surface is connected.
func newWorld(t *testing.T, yaml string, options ...func(*world)) *world {
	t.Helper()
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := &world{t: t, dir: dir, server: discordtest.Start(t, discordtest.Options{Seed: 1})}
	w.ann, w.bob = w.server.Person("ann"), w.server.Person("bob")
	for _, o := range options {
		o(w)
	}
	token := filepath.Join(dir, "token")
	must(t, os.WriteFile(token, []byte(w.server.Token), 0o600))
	w.yaml = fmt.Sprintf(yaml, w.server.Guild, w.server.URL(), token, w.server.Channel, w.ann.ID, dir, cmp.Or(w.timeout, "10m"))
	if w.fill != nil {
		w.yaml = w.fill.Replace(w.yaml)
	}
	w.open()
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	w.t.Cleanup(cancel)
	return ctx
}

// open starts everything on the world's store, as after a restart.
func (w *world) open() {
	w.t.Helper()
	w.openGate()
	w.openSurface()
	w.t.Cleanup(w.close)
}

func (w *world) openGate() {
	w.t.Helper()
	dirs := config.Dirs{Home: "/home/op", Config: w.dir, State: w.dir, Cache: w.dir}
	cfg, err := config.Parse("test.yaml", []byte(w.yaml), dirs)
	must(w.t, err)
	w.store = storetest.Open(w.t, filepath.Join(w.dir, "state", "callgate.db"), store.Options{})
	w.broker = ask.New(ask.Config{Store: w.store, Ended: w.store.Masked, PauseAfter: 1000, PerAgent: 1000, PerSession: 1000})
	_, err = w.broker.Recover(context.Background())
	must(w.t, err)
	w.broker.Attach(ask.Surface{Name: "terminal"})
	w.gate, err = assembly.NewGate(gotool.Parts(tools, func() *config.Config { return cfg }, w.broker, w.store))
	must(w.t, err)
}

func (w *world) openSurface() {
	w.t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(w.yaml), config.Dirs{Home: "/home/op", Config: w.dir, State: w.dir, Cache: w.dir})
	must(w.t, err)
	c := Config{
		Gate: w.gate, Asks: w.broker, Store: w.store, Settings: func() Settings { return cfg }, StateDir: w.dir, Log: testLog(w), pace: hurried,
	}
	if w.change != nil {
		w.change(&c)
	}
	w.surface, err = Open(context.Background(), c)
	must(w.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	surface := w.surface
	go func() { done <- surface.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("Run: %v", err)
		}
	})
	if surface.gateway != nil {
		w.eventually("the surface is connected", func() bool { return surface.State().Connected })
	}
}

// close ends everything; waiting asks stay in the store.
func (w *world) close() {
	w.stop()
	w.broker.Close()
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
}

// restart closes and opens all but Discord.
func (w *world) restart(meanwhile func()) {
	w.t.Helper()
	w.close()
	if meanwhile != nil {
		meanwhile()
	}
	w.openGate()
	w.openSurface()
}

// check lets the agent call with a command; the result comes when it is decided.
func (w *world) check(command string, claims ...func(*wire.Request)) <-chan wire.Result {
	r := wire.Request{Tool: "Probe", Input: json.RawMessage(fmt.Sprintf(`{"command":%q}`, command)), Context: wire.CallContext{Session: "s1"}}
	for _, claim := range claims {
		claim(&r)
	}
	done := make(chan wire.Result, 1)
	g := w.gate
	go func() {
		res, err := g.Check(context.Background(), authority.Caller{Token: "check:worker", Agent: "worker"}, r, nil)
		if err != nil {
			res.Decision.Reason = cmp.Or(res.Decision.Reason, err.Error())
		}
		done <- res
	}()
	return done
}

// shown is the ask of a command once it is shown.
func (w *world) shown(command string) ask.Ask {
	w.t.Helper()
	var found ask.Ask
	w.eventually("the ask of "+command, func() bool {
		for _, a := range w.broker.Waiting(ask.Filter{State: ask.Shown}) {
			if strings.Contains(string(a.Input), command) {
				found = a
				return true
			}
		}
		return false
	})
	return found
}

// card waits for the card of a command with buttons, in a channel, and until it can be
// answered.
func (w *world) card(command string) discordtest.Message {
	w.t.Helper()
	return w.cardIn(command, w.server.Channel)
}

func (w *world) cardIn(command, channel string) discordtest.Message {
	w.t.Helper()
	m, err := w.server.WaitMessage(w.context(), func(m discordtest.Message) bool {
		return m.ChannelID == channel && !m.Deleted && len(m.Components) > 0 && m.Author.Bot && strings.Contains(m.Content, command)
	})
	must(w.t, err)
	w.eventually("the card is known", func() bool { return w.surface.cardAt(channel, m.ID) != nil })
	return m
}

// posed is an asking call, its ask and its card.
func (w *world) posed(command string) (<-chan wire.Result, ask.Ask, discordtest.Message) {
	w.t.Helper()
	done := w.check(command)
	a := w.shown(command)
	return done, a, w.card(command)
}

func (w *world) eventually(what string, so func() bool) {
	w.t.Helper()
	deadline := time.Now().Add(limit)
	for !so() {
		if time.Now().After(deadline) {
			w.t.Fatalf("not in time: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// outcome is how a call was decided.
func (w *world) outcome(done <-chan wire.Result) wire.Result {
	w.t.Helper()
	select {
	case r := <-done:
		return r
	case <-time.After(limit):
		w.t.Fatal("the call was not decided in time")
		return wire.Result{}
	}
}

func (w *world) wants(done <-chan wire.Result, outcome store.Outcome) {
	w.t.Helper()
	if r := w.outcome(done); r.Outcome != outcome {
		w.t.Errorf("the call: got %s (%s), want %s", r.Outcome, r.Decision.Reason, outcome)
	}
}

// final waits until a message has no buttons and says something.
func (w *world) final(id, says string) discordtest.Message {
	w.t.Helper()
	m, err := w.server.WaitEdit(w.context(), id, func(m discordtest.Message) bool {
		return len(m.Components) == 0 && strings.Contains(strings.ToLower(m.Content), strings.ToLower(says))
	})
	if err != nil {
		now, _ := w.server.Message(id)
		w.t.Fatalf("the card does not say %q: %v\n%s", says, err, now.String())
	}
	return m
}

// rows are the audit's rows of an event.
func (w *world) rows(event store.Event) []store.Row {
	w.t.Helper()
	var out []store.Row
	for row, err := range w.store.Audit(context.Background(), store.Filter{Event: event}) {
		must(w.t, err)
		out = append(out, row)
	}
	return out
}

func (w *world) rules() []engine.Rule {
	w.t.Helper()
	rules, err := w.store.Rules(context.Background(), store.RuleFilter{})
	must(w.t, err)
	return rules
}

func otherSession(r *wire.Request) { r.Context.Session = "s2" }

// freePort is an unused one.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, l.Close()) }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	return port
}
