package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/doctor"
	"github.com/callgate/callgate/host/internal/mcp/servers"
)

// patientClients wait longer for one call than others: measured, docs/mcp.md.
var patientClients = map[string]time.Duration{"claude-code": 3 * time.Minute, "gemini-cli": 9 * time.Minute}

// mcpPlace says which file of which client is changed.
type mcpPlace struct {
	file string
	dry  bool
}

func (p *mcpPlace) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.file, "file", "", "the client's file with the list of servers (default: the account's)")
	cmd.Flags().BoolVar(&p.dry, "dry-run", false, "show what would be done and change nothing")
}

// find is the client of an argument and its file.
func (p *mcpPlace) find(name string) (client servers.Client, file string, err error) {
	for _, client = range servers.Clients() {
		if client.Name == name {
			home, err := os.UserHomeDir()
			if err != nil && p.file == "" {
				return client, "", fmt.Errorf("find the home directory: %w: set HOME, or name --file", err)
			}
			if file = p.file; file == "" {
				file = client.File(home, runtime.GOOS)
			}
			return client, file, nil
		}
	}
	return client, "", fmt.Errorf("client %s: want one of %s; for another one put callgate mcp before each command by hand", card.Line(name), strings.Join(mcpClients(), ", "))
}

func mcpClients() []string {
	var names []string
	for _, c := range servers.Clients() {
		names = append(names, c.Name)
	}
	return names
}

// mcpInstalled is the report of an install or its end.
type mcpInstalled struct {
	servers.Change
	File    string `json:"file"`
	Written bool   `json:"written"`
	dry     bool
	verb    string
}

func (r mcpInstalled) print(w io.Writer) {
	verb := r.verb
	if r.dry {
		verb = "would be " + verb
	}
	if len(r.Changed) == 0 {
		fmt.Fprintf(w, "%s: nothing to change\n", card.Line(r.File))
	} else {
		fmt.Fprintf(w, "%s: %s: %s\n", card.Line(r.File), verb, card.Line(strings.Join(r.Changed, ", ")))
	}
	if len(r.Same) > 0 {
		fmt.Fprintf(w, "as before: %s\n", card.Line(strings.Join(r.Same, ", ")))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Skipped)) {
		fmt.Fprintf(w, "left alone: %s: %s\n", card.Line(name), card.Line(r.Skipped[name]))
	}
	if len(r.Changed) > 0 && !r.dry {
		fmt.Fprintln(w, "Restart the client.")
	}
}

func mcpInstall(c *cli) *cobra.Command {
	var at mcpPlace
	var agent string
	cmd := &cobra.Command{
		Use:   "install CLIENT",
		Short: "Put the MCP servers of a client behind the gate",
		Long: `Writes callgate mcp before the command of each server in the client's list, and changes
nothing else in the file. A server over HTTP becomes one that the client starts: callgate
mcp with the server's address and headers in its environment. Servers that the client
signs in to (oauth), and those of the older transport (sse), are left alone. Clients:
` + strings.Join(mcpClients(), ", ") + `.`,
		Example:   "  callgate mcp install claude-desktop\n  callgate mcp install claude-code --file .mcp.json --dry-run",
		Args:      cobra.ExactArgs(1),
		ValidArgs: mcpClients(),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, file, err := at.find(args[0])
			if err != nil {
				return err
			}
			proxy, err := c.mcpProxy(client.Name, agent)
			if err != nil {
				return err
			}
			return c.editMCP(cmd, file, at.dry, "behind the gate", func(text []byte) (servers.Change, error) { return client.Wrap(text, proxy) })
		},
	}
	at.register(cmd)
	cmd.Flags().StringVar(&agent, "agent", tokenfile.DefaultAgent, "agent of the configuration whose calls these are")
	completeFlag(cmd, "agent", c.completeAgents())
	return cmd
}

func mcpUninstall(c *cli) *cobra.Command {
	var at mcpPlace
	cmd := &cobra.Command{
		Use:       "uninstall CLIENT",
		Short:     "Take the MCP servers of a client from behind the gate",
		Long:      "Removes callgate mcp before the command of each server in the client's list: the file is as before, to the byte.",
		Example:   "  callgate mcp uninstall claude-desktop",
		Args:      cobra.ExactArgs(1),
		ValidArgs: mcpClients(),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, file, err := at.find(args[0])
			if err != nil {
				return err
			}
			return c.editMCP(cmd, file, at.dry, "no longer behind the gate", client.Unwrap)
		},
	}
	at.register(cmd)
	return cmd
}

// editMCP changes a client's file.
func (c *cli) editMCP(cmd *cobra.Command, file string, dry bool, verb string, change func([]byte) (servers.Change, error)) error {
	report := mcpInstalled{File: file, dry: dry, verb: verb}
	done, err := settings.Edit(file, settings.User, dry, func(text []byte) ([]byte, error) {
		if text == nil {
			return nil, errors.New("there is no such file: name it with --file")
		}
		var err error
		report.Change, err = change(text)
		return report.Text, err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", card.Line(file), err)
	}
	report.Written = done.Written
	return c.print(cmd.OutOrStdout(), report, report.print)
}

// mcpProxy is the command that stands before each server: with the daemon's place spelled out,
// because a client may run it in another environment.
func (c *cli) mcpProxy(client, agent string) (servers.Proxy, error) {
	binary, err := ownPath()
	if err != nil {
		return servers.Proxy{}, err
	}
	endpoint, token := c.conn.endpoint, c.conn.tokenFile
	if endpoint == "" || token == "" {
		cfg, dirs, err := c.endpoint()
		if err != nil {
			return servers.Proxy{}, err
		}
		if err := wantAgent(cfg, dirs, agent); err != nil {
			return servers.Proxy{}, err
		}
		if endpoint == "" {
			endpoint = doctor.Endpoint(cfg.Endpoint())
		}
		if token == "" {
			token = tokenfile.Check(dirs.State, agent)
		}
	}
	if token, err = filepath.Abs(token); err != nil {
		return servers.Proxy{}, err
	}
	return servers.Proxy{Binary: binary, Args: func(server string) []string {
		words := []string{"mcp", "--server", server, "--endpoint", endpoint, "--token-file", token}
		if uid := c.conn.daemonUID; uid >= 0 {
			words = append(words, "--daemon-uid", fmt.Sprint(uid))
		}
		if wait, ok := patientClients[client]; ok {
			words = append(words, "--return-after", wait.String())
		}
		return words
	}}, nil
}
