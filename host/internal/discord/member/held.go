package member

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// heldFor is the lifetime of a look-up's result, failures included: an agent calling again and
// again must not exhaust the bot's rate limit, and a removed role must not count for long.
const heldFor = 10 * time.Second

// maxHeld bounds the remembered accounts.
const maxHeld = 1000

// held remembers the look-ups of accounts.
type held struct {
	now  func() time.Time
	mu   sync.Mutex
	last map[string]holding
}

// holding is Discord's answer about an account at one time.
type holding struct {
	at    time.Time
	actor Actor
	err   error
}

// Holds identifies an account on the server without an event from it: it asks Discord unless,
// without fresh, Discord answered about the account in the last ten seconds. The errors are
// those of Who, and are remembered as well, except that of a caller who left.
func (d *Directory) Holds(ctx context.Context, account string, fresh bool) (Actor, error) {
	if known, ok := d.held.of(account); ok && !fresh {
		return known.actor, known.err
	}
	actor, err := d.Who(ctx, "", nil, &discordgo.User{ID: account})
	if !errors.Is(ctx.Err(), context.Canceled) {
		d.held.keep(account, holding{d.c.Now(), actor, err})
	}
	return actor, err
}

func (h *held) of(account string) (holding, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.last[account]
	age := h.now().Sub(known.at)
	return known, ok && age >= 0 && age < heldFor
}

func (h *held) keep(account string, now holding) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.last) >= maxHeld {
		clear(h.last)
	}
	h.last[account] = now
}
