package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/wire"
)

// Keyboard is that of a person who answers in Discord.
type Keyboard interface {
	// Key waits for one of these keys, one character each; ok is false when none came
	// before ctx ended.
	Key(ctx context.Context, prompt string, keys []string) (key string, ok bool)
	// Line waits for a line.
	Line(ctx context.Context, prompt string) (line string, ok bool)
}

// room is the demo's Discord: a server in this process, with a channel where the daemon's
// bot shows the asks, and people in it. Not safe for concurrent use: calls come one by
// one, and each is shown and answered before the next.
type room struct {
	o      Options
	server *discordtest.Server
	// you is the person at the keyboard; alice answers in other cases; eve sees the channel,
	// and the configuration does not name her.
	you, alice, eve someone
	token           string // the file
	asks            *ask.Broker
	gate            client
	// rulesOf are the rules stored by the answer to an ask.
	rulesOf func(ctx context.Context, id string) ([]engine.Rule, error)

	shown map[string]bool // cards, by their message
	known map[string]bool // the ways already shown
	short bool            // and already announced
	ways  rotation
	heard map[string]int // valid answers, by their effect
	eveIn bool           // eve has tried
	// asked is the ask on the screen; mayUndo means: you stored rules with it.
	asked   string
	mayUndo bool
}

// someone is a person with a name for the screen.
type someone struct {
	discordtest.Human
	name string
}

// slow is how long Discord, the daemon and the network inside this machine may take.
const slow = time.Minute

// openRoom starts the server, and writes the bot's token into dir.
func openRoom(o Options, dir string) (*room, error) {
	s, err := discordtest.New(discordtest.Options{HandWritten: true, AckWithin: slow, Patience: time.Second})
	if err != nil {
		return nil, err
	}
	r := &room{
		o: o, server: s, token: filepath.Join(dir, "discord.token"), shown: map[string]bool{}, known: map[string]bool{}, heard: map[string]int{},
		you: someone{s.Person("you"), "you"}, alice: someone{s.Person("alice"), "alice"}, eve: someone{s.Person("eve"), "eve"},
	}
	if err := os.WriteFile(r.token, []byte(s.Token+"\n"), 0o600); err != nil {
		s.Close()
		return nil, err
	}
	return r, nil
}

// discordConfiguration is an operator's configuration for asks in Discord; api_url stands there
// because this is not the real one.
const discordConfiguration = `
discord:
  server: %q
  token_file: %q
  api_url: %q
defaults:
  discord: {channel: %q}
people:
  you: {discord: %q}
  alice: {discord: %q}
`

// configuration is the room's part of the demo's configuration; nothing without a room.
func (r *room) configuration() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf(discordConfiguration, r.server.Guild, r.token, r.server.URL(), r.server.Channel, r.you.ID, r.alice.ID)
}

// ready waits until the daemon's bot is there, and says who is.
func (r *room) ready(ctx context.Context, d *daemon.Daemon, c client) error {
	ctx, cancel := context.WithTimeout(ctx, slow)
	defer cancel()
	if err := r.server.WaitConnected(ctx); err != nil {
		return fmt.Errorf("the bot did not come to the demo's Discord: %w", err)
	}
	r.asks, r.gate, r.rulesOf = d.Host.Asks, c, d.Host.Gate.RulesOf
	fmt.Fprintf(r.o.Out, "Its bot shows the asks in a channel of a Discord that is part of the demo, at %s.\n", r.server.URL())
	who := "Alice answers there, in every way there is (at a terminal it is you)"
	if r.o.Keyboard != nil {
		who = "You and alice may answer there"
	}
	fmt.Fprintln(r.o.Out, who+"; eve reads the channel, and the configuration does not name her.")
	return nil
}

// check puts a call as the agent's client does and answers the gate's asks about it in Discord.
// It returns when the call has its answer and the cards show it.
func (r *room) check(ctx context.Context, req wire.Request) (wire.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	waiting, over := context.WithCancel(ctx)
	var res wire.Result
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer over()
		res, err = r.gate.check(ctx, req)
	}()
	for {
		card, none := r.server.WaitMessage(waiting, r.fresh)
		if none != nil {
			break
		}
		r.shown[card.ID] = true
		if failed := r.answer(ctx, card); failed != nil {
			cancel()
			<-done
			return wire.Result{}, fmt.Errorf("answer ask %s in Discord: %w", subject(card), failed)
		}
	}
	<-done
	return res, err
}

// fresh reports that a message is a new card.
func (r *room) fresh(m discordtest.Message) bool {
	return m.Author.ID == r.server.Bot && m.For == "" && !m.Deleted && !r.shown[m.ID] && subject(m) != ""
}

// summary describes Discord's view, and fails where the bot broke a rule of Discord's.
func (r *room) summary(ctx context.Context, d *daemon.Daemon) error {
	cards, edits, private, refused := 0, 0, 0, 0
	for _, m := range r.server.Messages() {
		switch {
		case m.For != "":
			private++
		case r.shown[m.ID]:
			cards++
			edits += m.Edits
		}
	}
	for _, err := range d.Host.Store.Audit(ctx, store.Filter{Event: store.EventAnswerRefused}) {
		if err != nil {
			return err
		}
		refused++
	}
	fmt.Fprintf(r.o.Out, "In Discord: %d cards posted, %d edits of them, %d messages for one person only.\nAnswers there:", cards, edits, private)
	for _, by := range []string{byButton, byMenu, byForm, byReaction, byReply} {
		fmt.Fprintf(r.o.Out, "  %d by %s", r.heard[by], by)
	}
	fmt.Fprintf(r.o.Out, "  %d refused\n", refused)
	if broken := r.server.Violations(); len(broken) > 0 {
		return fmt.Errorf("the bot broke rules of Discord, the first: %s", broken[0])
	}
	return nil
}
