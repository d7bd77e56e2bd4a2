package discord_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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
	"github.com/callgate/callgate/host/internal/discord"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/internal/testkit/gotool"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/wire"
)

// shell is the tool of a world: its rules match the commands that begin with their
// content. It proposes two for a command, the first word and the whole.
type shell struct {
	mu sync.Mutex
	// immune makes a safety check ask, reason is what the tool says.
	immune bool
	reason string
}

func (s *shell) tools() gotool.Tools {
	return gotool.Tools{Infos: []wire.Tool{{Name: "Shell"}}, Tool: &gotool.Tool{
		Member: "command", Verdict: s.verdict,
		Matches: func(content, command string, _ engine.Behavior) bool {
			return content != "" && strings.HasPrefix(command, content)
		},
		Suggests: func(command string) []engine.SuggestedRule {
			word, _, _ := strings.Cut(command, " ")
			return []engine.SuggestedRule{{Content: &word, Description: "this program"}, {Content: &command, Description: "this command"}}
		},
	}}
}

func (s *shell) verdict(string) engine.Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.immune || s.reason != "" {
		return engine.Verdict{Behavior: engine.Ask, BypassImmune: s.immune, Reason: cmp.Or(s.reason, "nobody can bring this back")}
	}
	return engine.Verdict{Behavior: engine.Passthrough}
}

// world is a gate over a real store and broker, shown in a Discord of its own.
type world struct {
	t       testing.TB
	dir     string
	yaml    string
	discord *discordtest.Server
	tool    *shell
	// Ann and bob are people of the configuration; eve is a member of the server and
	// nothing more, ops is a role there.
	ann, bob, eve discordtest.Human
	ops           string

	// asks is what the broker is made with, but for its store.
	asks ask.Config
	log  logged

	config  *config.Config
	store   *store.Store
	broker  *ask.Broker
	gate    assembly.Gate
	surface *discord.Surface
	stop    func()
}

// logged keeps what is logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = bytes.Buffer{}
}

// simple is the agent of most tests: joe's, answered by whoever is listed.
const simple = "agents: {worker: {mode: default, user: joe}}\n"

// limit is how long something may take that happens at once on a quiet machine.
const limit = 2 * time.Minute

func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// build makes a world that does not run yet. OPS in the configuration is the role's id,
// CHANNEL the channel's, SECOND that of another one.
func build(t testing.TB, yaml string, opts discordtest.Options) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, tool: &shell{}, discord: discordtest.Start(t, opts), stop: func() {}}
	w.ops = w.discord.AddRole(w.discord.Guild, "ops", 0)
	w.ann, w.bob, w.eve = w.discord.Person("ann", w.ops), w.discord.Person("bob", w.ops), w.discord.Person("eve")
	second := ""
	if strings.Contains(yaml, "SECOND") {
		second = w.discord.AddChannel(w.discord.Guild, "second")
	}
	if err := os.WriteFile(w.path("token"), []byte(w.discord.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.yaml = strings.NewReplacer("OPS", w.ops, "CHANNEL", w.discord.Channel, "SECOND", second).Replace(w.head(yaml) + yaml)
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// head is the part of the configuration that no test is about.
func (w *world) head(yaml string) string {
	text := fmt.Sprintf("people: {ann: {discord: %s}, bob: {discord: %s}}\n", w.ann.ID, w.bob.ID)
	if !strings.Contains(yaml, "discord: {server") {
		text += fmt.Sprintf("discord: {server: %s, api_url: %s, token_file: %q}\n", w.discord.Guild, w.discord.URL(), w.path("token"))
	}
	if !strings.Contains(yaml, "defaults:") {
		text += "defaults: {discord: {channel: CHANNEL}}\n"
	}
	if !strings.Contains(yaml, "asks:") {
		text += "asks: {timeout: 5m}\n"
	}
	return text
}

func newWorld(t testing.TB, yaml string) *world {
	t.Helper()
	w := build(t, yaml, discordtest.Options{})
	w.open()
	w.connected()
	return w
}

// open starts the gate and the surface on the world's store, as after a restart. The
// caller's clean-up, or stop, ends both.
func (w *world) open() {
	w.t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(w.yaml), config.Dirs{Home: w.path("home"), Config: w.dir, State: w.dir, Cache: w.dir})
	if err != nil {
		w.t.Fatal(err)
	}
	w.config = cfg
	w.store = storetest.Open(w.t, filepath.Join(w.dir, "state", "callgate.db"), store.Options{})
	w.asks.Store, w.asks.Ended = w.store, w.store.Masked
	w.broker = ask.New(w.asks)
	if _, err := w.broker.Recover(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	if w.gate, err = assembly.NewGate(gotool.Parts(w.tool.tools(), func() *config.Config { return cfg }, w.broker, w.store)); err != nil {
		w.t.Fatal(err)
	}
	end := w.show()
	w.stop = sync.OnceFunc(func() {
		w.broker.Close() // before the callers leave, as a shutdown does: what waits stays
		end()
		if err := w.store.Close(); err != nil {
			w.t.Error(err)
		}
	})
	w.t.Cleanup(w.stop)
}

// show runs the surface, and returns what ends it.
func (w *world) show() (end func()) {
	w.t.Helper()
	s, err := discord.Open(context.Background(), discord.Hurried(discord.Config{
		Gate: w.gate, Asks: w.broker, Store: w.store, Settings: func() discord.Settings { return w.config }, Tools: w.tool.tools().Tools,
		StateDir: w.path("state"), Log: slog.New(slog.NewTextHandler(&w.log, nil)),
	}))
	if err != nil {
		w.t.Fatal(err)
	}
	w.surface = s
	w.gate.UseMembers(s)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil && !w.surface.State().Fatal {
			w.t.Errorf("the surface ended with %v", err)
		}
	})
}

