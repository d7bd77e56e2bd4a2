package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/daemon"
)

// startApprover answers every ask that is shown, until stop is called, which waits for its
// end: the person, as long as there is one who answers, else the demo's own approver.
func startApprover(ctx context.Context, o Options, d *daemon.Daemon) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	events := d.Host.Asks.Subscribe(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev := range events {
			if ev.Kind != ask.EventShown && ev.Kind != ask.EventLagged {
				continue
			}
			for _, a := range d.Host.Asks.Waiting(ask.Filter{State: ask.Shown}) {
				answerOne(ctx, o, d, a)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func answerOne(ctx context.Context, o Options, d *daemon.Daemon, a ask.Ask) {
	answer, ok := ask.Answer{}, false
	if o.Person != nil {
		asking, cancel := context.WithTimeout(ctx, o.Patience)
		d.Host.Asks.MarkSeen(a.ID, "you")
		answer, ok = o.Person(asking, a)
		cancel()
		if !ok && errors.Is(asking.Err(), context.DeadlineExceeded) {
			fmt.Fprintf(o.Out, "Nobody answered within %s: the demo's own approver does.\n", o.Patience)
		}
	}
	if !ok {
		answer = demoApprover(a)
		d.Host.Asks.MarkSeen(a.ID, answer.By)
	}
	_, _ = d.Host.Gate.Answer(ctx, a.ID, answer) // an ask that ended meanwhile needs no answer
}
