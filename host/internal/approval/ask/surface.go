package ask

import (
	"context"
	"maps"
	"slices"
)

// Surface is a place where people see cards and answer them.
type Surface struct {
	// Name is the surface's word, such as "terminal" or "discord".
	Name string
	// Approver is who answers there; empty when several may.
	Approver string
}

// Attach registers a surface until detach is called; detach may be called more
// than once. The same surface may be attached several times.
func (b *Broker) Attach(s Surface) (detach func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := &s
	b.surfaces[key] = struct{}{}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.surfaces, key)
	}
}

// HasSurface reports whether any surface is attached. Without one there is no way to answer,
// and the Gate denies instead of asking.
func (b *Broker) HasSurface() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.surfaces) > 0
}

// Surfaces returns the attached ones, in no order.
func (b *Broker) Surfaces() []Surface {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]Surface, 0, len(b.surfaces))
	for s := range b.surfaces {
		list = append(list, *s)
	}
	return list
}

// MarkSeen notes that the approver, under the name of Answer.By, was shown the card of a
// visible ask. A surface calls it when the card is really there; for a card shown to many at
// once, at the latest when one of them answers another card in the same place.
func (b *Broker) MarkSeen(id, approver string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.find(NormalID(id)); e != nil && e.ask.State == Shown {
		e.seen[approver] = true
	}
}

// SeenBy reports whether the approver was shown the card of a waiting ask. It is forgotten at a
// restart, because the surfaces then show again.
func (b *Broker) SeenBy(approver, id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.find(NormalID(id))
	return e != nil && e.seen[approver]
}

// otherEyes reports whether the card was shown to people, none of them the
// approver.
func (b *Broker) otherEyes(approver string, e *entry) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(e.seen) > 0 && !e.seen[approver]
}

// Undelivered notes that a surface, by its name, failed to show the card. When every attached
// surface has failed, the ask is denied at once: an answer is impossible. Otherwise it goes on
// waiting for the others, and says so in Ask.Undelivered, also when its time runs out.
func (b *Broker) Undelivered(ctx context.Context, id, surface string) error {
	if err := b.acquire(ctx); err != nil {
		return err
	}
	defer b.release()
	e := b.noteUndelivered(NormalID(id), surface)
	if e == nil {
		return nil
	}
	b.forceEnd(ctx, e, Denied, CauseNoSurface)
	b.advance(ctx, laneOf(e.ask))
	return nil
}

// Delivered reverts Undelivered: the surface shows the card by now.
func (b *Broker) Delivered(ctx context.Context, id, surface string) error {
	if err := b.acquire(ctx); err != nil {
		return err
	}
	defer b.release()
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.find(NormalID(id)); e != nil {
		delete(e.failed, surface)
		e.ask.Undelivered = e.undelivered()
	}
	return nil
}

// noteUndelivered returns the entry when every attached surface has failed it.
func (b *Broker) noteUndelivered(id, surface string) *entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.find(id)
	if e == nil {
		return nil
	}
	e.failed[surface] = true
	e.ask.Undelivered = e.undelivered()
	for s := range b.surfaces {
		if !e.failed[s.Name] {
			return nil
		}
	}
	return e
}

// undelivered are the surfaces that failed to show the card. The caller holds Broker.mu.
func (e *entry) undelivered() []string { return slices.Sorted(maps.Keys(e.failed)) }
