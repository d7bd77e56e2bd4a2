package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/discord/setup"
)

func discordCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "discord",
		GroupID: "setup",
		Short:   "Set up approvals in Discord, see how they stand, and try a card",
		Example: "  callgate discord setup\n  callgate discord status",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(discordSetup(c), discordStatus(c), discordTest(c))
	return cmd
}

// errTokenInArguments tells of a token without repeating it.
var errTokenInArguments = errors.New("a bot's token stands among the arguments, where every program on this machine can read it and the shell remembers it: " +
	"reset it (https://discord.com/developers/applications, your application, Bot, Reset Token), and put the new one into a file of mode 0600: callgate discord setup --token-file FILE")

// tokenAmong refuses a token among the arguments of the Discord commands, before
// anything could repeat it.
func tokenAmong(root *cobra.Command, args []string) error {
	cmd, _, _ := root.Find(args) // what is not found has no token to lose
	for ; cmd != nil && cmd != root; cmd = cmd.Parent() {
		if cmd.Name() != "discord" {
			continue
		}
		for _, arg := range args {
			if setup.HoldsToken(arg) {
				return errTokenInArguments
			}
		}
	}
	return nil
}

func discordStatus(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Tell how the daemon's connection to Discord stands",
		Long: `Asks the daemon how its connection to Discord stands. Exit code 0 when cards are
shown and answers come in, 1 when not.`,
		Example: "  callgate discord status\n  callgate discord status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *api.Client) error {
				h, err := client.Health(cmd.Context())
				if err != nil {
					return err
				}
				d := api.DiscordHealth{}
				if h.Discord != nil {
					d = *h.Discord
				}
				cure := d.Cure()
				if cfg, _, err := c.settings(); err == nil && !d.Configured && cfg.DiscordSettings().Enabled() {
					cure = "the file names a server, which waits for you: callgate config accept, then start callgate serve again"
				}
				if err := c.print(cmd.OutOrStdout(), d, func(w io.Writer) { printDiscord(w, d, cure) }); err != nil || d.Connected {
					return err
				}
				return exit(exitDeny)
			})
		},
	}
}

func printDiscord(w io.Writer, d api.DiscordHealth, cure string) {
	fmt.Fprintln(w, card.Line(d.String()))
	if d.LastError != "" {
		fmt.Fprintf(w, "last error, %s: %s\n", d.LastErrorAt.Local().Format(time.DateTime), card.Line(d.LastError))
	}
	if cure != "" {
		fmt.Fprintf(w, "cure: %s\n", cure)
	}
}
