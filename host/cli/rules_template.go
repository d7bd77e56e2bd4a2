package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/template"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

func rulesTemplate(c *cli, by *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "template",
		Short: "Ready-made rule sets, shown before they are stored",
		Long: `A template is a set of rules that is stored and removed as a whole. Each rule says what
it allows and is tested on its own examples. For settings that are not rules (modes,
directories, limits) see callgate recipes, which edit the configuration file.`,
		Example: "  callgate rules template list\n  callgate rules template apply safe-dev --scope project",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(templateList(c), templateShow(c), templateApply(c, by), templateRemove(c, by))
	return cmd
}

func completeTemplates() completer {
	return later(func() (names []string) {
		for _, t := range template.All() {
			names = append(names, cobra.CompletionWithDesc(t.Name, t.Title))
		}
		return names
	})
}

func templateList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the templates",
		Example: "  callgate rules template list\n  callgate rules template list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := template.All()
			return c.print(cmd.OutOrStdout(), all, func(w io.Writer) {
				rows := [][]string{{"template", "rules", "what"}}
				for _, t := range all {
					rows = append(rows, []string{t.Name, fmt.Sprint(len(t.Rules)), t.Title})
				}
				fmt.Fprint(w, table(rows))
			})
		},
	}
}

func templateShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Show the rules of a template and what each allows",
		Example:           "  callgate rules template show safe-dev\n  callgate rules template show safe-dev --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(completeTemplates()),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := template.Find(args[0])
			if err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), t, func(w io.Writer) {
				fmt.Fprintf(w, "%s: %s\n%s\n\n", t.Name, t.Title, t.Description)
				rows := [][]string{{"behavior", "rule", "note"}}
				for _, r := range t.Rules {
					rows = append(rows, []string{r.Behavior, r.Rule, r.Note})
				}
				fmt.Fprint(w, table(rows))
			})
		},
	}
}

// scopeFlags choose where rules hold.
func scopeFlags(cmd *cobra.Command, scope, key *string, def engine.Scope) {
	cmd.Flags().StringVar(scope, "scope", string(def), "global, project, agent or session")
	cmd.Flags().StringVar(key, "key", "", "project root (default: the current project), agent or session of the scope")
	completeFlag(cmd, "scope", completeScopes())
}

func templateApply(c *cli, by *string) *cobra.Command {
	var scope, key string
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:   "apply NAME",
		Short: "Store the rules of a template, after confirmation",
		Long: `Shows each rule, which ones already exist, and which deny and ask rules take precedence.
After confirmation it stores all of them or none. --yes skips the question, --dry-run
stores nothing. The stored rules have the source template:NAME, by which they can be
removed.`,
		Example: `  callgate rules template apply safe-dev --dry-run
  callgate rules template apply safe-dev --scope project --key ~/shop --yes
  callgate rules template apply no-destruction --scope global`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(completeTemplates()),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := template.Find(args[0])
			if err != nil {
				return err
			}
			change, err := templateChange(t, engine.Scope(scope), key)
			if err != nil {
				return err
			}
			return c.confirmedChange(cmd, *by, change, t.Rules, yes, dryRun)
		},
	}
	scopeFlags(cmd, &scope, &key, engine.Project)
	cmd.Flags().BoolVar(&yes, "yes", false, "store without confirmation")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the rules and store nothing")
	return cmd
}

// templateChange is the effect of storing a template.
func templateChange(t template.Template, scope engine.Scope, key string) (protocol.RuleChange, error) {
	change := protocol.RuleChange{Source: t.Source(), Rules: []protocol.NewRule{}}
	if _, err := engine.ParseScope(string(scope)); err != nil {
		return change, err
	}
	key, err := scopeKey(scope, key)
	if err != nil {
		return change, err
	}
	for _, rule := range t.Rules {
		r, err := rule.Engine()
		if err != nil {
			return change, err
		}
		change.Rules = append(change.Rules, protocol.NewRule{
			Rule: rule.Rule, Behavior: &r.Behavior, Scope: scope, ScopeKey: key, Reason: rule.Note, Match: rule.Match, NotMatch: rule.NotMatch,
		})
	}
	return change, nil
}

