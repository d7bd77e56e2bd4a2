package slash_test

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/discord/slash"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/gotool"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/wire"
)

// probe is a tool in Go: a rule matches a call with its content as the value's prefix.
var probe = &gotool.Tool{Member: "value", Matches: func(content, value string, b engine.Behavior) bool {
	if strings.HasPrefix(content, "unreadable") {
		return b != engine.Allow // as docs/abi.md wants
	}
	return strings.HasPrefix(value, strings.TrimSuffix(content, ":*"))
}}

// infos are the tools for people.
var infos = []wire.Tool{
	{Name: "Probe", RuleHelp: "a value, or words:*", RuleExamples: []wire.RuleExample{{Content: "npm test", Input: json.RawMessage(`{"value":"npm test"}`)}, {Content: "git commit:*", Input: json.RawMessage(`{"value":"git commit -m x"}`)}, {Content: "git commit:*", Input: json.RawMessage(`{"value":"git commit"}`)}}, InputSchema: json.RawMessage(`{"required": ["value"]}`)},
	{Name: "mcp__*", RuleExamples: []wire.RuleExample{{Content: "*"}}},
	{Name: "*", Fallback: true},
}

var tools = gotool.Tools{Tool: probe, Infos: infos}

// places are the channels of the tests.
type places struct {
	sessions, links map[string]string
	agents          map[string][]string
}

func (p *places) SessionOf(channel string) string  { return p.sessions[channel] }
func (p *places) AgentsOf(channel string) []string { return p.agents[channel] }
func (p *places) CardLink(id string) string        { return p.links[id] }

// The channels.
const (
	workersRoom = "100000000000000001"
	sharedRoom  = "100000000000000002"
	thread      = "100000000000000003"
	elsewhere   = "100000000000000004"
)

const yaml = `
people:
  ann: {roles: [lead], discord: "200000000000000001"}
  bob: {discord: "200000000000000002"}
permission_grants:
  lead: ["mode:bypass", "rules:global", open, standard]
agents:
  worker: {mode: default, user: dev, profile: standard, ask_approvers: {users: [bob]}}
  asker: {user: dev, ask_approvers: {users: [bob]}}
  loose: {mode: bypass, ask_approvers: {roles: [lead]}}
`

// The people.
var (
	ann   = member.Actor{Person: approvers.Person{Name: "ann", Roles: []string{"lead"}}, Account: "200000000000000001", Display: "Ann", Listed: true}
	bob   = member.Actor{Person: approvers.Person{Name: "bob"}, Account: "200000000000000002", Display: "Bob", Listed: true}
	chief = member.Actor{Person: approvers.Person{Name: "200000000000000003", Administrator: true}, Account: "200000000000000003", Display: "ann"}
	lead  = member.Actor{Person: approvers.Person{Name: "200000000000000004", Roles: []string{"300000000000000001", "lead"}}, Account: "200000000000000004"}
	eve   = member.Actor{Person: approvers.Person{Name: "200000000000000005", Roles: []string{"guest"}}, Account: "200000000000000005", Display: "ann"}
)

// world is a handler over a real gate, store and broker.
type world struct {
	t        testing.TB
	cfg      *config.Config
	store    *store.Store
	broker   *ask.Broker
	gate     assembly.Gate
	handler  *slash.Handler
	places   *places
	patience time.Duration
	wrap     func(slash.Gate) slash.Gate

	mu     sync.Mutex
	edited []message.Message
}

const instance = "test"

func newWorld(t testing.TB, configure ...func(*world)) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, patience: time.Minute, wrap: func(g slash.Gate) slash.Gate { return g }, places: &places{
		sessions: map[string]string{thread: "s1"}, links: map[string]string{},
		agents: map[string][]string{workersRoom: {"worker"}, sharedRoom: {"worker", "loose"}, thread: {"worker"}},
	}}
	if w.cfg, err = config.Parse("test.yaml", []byte(yaml), config.Dirs{Home: "/home/op", Config: dir, State: dir, Cache: dir}); err != nil {
		t.Fatal(err)
	}
	w.store = storetest.Open(t, filepath.Join(dir, "state", "callgate.db"), store.Options{})
	w.broker = ask.New(ask.Config{Store: w.store, Ended: w.store.Masked, Timeout: time.Hour, PauseAfter: 1})
	if _, err := w.broker.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.broker.Attach(ask.Surface{Name: "test"})
	w.gate, err = assembly.NewGate(gotool.Parts(tools, func() *config.Config { return w.cfg }, w.broker, w.store))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.broker.Close()
		if err := w.store.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, do := range configure {
		do(w)
	}
	w.handler = slash.New(slash.Config{
		Instance: instance, Gate: w.wrap(w.gate), Asks: w.broker, Audit: w.store, Tools: tools.Tools, Settings: func() slash.Settings { return w.cfg },
		Places: w.places, Discord: w, Patience: w.patience,
	})
	return w
}

// EditOriginal keeps the late answers.
func (w *world) EditOriginal(_ context.Context, _ *discordgo.Interaction, m message.Message) (*discordgo.Message, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wantOurs(m)
	w.edited = append(w.edited, m)
	return &discordgo.Message{}, nil
}

// open has a session checked once, to make it known.
func (w *world) open(agent, session string) {
	w.t.Helper()
	r := wire.Request{Tool: "Probe", Input: json.RawMessage(`{"value":"npm test"}`), Context: wire.CallContext{Agent: agent, Session: session, Kind: string(engine.Background)}}
	if _, err := w.gate.Check(w.t.Context(), authority.Caller{Token: "hub", Kind: authority.Integrator}, r, nil); err != nil {
		w.t.Fatal(err)
	}
}

