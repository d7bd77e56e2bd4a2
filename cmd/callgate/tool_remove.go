package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/store"
)

// removal is a module that is taken away: what stays behind, and what came of it.
type removal struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	// Rules are those of the configuration and of the store that name its tools.
	Rules []leftRule `json:"rules"`
	api.ModuleOutcome
}

// leftRule is a rule whose tool's module is gone, and what it does from then on.
type leftRule struct {
	engine.Rule
	Then string `json:"then"`
}

func toolRemove(c *cli) *cobra.Command {
	var by string
	var yes, dry bool
	cmd := &cobra.Command{
		Use:   "remove FILE",
		Short: "Take a module away: its file, its grant, and the version before",
		Long: `Has the running daemon take a module away. Its tools are then unknown ones, about
which every call asks; what the module itself denied or asked about is no longer told
apart. So somebody has to be there to type the approver PIN.

Rules that name its tools stay, and are shown first: until a module answers for these
names again, they are read as rules of an unknown tool. Those of projects' own files are
not known beforehand.`,
		Example:           "  callgate tool remove deploy\n  callgate tool remove deploy --dry-run --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeInstalled()),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := installed(args[0])
			if err != nil {
				return err
			}
			var shown *removal
			screen := cmd.OutOrStdout()
			if c.json {
				screen = cmd.ErrOrStderr()
			}
			// A person whose PIN is needed is asked for it, and then all of this runs again.
			return c.withClient("", func(client *api.Client) error {
				if shown == nil {
					r := removal{File: file}
					if r.Rules, err = leftBehind(cmd.Context(), client, file); err != nil {
						return err
					}
					if dry {
						return c.print(cmd.OutOrStdout(), r, r.print)
					}
					r.print(screen)
					if !yes {
						if err := agreed(cmd.Context(), "Take "+file+" away, with its grant and the version before?"); err != nil {
							return err
						}
					}
					shown = &r
				}
				if shown.ModuleOutcome, err = client.RemoveModule(cmd.Context(), by, file); err != nil {
					return seeAlso(err, "callgate tool list")
				}
				shown.Changed = true
				return c.print(cmd.OutOrStdout(), shown, func(w io.Writer) {
					fmt.Fprintln(w, file+" is no longer there")
					for _, p := range shown.Problems {
						fmt.Fprintf(w, "problem: %s: %s\n", card.Line(p.File), card.Line(p.Error))
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask; the approver PIN is wanted all the same")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would stay behind")
	asFlag(cmd, &by)
	return cmd
}

// leftBehind are the rules that speak of a module's tools: by a name that it has, or
// that it was granted and cannot have now.
func leftBehind(ctx context.Context, client *api.Client, file string) ([]leftRule, error) {
	tools, err := client.Tools(ctx)
	if err != nil {
		return nil, err
	}
	list, err := client.Modules(ctx)
	if err != nil {
		return nil, err
	}
	rules, err := client.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range tools {
		if t.File == file && !t.Embedded {
			names = append(names, t.Names()...)
		}
	}
	for _, m := range list.Modules {
		if m.File == file && !m.Embedded {
			names = append(names, m.Grant.Names...)
		}
	}
	left := []leftRule{}
	for _, r := range rules {
		speaks := func(name string) bool { return engine.MatchName(r.Tool, name) || engine.MatchName(name, r.Tool) }
		if slices.ContainsFunc(names, speaks) {
			left = append(left, leftRule{r, thenText(r)})
		}
	}
	return left, nil
}

// thenText says what a rule does when no module answers for its tool.
func thenText(r engine.Rule) string {
	const read = ", unless it is the input in JSON or param:value"
	switch {
	case r.WholeTool():
		return r.Behavior.String() + ", whatever the input, as before"
	case r.Behavior == engine.Allow:
		return "allows nothing" + read
	}
	return r.Behavior.String() + " for every call" + read
}

func (r removal) print(w io.Writer) {
	if len(r.Rules) == 0 {
		fmt.Fprintln(w, "no rule names its tools")
		return
	}
	fmt.Fprintf(w, "rules that name its tools: %d. They stay, and mean what they mean now when a module answers for the name again. Until then:\n", len(r.Rules))
	rows := [][]string{{"id", "behavior", "scope", "rule", "then"}}
	for _, l := range r.Rules {
		rows = append(rows, []string{l.ID, l.Behavior.String(), string(l.Scope) + " " + card.Line(l.ScopeKey), card.Line(l.String()), l.Then})
	}
	fmt.Fprint(w, table(rows))
}
