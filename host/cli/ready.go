package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// readiness is the answer of the command ready.
type readiness struct {
	Ready bool `json:"ready"`
	// Reason is why the daemon cannot decide calls now.
	Reason string `json:"reason,omitempty"`
}

func readyCommand(c *cli) *cobra.Command {
	var live bool
	cmd := &cobra.Command{
		Use:     "ready",
		GroupID: "setup",
		Short:   "Tell a supervisor whether the daemon can decide calls",
		Long: `Asks the running daemon whether it can decide every call now: its store is there, and
its modules are compiled. For health checks of containers and for scripts.

Exit code 0: ready, 1: not ready, and why, 3: no answer from the daemon. With --live it
is 0 for every daemon with an answer, ready or not: a restart does not bring a database
back.`,
		Example: "  callgate ready\n  callgate ready --live --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				ask := client.Ready
				if live {
					ask = client.Live
				}
				var found readiness
				err := ask(cmd.Context())
				var refused *protocol.Error
				switch {
				case err == nil:
					found.Ready = true
				case errors.As(err, &refused) && refused.Status == http.StatusServiceUnavailable:
					found.Reason = cmp.Or(refused.Message, "not ready")
				default:
					return err
				}
				if err := c.print(cmd.OutOrStdout(), found, func(w io.Writer) { fmt.Fprintln(w, cmp.Or(card.Line(found.Reason), "ready")) }); err != nil {
					return err
				}
				if !found.Ready {
					return exit(exitDeny)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&live, "live", false, "ask only whether the daemon serves")
	return cmd
}