// waits has a call wait for a person, and returns its ask.
func (w *world) waits(agent, session, value string) ask.Ask {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	events := w.broker.Subscribe(ctx)
	input, err := json.Marshal(map[string]string{"value": value})
	if err != nil {
		w.t.Fatal(err)
	}
	go func() {
		r := wire.Request{Tool: "Probe", Input: input, Context: wire.CallContext{Agent: agent, Session: session}}
		_, _ = w.gate.Check(ctx, authority.Caller{Token: "hub", Kind: authority.Integrator}, r, nil) // ends with the test
	}()
	for {
		select {
		case ev := <-events:
			if ev.Kind == ask.EventShown {
				return ev.Ask
			}
		case <-time.After(time.Minute):
			w.t.Fatal("no ask was shown")
		}
	}
}

// option is one of a command, as Discord sends it.
type option map[string]any

// data is a command as Discord sends it: "permissions mode", with its options.
func data(name string, options map[string]any, focused string) map[string]any {
	list := []option{}
	for _, key := range sorted(options) {
		kind := 3
		switch options[key].(type) {
		case bool:
			kind = 5
		case int:
			kind = 4
		}
		o := option{"name": key, "type": kind, "value": options[key]}
		if key == focused {
			o["focused"] = true
		}
		list = append(list, o)
	}
	name, sub, has := strings.Cut(name, " ")
	if has {
		return map[string]any{"id": "1", "type": 1, "name": name, "options": []option{{"name": sub, "type": 1, "options": list}}}
	}
	return map[string]any{"id": "1", "type": 1, "name": name, "options": list}
}

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// send sends an interaction and returns the one answer to it; nil for none.
func (w *world) send(who member.Actor, channel string, kind discordgo.InteractionType, data any) *link.Response {
	w.t.Helper()
	text, err := json.Marshal(map[string]any{"id": "400000000000000001", "application_id": "500000000000000001", "type": kind, "channel_id": channel, "token": "t", "version": 1, "data": data})
	if err != nil {
		w.t.Fatal(err)
	}
	var i discordgo.Interaction
	if err := json.Unmarshal(text, &i); err != nil {
		w.t.Fatal(err)
	}
	var out *link.Response
	w.handler.Interaction(context.Background(), &link.Interaction{Interaction: &i, Received: time.Now(), Respond: func(_ context.Context, r link.Response) error {
		if out != nil {
			w.t.Error("answered twice")
		}
		if r.Message != nil {
			w.wantOurs(*r.Message)
		}
		if r.Modal != nil {
			if err := r.Modal.Check(); err != nil {
				w.t.Errorf("form: %v", err)
			}
		}
		out = &r
		return nil
	}}, who)
	return out
}

// wantOurs requires a valid message, visible to one person and without pings.
func (w *world) wantOurs(m message.Message) {
	if err := m.Check(); err != nil {
		w.t.Errorf("message: %v\n%s", err, m.Content)
	}
	if m.Flags&discordgo.MessageFlagsEphemeral == 0 {
		w.t.Errorf("everybody would see: %s", m.Content)
	}
	if m.AllowedMentions.Parse == nil || len(m.AllowedMentions.Parse)+len(m.AllowedMentions.Roles)+len(m.AllowedMentions.Users) > 0 {
		w.t.Errorf("it may ping: %+v", m.AllowedMentions)
	}
}

// run gives a command and returns the message.
func (w *world) run(who member.Actor, channel, name string, options map[string]any) message.Message {
	w.t.Helper()
	r := w.send(who, channel, discordgo.InteractionApplicationCommand, data(name, options, ""))
	if r == nil || r.Message == nil {
		w.t.Fatalf("/%s: got %+v, want a message", name, r)
	}
	return *r.Message
}

// press uses a component of a message: the one with the verb in its custom id.
func (w *world) press(who member.Actor, m message.Message, verb string, values ...string) *link.Response {
	w.t.Helper()
	id, kind := component(m, verb)
	if id == "" {
		w.t.Fatalf("there is no %s to use in %+v", verb, m)
	}
	return w.send(who, workersRoom, discordgo.InteractionMessageComponent, map[string]any{"custom_id": id, "component_type": kind, "values": values})
}

// component finds one by its verb.
func component(m message.Message, verb string) (id string, kind discordgo.ComponentType) {
	for _, c := range m.Components {
		for _, inner := range c.(discordgo.ActionsRow).Components {
			switch inner := inner.(type) {
			case discordgo.Button:
				id = inner.CustomID
			case discordgo.SelectMenu:
				id = inner.CustomID
			}
			if strings.Contains(id, "|"+verb+"|") {
				return id, inner.Type()
			}
		}
	}
	return "", 0
}

// labels are those of a menu.
func labels(m message.Message, verb string) (out []string) {
	for _, c := range m.Components {
		for _, inner := range c.(discordgo.ActionsRow).Components {
			if menu, ok := inner.(discordgo.SelectMenu); ok && strings.Contains(menu.CustomID, "|"+verb+"|") {
				for _, o := range menu.Options {
					out = append(out, o.Label)
				}
			}
		}
	}
	return out
}

// rows are the audit's rows of an event.
func (w *world) rows(event store.Event) (out []store.Row) {
	w.t.Helper()
	for row, err := range w.store.Audit(w.t.Context(), store.Filter{Event: event}) {
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

// whole is a message with the text of its files.
func whole(m message.Message) string {
	text := m.Content
	for _, f := range m.Files {
		text += "\n" + string(f.Data)
	}
	return text
}
