package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"charm.land/huh/v2"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/builder"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/gate"
)

// settle shows what would be stored and does what the person then says.
func (d *dialog) settle(ctx context.Context, client *api.Client, f *draft) error {
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
		if err := d.ask(ctx, huh.NewSelect[string]().Title("Store it?").Value(&what).Options(
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
func (d *dialog) store(ctx context.Context, client *api.Client, change api.RuleChange) error {
	change.DryRun = false
	return d.c.widening(client, func(client *api.Client) error {
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
func (f *draft) change() (api.RuleChange, error) {
	rule, err := builder.Rule(f.tool, f.kind, f.text)
	if err != nil {
		return api.RuleChange{}, err
	}
	b, err := engine.ParseBehavior(f.behavior)
	if err != nil {
		return api.RuleChange{}, err
	}
	n := api.NewRule{Rule: rule, Behavior: &b, Scope: f.place.scope, ScopeKey: f.place.key}
	if f.lasts > 0 {
		n.ExpiresAt = time.Now().Add(f.lasts)
	}
	return api.RuleChange{Rules: []api.NewRule{n}}, nil
}

// printPreview prints a rule as it would be stored, what decides before it, and
// what makes it dangerous.
func printPreview(w io.Writer, plan gate.Changed) {
	p := plan.Rules[0]
	fmt.Fprintln(w)
	for _, line := range builder.Preview(p.Rule, p.Exists, p.Notes) {
		fmt.Fprintln(w, card.Line(line))
	}
}
