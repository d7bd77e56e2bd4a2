package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// widening does an action with a possible need for the PIN: when the daemon requires it, and a
// person is at a terminal, it asks for the PIN and repeats the action once.
func (c *cli) widening(client *client.Client, do func(*client.Client) error) error {
	err := do(client)
	if !protocol.NeedsPresence(err) {
		return err
	}
	if err := unlockFor(c.ctx, client, err); err != nil {
		return err
	}
	return do(client)
}

// unlockFor asks for the PIN a refusal requires. Without a way to type it, the refusal stays.
func unlockFor(ctx context.Context, client *client.Client, refused error) error {
	view, err := client.Presence(ctx)
	if err != nil {
		return errors.Join(refused, err)
	}
	if !view.Set || view.Locked {
		return refused
	}
	p, err := atTerminal()
	if err != nil {
		return refused // it says what to type, and where
	}
	defer p.close()
	return unlockAt(ctx, client, p)
}

// unlockAt asks for the PIN until it is right, nothing is typed, or it is locked.
func unlockAt(ctx context.Context, client *client.Client, p *person) error {
	for {
		pin, err := p.secret(ctx, "Approver PIN: ")
		if err != nil {
			return fmt.Errorf("approver PIN: %w", err)
		}
		if pin == "" {
			return errors.New("no PIN entered; nothing was changed")
		}
		_, err = client.Unlock(ctx, account(), pin)
		if !isWrongPIN(err) {
			return err
		}
		fmt.Fprintln(p.screen, err)
	}
}

// isWrongPIN reports whether another try is worth while.
func isWrongPIN(err error) bool {
	var e *protocol.Error
	return errors.As(err, &e) && e.Code == protocol.CodeWrongPIN
}
