package discord_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// queue makes calls of one session and returns them with the card of the first, once it lists
// all of them.
func (w *world) queue(commands ...string) ([]*pending, card) {
	w.t.Helper()
	calls := []*pending{w.call("worker", "s1", commands[0])}
	c := calls[0].card()
	for i, command := range commands[1:] {
		calls = append(calls, w.call("worker", "s1", command))
		w.await("it is queued", func() bool { return len(w.broker.Waiting(ask.Filter{State: ask.Queued})) == i+1 })
	}
	last := commands[len(commands)-1]
	return calls, w.lists(c, last)
}

// lists waits until a card says that, and returns it as it is then.
func (w *world) lists(c card, says string) card {
	w.t.Helper()
	m, err := w.discord.WaitEdit(within(w.t), c.ID, func(m discordtest.Message) bool { return strings.Contains(m.Content, says) })
	if err != nil {
		w.t.Fatalf("the card does not list %q: %v\n%s\nlog:\n%s", says, err, c.now(), w.log.String())
	}
	c.Message = m
	return c
}

func TestBatch_allAtOnce(t *testing.T) {
	t.Parallel()
	for _, verb := range []message.Verb{message.VerbAllowAll, message.VerbDenyAll} {
		t.Run(string(verb), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simple)
			calls, c := w.queue("ls a", "ls b", "ls c")
			// The card is the answer or, while it is edited, a message of their own.
			if got := told(c.press(w.ann, verb)); strings.Contains(got, "Not answered") {
				t.Errorf("ann is told %q", got)
			}
			for _, p := range calls {
				if verb == message.VerbAllowAll {
					p.wantAllowed("ann")
				} else {
					p.wantDenied("ann", "")
				}
			}
			word := map[message.Verb]string{message.VerbAllowAll: "Allowed", message.VerbDenyAll: "Denied"}[verb]
			c.ends("**"+word, "ls a", word+" by `ann` · **Call** `Shell` · `command`: `ls b`", "ls c")
			for _, m := range w.discord.Messages() {
				if m.ID != c.ID && w.openCard(m) {
					t.Errorf("one more card:\n%s", m)
				}
			}
		})
	}
}

// One line is answered and the others wait on.
func TestBatch_oneByOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	calls, c := w.queue("ls a", "ls b", "ls c")
	c.choose(w.ann, "Allow 2")
	calls[1].wantAllowed("ann")
	c = w.lists(c, "Allowed by `ann`")
	c.choose(w.bob, "Deny 2") // that is ls c by now
	calls[2].wantDenied("bob", "")
	if !calls[0].waits() {
		t.Fatalf("the card's own call: %s", calls[0].state())
	}
	c = w.lists(c, "Denied by `bob`")
	c.press(w.ann, message.VerbApprove)
	calls[0].wantAllowed("ann")
}

// A line that came after the button was drawn is not answered by it.
func TestBatch_buttonMeansItsOwnLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	_, c := w.queue("ls a", "ls b")
	id, err := message.ParseID(verbs(c.Message)[message.VerbAllowAll])
	if err != nil {
		t.Fatal(err)
	}
	want := []string{c.ask}
	for _, a := range w.broker.Waiting(ask.Filter{State: ask.Queued}) {
		want = append(want, a.ID)
	}
	if got := message.ListedIDs(id.Arg); !slices.Equal(got, want) {
		t.Errorf("the button names %q, want %q", got, want)
	}
	late := w.call("worker", "s1", "ls late")
	c = w.lists(c, "ls late")
	if got := verbs(c.Message)[message.VerbAllowAll]; got == id.String() || !strings.Contains(c.Content, "**3/") {
		t.Errorf("the button is the same with one more line:\n%s", c.Message)
	}
	if !late.waits() {
		t.Error("the late call was answered")
	}
}

// A tap right after the list was edited decides nothing, and says why.
func TestBatch_tapUnderTheFinger(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64 // of Discord's clock
	w := build(t, simple, discordtest.Options{
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }, Patience: -time.Hour,
	})
	w.open()
	w.connected()
	first := w.call("worker", "s1", "ls a")
	c := first.card()
	ahead.Store(int64(2 * time.Hour)) // people tap an hour after the card came, and an hour before this edit
	calls := []*pending{first, w.call("worker", "s1", "ls b")}
	c = w.lists(c, "ls b")
	for _, verb := range []message.Verb{message.VerbAllowAll, message.VerbApprove} {
		if got := told(c.press(w.ann, verb)); !strings.Contains(got, "changed just before you tapped") {
			t.Errorf("%s: ann is told %q", verb, got)
		}
	}
	for _, p := range calls {
		if !p.waits() {
			t.Errorf("%s: %s", p.command, p.state())
		}
	}
}

// A safety check on the list waits for its own card; nobody without the right answers a line.
func TestBatch_ownCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	first := w.call("worker", "s1", "ls a")
	c := first.card()
	w.tool.mu.Lock()
	w.tool.immune = true
	w.tool.mu.Unlock()
	grave := w.call("worker", "s1", "rm b")
	c = w.lists(c, "rm b")
	w.tool.mu.Lock()
	w.tool.immune = false
	w.tool.mu.Unlock()
	if !strings.Contains(c.Content, "a safety check needs its own answer") || verbs(c.Message)[message.VerbAllowAll] != "" {
		t.Errorf("the card:\n%s", c.Message)
	}
	plain := w.call("worker", "s1", "ls d")
	c = w.lists(c, "ls d")
	if got := told(c.press(w.eve, message.VerbAllowAll)); !strings.Contains(got, "may not answer") {
		t.Errorf("eve is told %q", got)
	}
	c.press(w.ann, message.VerbAllowAll)
	first.wantAllowed("ann")
	plain.wantAllowed("ann")
	own := grave.card()
	own.press(w.ann, message.VerbDeny)
	grave.want(engine.Deny, "ask_denied", "ann", "")
}
