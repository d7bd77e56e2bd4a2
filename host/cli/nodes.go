package cli

import (
	"cmp"
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

func nodesCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "nodes",
		GroupID: "setup",
		Short:   "List the daemons that share the store",
		Long: `Several daemons can share a store in PostgreSQL. The list shows for each an id of this
start, its machine, version, start, last sign of life and tasks, such as the connection
to Discord, and how many changes of rules, settings, tokens and sessions it does not have
yet. It stores no decision before it has all of them. Below is why a daemon cannot use a
tool module: it denies the calls of its tools; and a warning when running daemons have
different keys for signing the audit.`,
		Example: "  callgate nodes\n  callgate nodes --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				nodes, err := client.Nodes(cmd.Context())
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), wire.NodeList{Nodes: nodes}, func(w io.Writer) { printNodes(w, nodes) })
			})
		},
	}
}

func printNodes(w io.Writer, nodes []wire.Node) {
	rows := [][]string{{"id", "name", "version", "since", "last seen", "state", "missing changes", "audit key", "tasks"}}
	for _, n := range nodes {
		state, missing := "alive", fmt.Sprint(n.Behind)
		if !n.Alive {
			state, missing = "gone", "-"
		}
		if n.Self {
			state += ", answers here"
		}
		rows = append(rows, []string{
			cmp.Or(card.Line(n.ID), "-"), card.Line(n.Name), cmp.Or(card.Line(n.Version), "-"), n.Since.Local().Format(time.DateTime), n.Seen.Local().Format(time.DateTime),
			state, missing, cmp.Or(shortKey(n.AuditKey), "-"), cmp.Or(card.Line(strings.Join(n.Leases, ", ")), "-"),
		})
	}
	fmt.Fprint(w, table(rows))
	for _, n := range nodes {
		for _, p := range n.Problems {
			fmt.Fprintf(w, "%s cannot use a tool module: %s\n", card.Line(n.Name), card.Line(p))
		}
	}
	if keys := auditKeys(nodes); len(keys) > 1 {
		fmt.Fprintf(w, "warning: the running daemons have %d different keys for signing the audit (%s): copy audit.key of the state directory from one machine to the others, and restart those daemons\n",
			len(keys), strings.Join(keys, ", "))
	}
}

// auditKeys are the different keys of the running daemons.
func auditKeys(nodes []wire.Node) (keys []string) {
	for _, n := range nodes {
		if key := shortKey(n.AuditKey); n.Alive && key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// shortKey is the beginning of a key's name, for people.
func shortKey(name string) string { return card.Line(name[:min(8, len(name))]) }
