package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"charm.land/huh/v2"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/builder"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// settle shows the result and follows the person's answer.
func (d *dialog) settle(ctx context.Context, client *client.Client, f *draft) error {
	for {
		change, err := f.change()
		if err != nil {
			return err
		}
		change.DryRun = true
		plan, err := client.ChangeRules(ctx, d.by, change)
		if err != nil {
			return err
		}
		printPreview(d.p.screen, plan)
		what := "discard"
		if err := d.ask(ctx, huh.NewSelect[string]().Title("Store this rule?").Value(&what).Options(
			huh.NewOption("no, discard it", "discard"), huh.NewOption("yes, store it", "store"), huh.NewOption("change the pattern", "change"))); err != nil {
			return err
		}
		switch what {
		case "discard":
			return nil
		case "change":
			if err := d.askPattern(ctx, client, f); err != nil {
				return err
			}
			continue
		}
		return d.store(ctx, client, change)
	}
}

// store stores the rule, after the PIN where it takes one.
func (d *dialog) store(ctx context.Context, daemon *client.Client, change protocol.RuleChange) error {
	change.DryRun = false
	return d.c.widening(daemon, func(client *client.Client) error {
		done, err := client.ChangeRules(ctx, d.by, change)
		if err != nil {
			return err
		}
		d.stored++
		fmt.Fprintf(d.p.screen, "stored %s as %s\n\n", card.Line(done.Rules[0].Rule.String()), done.Rules[0].Rule.ID)
		return nil
	})
}

// change is the draft as a change of rules.
func (f *draft) change() (protocol.RuleChange, error) {
	rule, err := builder.Rule(f.tool, f.kind, f.text)
	if err != nil {
		return protocol.RuleChange{}, err
	}
	b, err := engine.ParseBehavior(f.behavior)
	if err != nil {
		return protocol.RuleChange{}, err
	}
	n := protocol.NewRule{Rule: rule, Behavior: &b, Scope: f.place.scope, ScopeKey: f.place.key}
	if f.lasts > 0 {
		n.ExpiresAt = time.Now().Add(f.lasts)
	}
	return protocol.RuleChange{Rules: []protocol.NewRule{n}}, nil
}

// printPreview prints a rule as it would be stored, earlier deciding rules, and its dangers.
func printPreview(w io.Writer, plan wire.RuleChangeResult) {
	p := plan.Rules[0]
	fmt.Fprintln(w)
	for _, line := range builder.Preview(p.Rule, p.Exists, p.Notes) {
		fmt.Fprintln(w, card.Line(line))
	}
}
