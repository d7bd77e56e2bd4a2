package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/client"
)

func consoleCommand(c *cli) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:     "console",
		GroupID: "people",
		Short:   "Print a one-time link to the web console",
		Long: `Prints a link to the web console of the running daemon. The link opens the console once, within
two minutes, in a browser of this machine; the session then has the rights of your token for at
most 8 hours, or 30 minutes without use. Whatever needs the approver PIN in a terminal needs it
there, too.`,
		Example: "  callgate console\n  callgate console --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				link, err := client.Console(cmd.Context(), by)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), link, func(w io.Writer) {
					fmt.Fprintln(w, link.URL)
					fmt.Fprintf(w, "Open it in a browser of this machine. It works once, until %s.\n", link.ExpiresAt.Local().Format(time.TimeOnly))
				})
			})
		},
	}
	asFlag(cmd, &by)
	return cmd
}