// confirmedChange shows a change of rules and makes it after a yes.
func (c *cli) confirmedChange(cmd *cobra.Command, by string, change protocol.RuleChange, notes []template.Rule, yes, dryRun bool) error {
	said := yes
	// If the PIN is needed, the person types it, and then all of this runs again.
	return c.withClient("", func(client *client.Client) error {
		change.DryRun = !said || dryRun
		if change.DryRun {
			plan, err := client.ChangeRules(cmd.Context(), by, change)
			switch {
			case err != nil:
				return err
			case dryRun:
				return c.print(cmd.OutOrStdout(), plan, func(w io.Writer) { printPlan(w, plan, notes) })
			}
			printPlan(cmd.ErrOrStderr(), plan, notes)
			if err := agreedTo(cmd.Context(), plan); err != nil {
				return err
			}
			said, change.DryRun = true, false
		}
		done, err := client.ChangeRules(cmd.Context(), by, change)
		if err != nil {
			return err
		}
		return c.print(cmd.OutOrStdout(), done, func(w io.Writer) {
			if yes {
				printPlan(w, done, notes)
			}
			stored := len(slices.DeleteFunc(slices.Clone(done.Rules), func(p wire.PlannedRule) bool { return p.Exists }))
			fmt.Fprintf(w, "%d rules stored, %d removed\n", stored, len(done.Removed))
		})
	})
}

// errRefused is a person who said no.
var errRefused = errors.New("nothing was changed")

// agreedTo asks the person at the terminal for a yes.
func agreedTo(ctx context.Context, plan wire.RuleChangeResult) error {
	question := fmt.Sprintf("Store these %d rules?", len(plan.Rules))
	if len(plan.Removed) > 0 {
		question = fmt.Sprintf("Remove these %d rules?", len(plan.Removed))
	}
	return agreed(ctx, question)
}

// agreed asks the person at the terminal a question; without a yes it is errRefused.
func agreed(ctx context.Context, question string) error {
	p, err := atTerminal()
	if err != nil {
		return fmt.Errorf("%w; add --yes to skip the question, or --dry-run to only look", err)
	}
	defer p.close()
	answer, err := p.line(ctx, question+" [y/N] ")
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(answer)) {
		return errRefused
	}
	return nil
}

// printPlan prints the rules to store or remove, one by one.
func printPlan(w io.Writer, plan wire.RuleChangeResult, notes []template.Rule) {
	rows := [][]string{}
	for i, p := range plan.Rules {
		state := "new"
		if p.Exists {
			state = "exists"
		}
		note := p.Rule.Reason
		if i < len(notes) {
			note = cmp.Or(notes[i].Note, note)
		}
		rows = append(rows, []string{state, p.Rule.Behavior.String(), scopeText(p.Rule), card.Line(p.Rule.String()), card.Line(note)})
	}
	for _, r := range plan.Removed {
		rows = append(rows, []string{"remove", r.Behavior.String(), scopeText(r), card.Line(r.String()), r.ID})
	}
	fmt.Fprint(w, table(rows))
	for _, p := range plan.Rules {
		for _, note := range p.Notes {
			fmt.Fprintf(w, "note: %s: %s\n", card.Line(p.Rule.String()), card.Line(note))
		}
	}
}

func scopeText(r engine.Rule) string {
	return strings.TrimSpace(string(r.Scope) + " " + card.Line(r.ScopeKey))
}

func templateRemove(c *cli, by *string) *cobra.Command {
	var scope, key string
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove the stored rules of a template",
		Long: `Removes the stored rules with the source template:NAME, after showing them. A rule that
existed before the template was applied is kept.`,
		Example:           "  callgate rules template remove safe-dev\n  callgate rules template remove safe-dev --scope global --yes",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(completeTemplates()),
		RunE: func(cmd *cobra.Command, args []string) error {
			change := protocol.RuleChange{Rules: []protocol.NewRule{}}
			err := c.withClient("", func(client *client.Client) error {
				f := store.RuleFilter{Scope: engine.Scope(scope), Key: key}
				if scope == string(engine.Project) {
					var err error
					if f.Key, err = scopeKey(engine.Project, key); err != nil {
						return err
					}
				}
				rules, err := client.Rules(cmd.Context(), f)
				if err != nil {
					return err
				}
				for _, r := range rules {
					if r.Source == template.SourcePrefix+args[0] {
						change.Remove = append(change.Remove, r.ID)
					}
				}
				if len(change.Remove) == 0 {
					if _, err := template.Find(args[0]); err != nil {
						return err
					}
					return fmt.Errorf("no stored rule comes from the template %s; list the rules: callgate rules list", args[0])
				}
				return nil
			})
			if err != nil {
				return err
			}
			return c.confirmedChange(cmd, *by, change, nil, yes, dryRun)
		},
	}
	scopeFlags(cmd, &scope, &key, "")
	cmd.Flags().BoolVar(&yes, "yes", false, "remove without confirmation")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the rules and remove nothing")
	return cmd
}