// connected waits until the surface can show asks.
func (w *world) connected() {
	w.t.Helper()
	w.await("the surface is connected", func() bool { return w.surface.State().Connected })
}

// await polls what has no event of its own.
func (w *world) await(what string, done func() bool) {
	w.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(limit); !done(); <-tick.C {
		if time.Now().After(end) {
			w.t.Fatalf("waited in vain: %s\nstate: %+v\nlog:\n%s", what, w.surface.State(), w.log.String())
		}
	}
}

// pending is a call that an agent makes.
type pending struct {
	w       *world
	command string
	result  chan wire.Result
	leave   context.CancelFunc
}

func request(session, command string) wire.Request {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err) // a text always encodes
	}
	return wire.Request{Tool: "Shell", Input: input, Context: wire.CallContext{Session: session}}
}

// call makes a call as an agent does, and waits for it elsewhere.
func (w *world) call(agent, session, command string) *pending {
	w.t.Helper()
	return w.put(agent, request(session, command), command)
}

func (w *world) put(agent string, r wire.Request, command string) *pending {
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	p := &pending{w: w, command: command, result: make(chan wire.Result, 1), leave: cancel}
	g := w.gate
	go func() {
		res, err := g.Check(ctx, authority.Caller{Token: "check:" + agent, Agent: agent}, r, nil)
		if err != nil && !errors.Is(err, ask.ErrClosed) && !errors.Is(err, authority.ErrBadRequest) && ctx.Err() == nil {
			w.t.Errorf("Check(%.100s): %v", r.Input, err)
		}
		p.result <- res
	}()
	return p
}

// got is what the call got in the end.
func (p *pending) got() wire.Result {
	p.w.t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case res := <-p.result:
		p.result <- res
		return res
	case <-timer.C:
		p.w.t.Fatalf("the call %.100q got no answer\nstate: %+v\nlog:\n%s", p.command, p.w.surface.State(), p.w.log.String())
		return wire.Result{}
	}
}

// state is how the call stands, for messages.
func (p *pending) state() string {
	if p.waits() {
		return "waits"
	}
	res := p.got()
	return fmt.Sprintf("%s (%s) by %q: %s", res.Decision.Behavior, res.Outcome, res.DecidedBy, res.Decision.Message)
}

// waits tells that the call has no answer yet.
func (p *pending) waits() bool { return len(p.result) == 0 }

// want compares what the call got.
func (p *pending) want(behavior engine.Behavior, outcome store.Outcome, by, says string) {
	p.w.t.Helper()
	res := p.got()
	if res.Decision.Behavior != behavior || res.Outcome != outcome || res.DecidedBy != by || !strings.Contains(res.Decision.Message, says) {
		p.w.t.Errorf("the call %.100q got %s (%s) by %q: %s\nwant %s (%s) by %q with %q", p.command,
			res.Decision.Behavior, res.Outcome, res.DecidedBy, res.Decision.Message, behavior, outcome, by, says)
	}
}

func (p *pending) wantAllowed(by string) {
	p.w.t.Helper()
	p.want(engine.Allow, store.AskApproved, by, "")
}

func (p *pending) wantDenied(by, says string) {
	p.w.t.Helper()
	p.want(engine.Deny, store.AskDenied, by, says)
}

// open tells that a message is a card of ours that can be answered.
func (w *world) openCard(m discordtest.Message) bool {
	return m.Author.ID == w.discord.Bot && !m.Deleted && m.For == "" && verbs(m)[message.VerbDeny] != ""
}

// card waits for the open card of a call.
func (p *pending) card() card {
	p.w.t.Helper()
	return p.cardWhere(func(discordtest.Message) bool { return true })
}

func (p *pending) cardIn(channel string) card {
	p.w.t.Helper()
	return p.cardWhere(func(m discordtest.Message) bool { return m.ChannelID == channel })
}

