package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/discord/setup"
)

func discordCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "discord",
		GroupID: "setup",
		Short:   "Set up Discord approvals, show their status, post a test card",
		Example: "  callgate discord setup\n  callgate discord status",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(discordSetup(c), discordStatus(c), discordTest(c))
	return cmd
}

// errTokenInArguments tells of a token without repeating it.
var errTokenInArguments = errors.New("a bot token is in the arguments, where other programs and the shell history can read it: " +
	"reset it (https://discord.com/developers/applications, your application, Bot, Reset Token), save the new one in a file with mode 0600, then run: callgate discord setup --token-file FILE")

// tokenAmong refuses a token among the arguments of the Discord commands, before
// anything could repeat it.
func tokenAmong(root *cobra.Command, args []string) error {
	cmd, _, _ := root.Find(args) // a missing file has no token to lose
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
		Short: "Show the status of the daemon's Discord connection",
		Long: `Shows the status of the daemon's Discord connection. Exit code 0 when cards can be
posted and answered, 1 when not.`,
		Example: "  callgate discord status\n  callgate discord status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				h, err := client.Health(cmd.Context())
				if err != nil {
					return err
				}
				d := protocol.DiscordHealth{}
				if h.Discord != nil {
					d = *h.Discord
				}
				fix := d.Fix()
				if cfg, _, err := c.settings(); err == nil && !d.Configured && cfg.DiscordSettings().Enabled() {
					fix = "the file names a server, but the change is pending: run callgate config accept, then restart callgate serve"
				}
				if err := c.print(cmd.OutOrStdout(), d, func(w io.Writer) { printDiscord(w, d, fix) }); err != nil || d.Connected {
					return err
				}
				return exit(exitDeny)
			})
		},
	}
}

func printDiscord(w io.Writer, d protocol.DiscordHealth, fix string) {
	fmt.Fprintln(w, card.Line(d.String()))
	if d.LastError != "" {
		fmt.Fprintf(w, "last error, %s: %s\n", d.LastErrorAt.Local().Format(time.DateTime), card.Line(d.LastError))
	}
	if fix != "" {
		fmt.Fprintf(w, "Fix: %s\n", fix)
	}
}
