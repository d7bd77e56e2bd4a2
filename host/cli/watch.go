package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/approval/terminal"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// watcher shows asks as they come and, on a terminal, answers them.
type watcher struct {
	client   *client.Client
	by       string
	out      io.Writer
	json     bool
	terminal *terminal.Terminal
}

func (w watcher) run(ctx context.Context) error {
	surface := terminal.Surface
	if w.terminal == nil {
		surface = "" // it can show, not answer
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan watched, 64)
	ended := make(chan error, 1)
	go func() {
		ended <- w.client.Events(ctx, surface, w.by, func(ev client.Event) error { return forward(ctx, ev, changed) })
		close(changed)
	}()
	if !w.json {
		fmt.Fprintln(w.out, "Waiting for asks. Press Control-C to stop.")
		w.tellPresence(ctx)
	}
	asker := newAsker(w)
	for ev := range changed {
		if ev.alarm != nil {
			w.tellAlarm(*ev.alarm)
		}
		asker.event(ctx, ev.Event)
	}
	asker.stop()
	asker.leave(ctx)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// tellPresence warns beforehand when no approver is there.
func (w watcher) tellPresence(ctx context.Context) {
	if view, err := w.client.Presence(ctx); err == nil && view.Why != "" {
		fmt.Fprintln(w.out, view.Why)
	}
}

// tellAlarm shows an alarm. As JSON it is the notice of the event stream, with the member event that
// an ask does not have.
func (w watcher) tellAlarm(n wire.Notice) {
	if !w.json {
		fmt.Fprintf(w.out, "\r\n%s\r\n", card.Line(n.Reason))
		return
	}
	if text, err := json.Marshal(n); err == nil { // plain data always encodes
		fmt.Fprintf(w.out, "%s\n", text)
	}
}

// watched is an event about asks, or an alarm.
type watched struct {
	ask.Event
	alarm *wire.Notice
}

// forward passes on events about asks, and alarms.
func forward(ctx context.Context, ev client.Event, to chan<- watched) error {
	var event watched
	switch ev.Name {
	case protocol.EventReady, protocol.EventLagged:
		event.Kind = ask.EventLagged // look at the waiting asks
	case protocol.EventAsk:
		var err error
		if event.Event, err = ev.Ask(); err != nil {
			return err
		}
	case protocol.EventHookAlarm:
		var n wire.Notice
		if err := json.Unmarshal(ev.Data, &n); err != nil {
			return err
		}
		event.alarm = &n
	default:
		return nil
	}
	select {
	case to <- event:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// asker puts one ask after the other to the person.
type asker struct {
	watcher
	waiting []ask.Ask
	// current is the ask on the screen, of session; cancel takes it away.
	current string
	session string
	cancel  context.CancelFunc
	done    chan struct{}
	// unlocked means: the PIN was typed here.
	unlocked bool
	// told is the last ask with an announced end: an end can be announced twice.
	told string
}

func newAsker(w watcher) *asker { return &asker{watcher: w} }

func (a *asker) event(ctx context.Context, ev ask.Event) {
	switch ev.Kind {
	case ask.EventLagged:
		views, err := a.client.Asks(ctx, ask.Filter{State: ask.Shown})
		if err != nil {
			fmt.Fprintln(a.out, "cannot read the pending asks:", err)
			return
		}
		for _, v := range views {
			a.add(ctx, v.Ask)
		}
	case ask.EventShown:
		a.add(ctx, ev.Ask)
	case ask.EventQueued:
		a.queued(ev.Ask)
	case ask.EventVoted:
		a.voted(ctx, ev.Ask)
	case ask.EventAnswered, ask.EventTimedOut, ask.EventCancelled:
		a.remove(ctx, ev.Ask)
	}
}

func (a *asker) add(ctx context.Context, shown ask.Ask) {
	if shown.ID == a.current {
		return
	}
	for _, known := range a.waiting {
		if known.ID == shown.ID {
			return
		}
	}
	if a.terminal == nil {
		a.show(shown)
		return
	}
	a.waiting = append(a.waiting, shown)
	a.next(ctx)
}

// queued reports an ask that waits behind the one on the screen.
func (a *asker) queued(behind ask.Ask) {
	if a.terminal != nil && behind.Session == a.session {
		fmt.Fprintf(a.out, "\r\nask %s of this session waits as well: [l] lists them\r\n", behind.ID)
	}
}

// behind are the asks queued behind one on the screen.
func (a *asker) behind(ctx context.Context, shown ask.Ask) []ask.Ask {
	views, err := a.client.Asks(ctx, ask.Filter{Agent: shown.Agent, Session: shown.Session, State: ask.Queued})
	if err != nil {
		fmt.Fprintln(a.out, "cannot read the pending asks:", err)
	}
	var list []ask.Ask
	for _, v := range views {
		list = append(list, v.Ask)
	}
	return list
}

// voted reports an approval by one of several approvers. The approver here goes on with the next
// ask.
func (a *asker) voted(ctx context.Context, shown ask.Ask) {
	if a.json {
		a.show(shown)
		return
	}
	fmt.Fprintf(a.out, "ask %s: %s\n", shown.ID, card.Line(shown.Progress()))
	a.next(ctx)
}

// remove removes an ended ask, with a word about its end.
func (a *asker) remove(ctx context.Context, ended ask.Ask) {
	if ended.ID == a.told {
		return
	}
	a.told = ended.ID
	if a.json {
		a.show(ended)
		return
	}
	a.waiting = slices.DeleteFunc(a.waiting, func(known ask.Ask) bool { return known.ID == ended.ID })
	current := ended.ID == a.current
	if current {
		a.stop()
	}
	a.tell(ended)
	if current {
		a.next(ctx)
	}
}

// tell says how an ask ended, unless put has told more.
func (a *asker) tell(ended ask.Ask) {
	if ended.Answer != nil && ended.Answer.By == a.by && ended.Answer.Surface == terminal.Surface {
		return
	}
	printEnded(a.out, ended, nil)
}

// next puts the first waiting ask on the screen when it is free.
func (a *asker) next(ctx context.Context) {
	if a.done != nil {
		select {
		case <-a.done:
		default:
			return
		}
	}
	if len(a.waiting) == 0 {
		a.current, a.session = "", ""
		return
	}
	shown := a.waiting[0]
	a.waiting = a.waiting[1:]
	a.current, a.session = shown.ID, shown.Session
	asking, cancel := context.WithCancel(ctx)
	a.cancel, a.done = cancel, make(chan struct{})
	go func(done chan struct{}) {
		defer close(done)
		a.put(ctx, asking, shown)
	}(a.done)
}

// put shows one ask until asking ends, and sends the answer. Its own end may be announced before
// the reply to the answer, so it goes on despite it.
func (a *asker) put(ctx, asking context.Context, shown ask.Ask) {
	if err := a.client.Seen(ctx, shown.ID, a.by); err != nil {
		fmt.Fprintln(a.out, err)
		return
	}
	if view, err := a.client.Ask(ctx, shown.ID); err == nil {
		printLimits(a.out, view.Limits)
	}
	for {
		given, ok := a.terminal.AskWith(asking, shown, func() []ask.Ask { return a.behind(ctx, shown) })
		if !ok || !a.send(ctx, asking, shown, given) {
			return
		}
	}
}

// send sends answers, and reports whether the ask on the screen is still to be answered.
func (a *asker) send(ctx, asking context.Context, shown ask.Ask, given []terminal.Given) (again bool) {
	again = true
	for _, g := range given {
		g.Answer.By = a.by
		answered, err := a.client.Answer(ctx, g.ID, g.Answer)
		if protocol.NeedsPresence(err) && a.unlock(asking, err) {
			answered, err = a.client.Answer(ctx, g.ID, g.Answer)
		}
		switch {
		case protocol.NeedsPresence(err) && asking.Err() == nil:
			fmt.Fprintln(a.out, "Not approved; the ask is still pending.")
			return true
		case err != nil && len(given) > 1:
			fmt.Fprintf(a.out, "ask %s: %v\n", g.ID, err)
		case err != nil:
			fmt.Fprintln(a.out, err)
		default:
			printAnswered(a.out, answered)
		}
		again = again && g.ID != shown.ID
	}
	return again
}

// printLimits says which limits are near.
func printLimits(w io.Writer, limits []string) {
	for _, text := range limits {
		fmt.Fprintln(w, "note:", card.Line(text))
	}
}

// unlock asks for the PIN a refusal requires, while asking goes on. Denials never come here.
func (a *asker) unlock(asking context.Context, refused error) bool {
	view, err := a.client.Presence(asking)
	if err != nil || !view.Set || view.Locked {
		fmt.Fprintln(a.out, refused)
		return false
	}
	for {
		pin, ok := a.terminal.Secret(asking, "Approver PIN: ")
		if !ok {
			return false
		}
		_, err := a.client.Unlock(asking, a.by, pin)
		if err == nil {
			a.unlocked = true
			return true
		}
		fmt.Fprintln(a.out, err)
		if !isWrongPIN(err) {
			return false
		}
	}
}

// leave locks the terminal unlocked here again: the next program on it may be an agent.
func (a *asker) leave(ctx context.Context) {
	if !a.unlocked {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = a.client.LockPresence(ctx) // a missing daemon has forgotten it
}

// stop takes the ask on the screen away and waits until it is.
func (a *asker) stop() {
	if a.done == nil {
		return
	}
	a.cancel()
	<-a.done
	a.done = nil
}

// show prints an ask without asking.
func (a *asker) show(shown ask.Ask) {
	if a.json {
		if text, err := json.Marshal(shown); err == nil { // plain data always encodes
			fmt.Fprintf(a.out, "%s\n", text)
		}
		return
	}
	fmt.Fprint(a.out, "\n", card.Terminal(card.Render(shown, time.Now()), 0, false))
}

// printEnded prints the two rows of an ended ask: the outcome with how the stored rules are
// taken back, and the call.
func printEnded(w io.Writer, a ask.Ask, rules []engine.Rule) {
	outcome := card.Joined(card.Outcome(a, rules)).Text()
	before := " · take back: "
	for _, r := range rules {
		outcome += before + "callgate rules remove " + r.ID
		before = "; "
	}
	fmt.Fprintln(w, outcome)
	fmt.Fprintln(w, card.CallRow(a).Text())
}

// printAnswered describes an answer's effect.
func printAnswered(w io.Writer, a ask.AnswerResult) {
	if a.Ask.State.Waiting() {
		fmt.Fprintf(w, "ask %s: %s\n", a.Ask.ID, card.Line(a.Ask.Progress()))
	} else {
		printEnded(w, a.Ask, a.Rules)
	}
	for _, id := range a.AlsoAnswered {
		fmt.Fprintf(w, "the rule also answered ask %s\n", id)
	}
	for _, note := range a.Notes {
		fmt.Fprintln(w, "note:", card.Line(note))
	}
}
