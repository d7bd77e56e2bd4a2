package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/catalog"
)

func toolsCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "tools",
		GroupID: "setup",
		Short:   "See which tools the gate knows and how their rules are written",
		Example: "  callgate tools list\n  callgate tools inspect Bash",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(toolsList(c), toolsInspect(c))
	return cmd
}

func toolsList(c *cli) *cobra.Command {
	var f offerFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools and the modules behind them, or those worth offering to an agent",
		Long: `Lists the tools and the modules behind them. With --for, lists those of which
some call of the agent may be allowed or asked about, by its profile, tool lists,
whole-tool rules and mode; a tool is left out only when each of its calls would be
denied. That is a help for the model and no decision: every call is checked.`,
		Example: `  callgate tools list
  callgate tools list --for builder --json
  callgate tools list --for builder --mode plan --all --tools mcp__github__get_issue`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if done, err := f.run(c, cmd); done || err != nil {
				return err
			}
			return c.withClient("", func(client *api.Client) error {
				tools, err := client.Tools(cmd.Context())
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), tools, func(w io.Writer) {
					rows := [][]string{{"tool", "module", "grants", "also called", "problem"}}
					for _, t := range tools {
						rows = append(rows, []string{t.Name, strings.TrimSpace(t.Module + " " + t.Version), grantsText(t), strings.Join(t.Aliases, " "), card.Line(problemText(t))})
					}
					fmt.Fprint(w, table(rows))
				})
			})
		},
	}
	f.register(c, cmd)
	return cmd
}

// problemText says what is wrong with a tool, or with the file of its module.
func problemText(t catalog.Info) string {
	if t.Error == "" && t.State == catalog.StandsKept {
		return "its file cannot be used, and the module before it stays in use: callgate tool list"
	}
	return t.Error
}

func grantsText(t catalog.Info) string {
	switch {
	case t.MayAllow && t.MayReadOnly:
		return "allow, read_only"
	case t.MayAllow:
		return "allow"
	case t.MayReadOnly:
		return "read_only"
	}
	return "none"
}

// limitsText shows the limits that are not the defaults.
func limitsText(t catalog.Info) string {
	var set []string
	for _, l := range t.Limits {
		if l.Value != l.Default {
			set = append(set, fmt.Sprintf("%s %s (default %s)", l.Name, l.Value, l.Default))
		}
	}
	if len(set) == 0 {
		return "the defaults"
	}
	return strings.Join(set, ", ")
}

func toolsInspect(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:               "inspect TOOL",
		Short:             "Show one tool: names, module, how its rules are written, examples",
		Example:           "  callgate tools inspect Write\n  callgate tools inspect Write --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeTools()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *api.Client) error {
				t, err := client.Tool(cmd.Context(), args[0])
				if err != nil {
					return seeAlso(err, "callgate tools list")
				}
				return c.print(cmd.OutOrStdout(), t, func(w io.Writer) { printTool(w, t) })
			})
		},
	}
}

func printTool(w io.Writer, t catalog.Info) {
	fmt.Fprint(w, table([][]string{
		{"tool", t.Name},
		{"also called", strings.Join(t.Aliases, " ")},
		{"module", fmt.Sprintf("%s %s (%s, %d bytes)", t.Module, t.Version, t.File, t.Size)},
		{"sha256", t.Digest},
		{"grants", grantsText(t)},
		{"limits", limitsText(t)},
		{"rules", card.Line(t.RuleHelp)},
	}))
	if t.Error != "" {
		fmt.Fprintln(w, "problem:", card.Line(t.Error))
	}
	if len(t.RuleExamples) == 0 {
		return
	}
	fmt.Fprintln(w, "examples:")
	for _, e := range t.RuleExamples {
		verb := "does not match"
		if e.Match {
			verb = "matches"
		}
		fmt.Fprintf(w, "  %s %s(%s) %s %s\n", e.Behavior, t.Name, card.Line(e.Content), verb, card.Line(string(e.Input)))
	}
}
