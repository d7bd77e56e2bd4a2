package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

func toolList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List module files with their state and grants",
		Long: `Lists the module files with their state:

  built in  comes with Callgate
  pinned    in use; its bytes are the granted ones
  dev       in use without a grant, or with other bytes than the granted ones
  kept      the file cannot be used; the previous module is still in use
  refused   not in use; calls of its tools are denied or need approval
  missing   the file is gone; calls of its tools are denied or need approval

Without a running daemon it shows the state according to the lock and the files;
callgate tool verify shows the details.`,
		Example: "  callgate tool list\n  callgate tool list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list wire.ModuleList
			err := c.withClient("", func(client *client.Client) (err error) {
				list, err = client.Modules(cmd.Context())
				return err
			})
			if err != nil && c.conn.endpoint == "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "callgate: no answer from the daemon; showing the state according to the lock and the files: %v\n", err)
				place, cfg, placeErr := c.lockPlace()
				if placeErr != nil {
					return placeErr
				}
				list, err = modules.Unserved(place, cfg.Modules.Signatures(), cfg.Modules.Unpinned()), nil
			}
			if err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), list, func(w io.Writer) { printModules(w, list) })
		},
	}
}

// lockPlace is where the lock of this account's daemon is.
func (c *cli) lockPlace() (modules.Place, *config.Config, error) {
	cfg, dirs, err := c.settings()
	if err != nil {
		return modules.Place{}, nil, err
	}
	return modules.Place{Modules: cfg.Modules.Dir, State: dirs.State}, cfg, nil
}

func printModules(w io.Writer, list wire.ModuleList) {
	if list.Problem != "" {
		fmt.Fprintln(w, "problem:", card.Line(list.Problem))
	}
	rows := [][]string{{"file", "module", "state", "sha256", "grants", "since", "previous"}}
	for _, m := range list.Modules {
		rows = append(rows, []string{
			card.Line(m.File), card.Line(strings.TrimSpace(m.Name + " " + m.Version)), stateText(m.ModuleInfo), short(m.Digest), grantsOf(m), day(m.Since), previousText(m.Previous),
		})
	}
	fmt.Fprint(w, table(rows))
	for _, m := range list.Modules {
		if m.Problem != "" {
			fmt.Fprintf(w, "%s: %s\n", card.Line(m.File), card.Line(m.Problem))
		}
	}
}

func stateText(m wire.ModuleInfo) string {
	text := strings.ReplaceAll(string(m.State), "_", " ")
	if m.Replaces {
		text += ", replaces the built-in one"
	}
	return text
}

func grantsOf(m wire.Module) string {
	text := grantsText(wire.Tool{MayAllow: m.Grant.MayAllow, MayReadOnly: m.Grant.MayReadOnly})
	if m.Granted != nil && m.Granted.Dev {
		text += ", dev"
	}
	if m.Granted != nil && m.Granted.Signature != nil {
		text += ", signed by " + card.Line(m.Granted.Signature.Signer())
	}
	return text
}

func previousText(g *wire.GrantedModule) string {
	if g == nil {
		return ""
	}
	return card.Line(g.Version) + " " + short(g.Digest)
}

// short is the begin of a digest, enough to tell versions apart.
func short(digest string) string { return digest[:min(12, len(digest))] }

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}