func (p *pending) cardWhere(match func(discordtest.Message) bool) card {
	p.w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	go func() { // a call that was answered has no card any more
		select {
		case res := <-p.result:
			p.result <- res
			cancel()
		case <-ctx.Done():
		}
	}()
	m, err := p.w.discord.WaitMessage(ctx, func(m discordtest.Message) bool {
		own, _, _ := strings.Cut(m.Content, "\n-# ends ") // other calls of the session may stand below
		return p.w.openCard(m) && strings.Contains(own, p.command) && match(m)
	})
	if err != nil {
		p.w.t.Fatalf("no card of %.100q: %v\nthe call: %s\nstate: %+v\nlog:\n%s", p.command, err, p.state(), p.w.surface.State(), p.w.log.String())
	}
	return card{w: p.w, Message: m, ask: subject(m)}
}

// card is a card as it was found.
type card struct {
	discordtest.Message
	w   *world
	ask string
}

// verbs are the custom ids of a message's components, by what they want.
func verbs(m discordtest.Message) map[message.Verb]string {
	ids := map[message.Verb]string{}
	for _, row := range m.Components {
		for _, c := range row.Components {
			if id, err := message.ParseID(c.CustomID); err == nil {
				ids[id.Verb] = c.CustomID
			}
		}
	}
	return ids
}

func subject(m discordtest.Message) string {
	for _, id := range verbs(m) {
		parsed, _ := message.ParseID(id)
		return parsed.Subject
	}
	return ""
}

// now is the card as it is.
func (c card) now() discordtest.Message {
	m, _ := c.w.discord.Message(c.ID)
	return m
}

// press clicks what wants verb, and returns what its presser sees. They press again
// where the answer to the card's posting is still on its way to the gate.
func (c card) press(h discordtest.Human, verb message.Verb) *discordtest.Seen {
	c.w.t.Helper()
	for end := time.Now().Add(limit); ; {
		seen, err := h.Click(within(c.w.t), c.ID, verbs(c.Message)[verb])
		if err != nil {
			c.w.t.Fatalf("%s: %v\nlog:\n%s", verb, err, c.w.log.String())
		}
		if !early(told(seen)) || time.Now().After(end) {
			return seen
		}
	}
}

// choose takes an entry of the card's menu.
func (c card) choose(h discordtest.Human, label string) *discordtest.Seen {
	c.w.t.Helper()
	for end := time.Now().Add(limit); ; {
		seen, err := h.Select(within(c.w.t), c.ID, label)
		if err != nil {
			c.w.t.Fatalf("%s: %v\nlog:\n%s", label, err, c.w.log.String())
		}
		if !early(told(seen)) || time.Now().After(end) {
			return seen
		}
	}
}

// early tells that a click came before the gate knew of the card.
func early(text string) bool {
	return strings.Contains(text, "no card of an ask that waits") || strings.Contains(text, "still being posted")
}

// told is what somebody alone was told in answer to what they did.
func told(seen *discordtest.Seen) string {
	if seen == nil || seen.Message == nil || seen.Message.For == "" {
		return ""
	}
	return seen.Message.Content
}

// ends waits until the card cannot be answered any more and says all of that, and still
// says what was asked.
func (c card) ends(says ...string) discordtest.Message {
	c.w.t.Helper()
	m, err := c.w.discord.WaitEdit(within(c.w.t), c.ID, func(m discordtest.Message) bool { return len(m.Components) == 0 })
	if err != nil {
		c.w.t.Fatalf("the card keeps its buttons: %v\n%s\nlog:\n%s", err, c.now(), c.w.log.String())
	}
	for _, text := range says {
		if !strings.Contains(m.Content, text) {
			c.w.t.Errorf("the card does not say %q:\n%s", text, m.Content)
		}
	}
	return m
}

// answer is an answer given at the terminal.
func (w *world) answer(id, by string, a ask.Answer) (ask.AnswerResult, error) {
	a.By, a.Surface = by, "terminal"
	return w.gate.Answer(context.Background(), id, a)
}

// rows are those of the audit with an event, oldest first.
func (w *world) rows(event store.Event) []store.Row {
	w.t.Helper()
	var rows []store.Row
	for row, err := range w.store.Audit(context.Background(), store.Filter{Event: event}) {
		if err != nil {
			w.t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// audited wants one row of an answer to an ask, with all of that in its detail.
func (w *world) audited(event store.Event, id, by string, says ...string) {
	w.t.Helper()
	var found []store.Row
	for _, row := range w.rows(event) {
		if row.AskID == id && row.DecidedBy == by {
			found = append(found, row)
		}
	}
	if len(found) != 1 {
		w.t.Errorf("%d rows %s of ask %s by %s, want 1: %+v", len(found), event, id, by, w.rows(event))
		return
	}
	for _, text := range says {
		if !strings.Contains(found[0].Detail, text) {
			w.t.Errorf("the row %s does not say %q: %s", event, text, found[0].Detail)
		}
	}
}
