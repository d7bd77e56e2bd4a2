package ask

import "context"

// EventKind is the kind of an event.
type EventKind string

// The events.
const (
	EventQueued    EventKind = "queued"
	EventShown     EventKind = "shown" // again after a restart
	EventVoted     EventKind = "voted" // an approval, not yet enough
	EventAnswered  EventKind = "answered"
	EventTimedOut  EventKind = "timed_out"
	EventCancelled EventKind = "cancelled"
	// EventPaused and EventResumed are about the session in Event.Ask.Session;
	// nothing else of the ask is set.
	EventPaused  EventKind = "paused"
	EventResumed EventKind = "resumed"
	// EventLagged means: the subscriber was too slow and missed events. It should look at
	// Waiting, and at Get for its known asks.
	EventLagged EventKind = "lagged"
)

// Event is one change of an ask.
type Event struct {
	Kind EventKind `json:"event"`
	// Ask is the ask after the event; its input is gone once it has ended.
	Ask Ask `json:"ask"`
	// Position is the place in the queue, for EventQueued.
	Position int `json:"position,omitempty"`
}

// subscriberBuffer is how many events may wait for one subscriber.
const subscriberBuffer = 64

// subscriber has one slot more than subscriberBuffer: the last is for
// EventLagged.
type subscriber struct {
	events chan Event
	lagged bool
}

// Subscribe returns the events from now on. The channel is closed when ctx ends or the broker
// is closed. A slow subscriber never blocks the broker: it loses events and finds EventLagged
// as the last one before the gap.
func (b *Broker) Subscribe(ctx context.Context) <-chan Event {
	s := &subscriber{events: make(chan Event, subscriberBuffer+1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isClosed() {
		close(s.events)
		return s.events
	}
	b.subs[s] = struct{}{}
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.dropSubscriber(s)
	})
	return s.events
}

// dropSubscriber ends s once. The caller holds mu.
func (b *Broker) dropSubscriber(s *subscriber) {
	if _, ok := b.subs[s]; ok {
		delete(b.subs, s)
		close(s.events)
	}
}

// publish sends the event to all subscribers. The caller holds mu and has already made the
// change, so a reader of EventLagged then sees in Waiting the effects of all dropped events.
func (b *Broker) publish(ev Event) {
	for s := range b.subs {
		s.offer(ev)
	}
}

// offer is only called with Broker.mu held, so the channel never fills up
// between the look at its length and the send.
func (s *subscriber) offer(ev Event) {
	if s.lagged && len(s.events) > 0 {
		return // EventLagged is last in the channel and not yet read
	}
	s.lagged = len(s.events) == subscriberBuffer
	if s.lagged {
		ev = Event{Kind: EventLagged}
	}
	s.events <- ev
}

// endEvents names the event of each end.
var endEvents = map[State]EventKind{
	Approved: EventAnswered, Denied: EventAnswered, TimedOut: EventTimedOut, Cancelled: EventCancelled,
}
