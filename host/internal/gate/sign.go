package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// Passkeys have people's devices sign approvals. Both methods make the statement anew from the ask,
// the answer and the rules that it stores.
type Passkeys interface {
	Challenge(ctx context.Context, waiting ask.Ask, answer ask.Answer, rules []engine.Rule) (passkey.Challenge, error)
	Verify(ctx context.Context, waiting ask.Ask, answer ask.Answer, rules []engine.Rule) ([]byte, error)
}

var errNoPasskeys = errors.New("this gate has no passkeys")

// Challenge makes what a person's device has to sign for this answer: the same answer with its
// Assertion then counts as signed. Nothing is decided. Its errors are those of Answer for the
// answer's form, and the Passkeys'.
func (g *Gate) Challenge(ctx context.Context, id string, a ask.Answer) (passkey.Challenge, error) {
	if g.c.Passkeys == nil {
		return passkey.Challenge{}, errNoPasskeys
	}
	waiting, err := g.c.Asks.Get(ctx, id)
	if err != nil {
		return passkey.Challenge{}, err
	}
	if !waiting.State.Waiting() {
		return passkey.Challenge{}, &ask.SettledError{Ask: waiting}
	}
	if a.Input != nil {
		if a.Input, err = strictjson.Object(a.Input); err != nil {
			return passkey.Challenge{}, fmt.Errorf("%w: input: %w", ask.ErrBadAnswer, err)
		}
	}
	a.By = g.c.Settings().Person(a.By).Name
	a.Sets = sessionSets(waiting, a)
	rules, err := acceptedRules(waiting, a)
	if err != nil {
		return passkey.Challenge{}, err
	}
	return g.c.Passkeys.Challenge(ctx, waiting, a, rules)
}

// signature is the verified evidence of an answer's assertion; nil without one. An assertion that
// does not count refuses the answer.
func (g *Gate) signature(ctx context.Context, waiting ask.Ask, a ask.Answer, rules []engine.Rule) (json.RawMessage, error) {
	switch {
	case a.Assertion == nil:
		return nil, nil
	case g.c.Passkeys == nil:
		return nil, errNoPasskeys
	}
	return g.c.Passkeys.Verify(ctx, waiting, a, rules)
}
