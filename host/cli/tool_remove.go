package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// removal is the result of removing a module, with the remaining rules.
type removal struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	// BuiltIn is the built-in module in force again; empty for none.
	BuiltIn string `json:"built_in,omitempty"`
	// Rules are those of the configuration and of the store naming its tools.
	Rules []leftRule `json:"rules"`
	wire.ModuleOutcome
}

// leftRule is a rule for a tool without a module now, and its effect from then on.
type leftRule struct {
	engine.Rule
	Then string `json:"then"`
}

func toolRemove(c *cli) *cobra.Command {
	var by string
	var yes, dry bool
	cmd := &cobra.Command{
		Use:   "remove FILE",
		Short: "Remove a module, its grant and its previous version",
		Long: `Has the daemon remove a module. Its tools become unknown tools, for which every call needs
approval; what the module denied or asked about is no longer checked. Requires the
approver PIN. If the module replaced a built-in one, the built-in one is used again.

Rules for its tools are kept and listed first: until another module answers for these
names, they are read as rules of an unknown tool. Rules in project files are not listed.`,
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
			// If the PIN is needed, the person types it, and then all of this runs again.
			return c.withClient("", func(client *client.Client) error {
				if shown == nil {
					r := removal{File: file}
					if err = r.look(cmd.Context(), client); err != nil {
						return err
					}
					if dry {
						return c.print(cmd.OutOrStdout(), r, r.print)
					}
					r.print(screen)
					if !yes {
						if err := agreed(cmd.Context(), "Remove "+file+"? Its grant and its previous version are removed as well."); err != nil {
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
					fmt.Fprintln(w, file+" removed")
					for _, p := range shown.Problems {
						fmt.Fprintf(w, "problem: %s: %s\n", card.Line(p.File), card.Line(p.Error))
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "skip the question; the approver PIN is still required")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show what would be left and change nothing")
	asFlag(cmd, &by)
	return cmd
}

// look finds the returning built-in module, or else the remaining rules.
func (r *removal) look(ctx context.Context, client *client.Client) error {
	list, err := client.Modules(ctx)
	if err != nil {
		return err
	}
	r.Rules = []leftRule{}
	for _, m := range list.Modules {
		if m.File == r.File && m.Replaces {
			r.BuiltIn = strings.TrimSuffix(m.File, ".wasm")
			return nil
		}
	}
	r.Rules, err = leftBehind(ctx, client, list, r.File)
	return err
}

// leftBehind are the rules about a module's tools: by a name it has, or one granted to it and
// impossible now.
func leftBehind(ctx context.Context, client *client.Client, list wire.ModuleList, file string) ([]leftRule, error) {
	tools, err := client.Tools(ctx)
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

// thenText describes a rule's effect without a module for its tool.
func thenText(r engine.Rule) string {
	const read = ", except as JSON input or param:value"
	switch {
	case r.WholeTool():
		return r.Behavior.String() + ", whatever the input, as before"
	case r.Behavior == engine.Allow:
		return "allows nothing" + read
	}
	return r.Behavior.String() + " for every call" + read
}

func (r removal) print(w io.Writer) {
	if r.BuiltIn != "" {
		fmt.Fprintf(w, "%s replaces the built-in module %s, which will be used again; rules stay active, except stored ones that the built-in module reads as allowing more\n", r.File, r.BuiltIn)
		return
	}
	if len(r.Rules) == 0 {
		fmt.Fprintln(w, "no rule names its tools")
		return
	}
	fmt.Fprintf(w, "%d rules name its tools. They are kept and work as now when another module answers for the name. Until then:\n", len(r.Rules))
	rows := [][]string{{"id", "behavior", "scope", "rule", "then"}}
	for _, l := range r.Rules {
		rows = append(rows, []string{l.ID, l.Behavior.String(), string(l.Scope) + " " + card.Line(l.ScopeKey), card.Line(l.String()), l.Then})
	}
	fmt.Fprint(w, table(rows))
}
