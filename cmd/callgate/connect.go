package main

import (
	"fmt"
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
)

// client talks to the daemon with the admin's token, or with that of one agent
// when agent is not empty.
func (c *cli) client(agent string) (*api.Client, error) {
	cfg, dirs, err := c.settings()
	if err != nil {
		return nil, err
	}
	path := api.AdminTokenFile(dirs.State)
	if agent != "" {
		path = api.CheckTokenFile(dirs.State, agent)
	}
	token, err := api.ReadToken(path)
	if err != nil {
		return nil, err
	}
	_, address := cfg.Endpoint()
	return api.Dial(address, token)
}

// asFlag adds --as, the name that answers and changes carry.
func asFlag(cmd *cobra.Command, by *string) {
	cmd.PersistentFlags().StringVar(by, "as", account(), "the name your answers and changes carry in the audit")
}

// account is the name of the account the process runs as.
func account() string {
	u, err := user.Current()
	if err != nil || u.Username == "" {
		return "admin"
	}
	return u.Username
}

// ruleArg joins a rule that the shell may have split at its blanks.
func ruleArg(args []string) string { return strings.Join(args, " ") }

// table prints rows in aligned columns; the last one is not padded.
func table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i < len(row)-1 {
				fmt.Fprintf(&out, "%-*s  ", widths[i], cell)
			} else {
				out.WriteString(cell)
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}
