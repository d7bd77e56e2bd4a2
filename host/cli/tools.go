package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/wire"
)

func toolsCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "tools",
		GroupID: "setup",
		Short:   "Show the known tools and how to write rules for them",
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
		Short: "List tools and their modules, or the tools worth offering to an agent",
		Long: `Lists the tools and their modules. With --for, lists only the tools of which some call of
the agent may be allowed or asked about, given its profile, tool lists, whole-tool rules
and mode. A tool is excluded only if every call of it would be denied. The list helps to
choose what to show a model; every call is still checked.`,
		Example: `  callgate tools list
  callgate tools list --for builder --json
  callgate tools list --for builder --mode plan --all --tools mcp__github__get_issue`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if done, err := f.run(c, cmd); done || err != nil {
				return err
			}
			return c.withClient("", func(client *client.Client) error {
				tools, err := client.Tools(cmd.Context())
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), tools, func(w io.Writer) {
					rows := [][]string{{"tool", "module", "grants", "aliases", "problem"}}
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

// problemText describes a problem of a tool, or of its module's file.
func problemText(t wire.Tool) string {
	if t.Error == "" && t.State == wire.ModuleKept {
		return "its file cannot be used; the previous module is still in use. Details: callgate tool list"
	}
	return t.Error
}

func grantsText(t wire.Tool) string {
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

// limitsText shows the limits other than the defaults.
func limitsText(t wire.Tool) string {
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
		Short:             "Show the names, module, rule syntax and examples of one tool",
		Example:           "  callgate tools inspect Write\n  callgate tools inspect Write --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeTools()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				t, err := client.Tool(cmd.Context(), args[0])
				if err != nil {
					return seeAlso(err, "callgate tools list")
				}
				return c.print(cmd.OutOrStdout(), t, func(w io.Writer) { printTool(w, t) })
			})
		},
	}
}

func printTool(w io.Writer, t wire.Tool) {
	fmt.Fprint(w, table([][]string{
		{"tool", t.Name},
		{"aliases", strings.Join(t.Aliases, " ")},
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
