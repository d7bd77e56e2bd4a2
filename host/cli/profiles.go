package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/wire"
)

func profilesCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "profiles",
		GroupID: "people",
		Short:   "Show profiles and assign them to agents",
		Long: `A profile limits what an agent may do and what always needs approval; within it, the mode
and the rules decide. The configuration assigns one to each agent. A person can assign
another one here. An agent can request another one with self_edit_permissions, if a person
approves and the triggering user's roles allow it. The assignment applies from the next
call until it is reset or the configuration assigns another profile.`,
		Example: "  callgate profiles list\n  callgate profiles set builder locked\n  callgate profiles reset builder",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	var by string
	asFlag(cmd, &by)
	cmd.AddCommand(profilesList(c), profilesShow(c), profilesSet(c, &by), profilesReset(c, &by))
	return cmd
}

func profilesList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the profiles and their agents",
		Example: "  callgate profiles list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				all, err := client.Profiles(cmd.Context())
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), all, func(w io.Writer) { printProfiles(w, all) })
			})
		},
	}
}

func printProfiles(w io.Writer, all wire.Profiles) {
	rows := [][]string{{"profile", "kind", "allow", "ask", "deny"}}
	for _, p := range all.Profiles {
		kind := "yours"
		if p.Preset {
			kind = "preset"
		}
		rows = append(rows, []string{card.Line(p.Name), kind, fmt.Sprint(len(p.Allow)), fmt.Sprint(len(p.Ask)), fmt.Sprint(len(p.Deny))})
	}
	fmt.Fprint(w, table(rows))
	if len(all.Agents) == 0 {
		return
	}
	fmt.Fprintln(w)
	rows = [][]string{{"agent", "profile", "from"}}
	for _, a := range all.Agents {
		rows = append(rows, []string{card.Line(a.Agent), orNone(a.Profile), whence(a)})
	}
	fmt.Fprint(w, table(rows))
}

func orNone(profile string) string {
	if profile == "" {
		return "none"
	}
	return card.Line(profile)
}

// whence says where an agent's profile is from.
func whence(a wire.AgentProfile) string {
	if a.Given == nil {
		return "the configuration"
	}
	text := "assigned by " + card.Line(a.Given.By)
	if a.Given.ApprovedBy != "" {
		text = "assigned by " + card.Line(a.Given.By) + ", approved by " + card.Line(a.Given.ApprovedBy)
	}
	return text + " at " + a.Given.At.Local().Format(time.DateTime) + ", replaces " + orNone(a.Configured)
}

func profilesShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Show the patterns of one profile",
		Example:           "  callgate profiles show standard\n  callgate profiles show standard --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeProfiles()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				all, err := client.Profiles(cmd.Context())
				if err != nil {
					return err
				}
				i := slices.IndexFunc(all.Profiles, func(p wire.Profile) bool { return p.Name == args[0] })
				if i < 0 {
					return fmt.Errorf("unknown profile %q; want one of %s", args[0], strings.Join(profileNames(all), ", "))
				}
				return c.print(cmd.OutOrStdout(), all.Profiles[i], func(w io.Writer) { printProfile(w, all.Profiles[i]) })
			})
		},
	}
}

// printProfile writes the lists in the order of evaluation.
func printProfile(w io.Writer, p wire.Profile) {
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"deny", p.Deny}, {"allow", p.Allow}, {"ask", p.Ask}} {
		for _, pattern := range list.patterns {
			fmt.Fprintf(w, "%-6s %s\n", list.name, card.Line(pattern))
		}
	}
	fmt.Fprintln(w, "others denied")
}

func profileNames(all wire.Profiles) []string {
	var names []string
	for _, p := range all.Profiles {
		names = append(names, p.Name)
	}
	return names
}

func profilesSet(c *cli, by *string) *cobra.Command {
	return &cobra.Command{
		Use:               "set AGENT PROFILE",
		Short:             "Assign a profile to an agent, instead of the configured one",
		Example:           "  callgate profiles set builder locked --as ann",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: inOrder(c.completeProfileAgents(), c.completeProfiles()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				given, err := client.GiveProfile(cmd.Context(), *by, args[0], args[1])
				if err != nil {
					return seeAlso(err, "callgate profiles list")
				}
				return c.print(cmd.OutOrStdout(), given, func(w io.Writer) {
					fmt.Fprintf(w, "%s: profile %s replaces %s from the next call\n", card.Line(given.Agent), card.Line(given.Profile), orNone(given.Replaces))
				})
			})
		},
	}
}

func profilesReset(c *cli, by *string) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:               "reset [AGENT]",
		Short:             "Restore the configured profile of one agent, or of --all",
		Example:           "  callgate profiles reset builder\n  callgate profiles reset --all",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: inOrder(c.completeProfileAgents()),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return errors.New("missing agent: name one, or use --all")
			}
			return c.withClient("", func(client *client.Client) error {
				what, err := "every agent", error(nil)
				if all {
					err = client.ResetProfiles(cmd.Context(), *by)
				} else {
					what, err = args[0], client.ResetProfile(cmd.Context(), *by, args[0])
				}
				if err != nil {
					return seeAlso(err, "callgate profiles list")
				}
				return c.print(cmd.OutOrStdout(), map[string]string{"reset": what}, func(w io.Writer) {
					fmt.Fprintf(w, "%s: configured profile restored, from the next call\n", card.Line(what))
				})
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every agent, including assignments that can no longer be read")
	return cmd
}

func (c *cli) completeProfiles() completer {
	return c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
		all, err := client.Profiles(cmd.Context())
		return profileNames(all), err
	})
}

func (c *cli) completeProfileAgents() completer {
	return c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
		all, err := client.Profiles(cmd.Context())
		var names []string
		for _, a := range all.Agents {
			names = append(names, a.Agent)
		}
		return names, err
	})
}
