package ask

import (
	"context"
	"slices"
)

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

// subscriberBuffer and followerBuffer are how many events may wait for one subscriber, and for one
// follower: each waiting call has a follower.
const (
	subscriberBuffer = 64
	followerBuffer   = 4
)

// subscriber has one slot more than its buffer: the last is for EventLagged.
type subscriber struct {
	events chan Event
	of     Key // empty: of all asks
	lagged bool
}

// Subscribe returns the events from now on. The channel is closed when ctx ends or the broker
// is closed. A slow subscriber never blocks the broker: it loses events and finds EventLagged
// as the last one before the gap.
func (b *Broker) Subscribe(ctx context.Context) <-chan Event {
	return b.subscribe(ctx, &subscriber{events: make(chan Event, subscriberBuffer+1)})
}

// Follow is Subscribe for the asks of one call, with a shorter buffer.
func (b *Broker) Follow(ctx context.Context, call Key) <-chan Event {
	return b.subscribe(ctx, &subscriber{events: make(chan Event, followerBuffer+1), of: call})
}

func (b *Broker) subscribe(ctx context.Context, s *subscriber) <-chan Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isClosed() {
		close(s.events)
		return s.events
	}
	if s.of == (Key{}) {
		b.subs[s] = struct{}{}
	} else {
		b.follows[s.of] = append(b.follows[s.of], s)
	}
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
	if i := slices.Index(b.follows[s.of], s); i >= 0 {
		if b.follows[s.of] = slices.Delete(b.follows[s.of], i, i+1); len(b.follows[s.of]) == 0 {
			delete(b.follows, s.of)
		}
		close(s.events)
	}
}

// publish sends the event to all subscribers, and to the followers of its call. The caller holds mu and has already made the
// change, so a reader of EventLagged then sees in Waiting the effects of all dropped events.
func (b *Broker) publish(ev Event) {
	for s := range b.subs {
		s.offer(ev)
	}
	for _, s := range b.follows[ev.Ask.Key()] {
		s.offer(ev)
	}
}

// offer is only called with Broker.mu held, so the channel never fills up
// between the look at its length and the send.
func (s *subscriber) offer(ev Event) {
	if s.lagged && len(s.events) > 0 {
		return // EventLagged is last in the channel and not yet read
	}
	s.lagged = len(s.events) == cap(s.events)-1
	if s.lagged {
		ev = Event{Kind: EventLagged}
	}
	s.events <- ev
}

// endEvents names the event of each end.
var endEvents = map[State]EventKind{
	Approved: EventAnswered, Denied: EventAnswered, TimedOut: EventTimedOut, Cancelled: EventCancelled,
}
