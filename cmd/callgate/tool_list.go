package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
)

func toolList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the module files: how each stands, and what it was granted",
		Long: `Lists the module files with their state:

  built in  comes with Callgate
  pinned    its bytes are those that were granted something, and they are in use
  dev       in use without being the bytes of its grant, or without a grant
  kept      its file cannot be used; the module that it had before is
  refused   not in use; calls of its tools are denied or asked about
  missing   its file is gone; calls of its tools are denied or asked about

Without a running daemon it tells in the same words how the files would stand, as far
as the lock and the files say; callgate tool verify has the details.`,
		Example: "  callgate tool list\n  callgate tool list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list modules.List
			err := c.withClient("", func(client *api.Client) (err error) {
				list, err = client.Modules(cmd.Context())
				return err
			})
			if err != nil && c.conn.endpoint == "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "callgate: the daemon could not be asked, so this is what the lock and the files say: %v\n", err)
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
func (c *cli) lockPlace() (pin.Place, *config.Config, error) {
	cfg, dirs, err := c.settings()
	if err != nil {
		return pin.Place{}, nil, err
	}
	return pin.Place{Modules: cfg.Modules.Dir, State: dirs.State}, cfg, nil
}

func printModules(w io.Writer, list modules.List) {
	if list.Problem != "" {
		fmt.Fprintln(w, "problem:", card.Line(list.Problem))
	}
	rows := [][]string{{"file", "module", "state", "sha256", "grants", "since", "before it"}}
	for _, m := range list.Modules {
		rows = append(rows, []string{
			card.Line(m.File), card.Line(strings.TrimSpace(m.Name + " " + m.Version)), strings.ReplaceAll(string(m.State), "_", " "), short(m.Digest), grantsOf(m), day(m.Since), previousText(m.Previous),
		})
	}
	fmt.Fprint(w, table(rows))
	for _, m := range list.Modules {
		if m.Problem != "" {
			fmt.Fprintf(w, "%s: %s\n", card.Line(m.File), card.Line(m.Problem))
		}
	}
}

func grantsOf(m modules.Module) string {
	text := grantsText(catalog.Info{MayAllow: m.Grant.MayAllow, MayReadOnly: m.Grant.MayReadOnly})
	if m.Granted != nil && m.Granted.Dev {
		text += ", dev"
	}
	if m.Granted != nil && m.Granted.Signature != nil {
		text += ", signed by " + m.Granted.Signature.Key
	}
	return text
}

func previousText(g *pin.Granted) string {
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
