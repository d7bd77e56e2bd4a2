package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/daemon"
)

// startApprover answers every shown ask, until stop is called, which waits for its end: the
// person, as long as they answer, else the demo's own approver.
func startApprover(ctx context.Context, o Options, d *daemon.Daemon) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	events := d.Host.Asks.Subscribe(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		silent := 0
		for ev := range events {
			if ev.Kind != ask.EventShown && ev.Kind != ask.EventLagged {
				continue
			}
			for _, a := range d.Host.Asks.Waiting(ask.Filter{State: ask.Shown}) {
				answerOne(ctx, o, d, a, &silent)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// mostSilent is how many cards a person may leave without an answer: the next ones would
// only fill the screen.
const mostSilent = 3

// forPerson are the calls whose asks a person sees, by id: one of each kind, so that all acts
// fit on a few screens.
var forPerson = []string{
	"toolu_06",     // an edit, with its difference
	"toolu_07",     // a build, and the rule for later ones
	"toolu_10",     // the same build with a download behind it
	"toolu_51",     // a private key
	"own_before_3", // a safety check of a module that was just added
}

func answerOne(ctx context.Context, o Options, d *daemon.Daemon, a ask.Ask, silent *int) {
	answer, ok := ask.Answer{}, false
	if o.Person != nil && *silent < mostSilent && slices.Contains(forPerson, a.CallID) {
		asking, cancel := context.WithTimeout(ctx, o.Patience)
		d.Host.Asks.MarkSeen(a.ID, "you")
		answer, ok = o.Person(asking, a)
		cancel()
		if !ok && errors.Is(asking.Err(), context.DeadlineExceeded) {
			fmt.Fprintf(o.Out, "No answer within %s: the demo's own approver answers.\n", o.Patience)
		}
		if ok {
			*silent = 0
		} else if *silent++; *silent == mostSilent && ctx.Err() == nil {
			fmt.Fprintf(o.Out, "%d asks without an answer from you: from here on the demo's own approver answers.\n", mostSilent)
		}
	}
	if !ok {
		answer = demoApprover(a)
		d.Host.Asks.MarkSeen(a.ID, answer.By)
	}
	_, _ = d.Host.Gate.Answer(ctx, a.ID, answer) // an ask already ended needs no answer
}
