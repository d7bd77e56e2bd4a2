package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/api"
)

// widening does what may need the PIN: when the daemon wants it typed first, and
// somebody is at a terminal, it is, and the same is done once more.
func (c *cli) widening(client *api.Client, do func(*api.Client) error) error {
	err := do(client)
	if !api.NeedsPresence(err) {
		return err
	}
	if err := unlockFor(c.ctx, client, err); err != nil {
		return err
	}
	return do(client)
}

// unlockFor asks for the PIN that a refusal wants. Where it cannot be typed, the
// refusal stays.
func unlockFor(ctx context.Context, client *api.Client, refused error) error {
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
func unlockAt(ctx context.Context, client *api.Client, p *person) error {
	for {
		pin, err := p.secret(ctx, "Approver PIN: ")
		if err != nil {
			return fmt.Errorf("the approver PIN: %w", err)
		}
		if pin == "" {
			return errors.New("no PIN was typed: nothing was changed")
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
	var e *api.Error
	return errors.As(err, &e) && e.Code == api.CodeWrongPIN
}
