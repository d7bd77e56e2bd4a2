package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/config"
)

// connection is the daemon's place and the token for it, for other than one's own at the usual
// place.
type connection struct {
	endpoint  string
	tokenFile string
	daemonUID int
}

// register adds the flags of all commands for a daemon.
func (n *connection) register(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&n.endpoint, "endpoint", "", "address of the daemon: a socket, or a loopback address with port (default: listen in the configuration)")
	flags.StringVar(&n.tokenFile, "token-file", "", "file with the token to use (default: admin.token in the state directory)")
	flags.IntVar(&n.daemonUID, "daemon-uid", -1, "UID that the daemon runs as, if neither yours nor root")
}

// dial talks to the daemon at the named endpoint with the token of the named file.
func (n connection) dial() (*client.Client, error) {
	token, err := tokenfile.Read(n.tokenFile)
	if err != nil {
		return nil, err
	}
	if n.daemonUID < 0 {
		return client.Dial(n.endpoint, token)
	}
	return client.Dial(n.endpoint, token, client.DaemonUID(n.daemonUID))
}

// client talks to the daemon with the named token, else with that of one agent when agent is not
// empty, else with the operator's own.
func (c *cli) client(agent string) (*client.Client, error) {
	at := c.conn
	if at.endpoint != "" && at.tokenFile != "" {
		return at.dial()
	}
	cfg, dirs, err := c.endpoint()
	if err != nil {
		return nil, err
	}
	if at.tokenFile == "" {
		at.tokenFile = tokenfile.Admin(dirs.State)
		if agent != "" {
			if err := wantAgent(cfg, dirs, agent); err != nil {
				return nil, err
			}
			at.tokenFile = tokenfile.Check(dirs.State, agent)
		}
	}
	if at.endpoint == "" {
		_, at.endpoint = cfg.Endpoint()
	}
	return at.dial()
}

// withClient calls do with a client, as client returns it.
func (c *cli) withClient(agent string, do func(*client.Client) error) error {
	client, err := c.client(agent)
	if err != nil {
		return err
	}
	defer client.Close()
	return c.widening(client, do)
}

// endpoint is the configuration with the daemon's place. A running daemon keeps its configuration
// when the file goes bad, so a client of it goes on as well, at the usual place: the other end
// proves that it is the daemon. A named file must be good.
func (c *cli) endpoint() (*config.Config, config.Dirs, error) {
	cfg, dirs, err := c.settings()
	if err == nil || c.configPath != "" || dirs.State == "" {
		return cfg, dirs, err
	}
	fmt.Fprintf(c.warnings, "callgate: warning: the configuration has errors: %v\n", err)
	return config.Default(dirs), dirs, nil
}

// agentNames are the agents with tokens.
func agentNames(cfg *config.Config) []string {
	names := slices.Sorted(maps.Keys(cfg.Agents))
	if !slices.Contains(names, tokenfile.DefaultAgent) {
		names = append(names, tokenfile.DefaultAgent)
	}
	return names
}

// wantAgent refuses a name without an agent in the configuration. Without a file, or with an
// unreadable one while the daemon goes on with the one before, a token also makes an agent.
func wantAgent(cfg *config.Config, dirs config.Dirs, name string) error {
	names := agentNames(cfg)
	if _, err := os.Stat(tokenfile.Check(dirs.State, name)); cfg.File == "" && err == nil {
		return nil
	}
	if !slices.Contains(names, name) {
		if len(names) > 20 {
			return fmt.Errorf("agent %q is not configured (%d agents are: callgate tokens list)", name, len(names))
		}
		return fmt.Errorf("agent %q is not configured; want one of %s", name, strings.Join(names, ", "))
	}
	return nil
}

// noteStranger warns of a name without an agent in the configuration, where such a name is lawful:
// it may be a slip.
func (c *cli) noteStranger(name string) {
	if c.conn.endpoint != "" {
		return // the daemon's configuration may be another
	}
	cfg, _, err := c.settings()
	if err != nil || name == "" || slices.Contains(agentNames(cfg), name) {
		return
	}
	fmt.Fprintf(c.warnings, "callgate: note: agent %s is not configured; using defaults\n", card.Line(strconv.Quote(name)))
}

// completeAgents completes with the agents of the configuration.
func (c *cli) completeAgents() completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		cfg, _, err := c.settings()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return agentNames(cfg), cobra.ShellCompDirectiveNoFileComp
	}
}

// seeAlso adds a command listing the known names to an error about an unknown one.
func seeAlso(err error, command string) error {
	var e *protocol.Error
	if errors.As(err, &e) && e.Code == protocol.CodeNotFound {
		return fmt.Errorf("%w: see %s", err, command)
	}
	return err
}

// asFlag adds --as, the author's name for answers and changes.
func asFlag(cmd *cobra.Command, by *string) {
	cmd.PersistentFlags().StringVar(by, "as", account(), "your name in the audit log")
}

// account is the name of the account the process runs as.
func account() string {
	u, err := user.Current()
	if err != nil || u.Username == "" {
		return "admin"
	}
	return u.Username
}

// ruleArg joins a rule the shell may have split at its blanks.
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

// compiling tells the person why the first run takes seconds.
func compiling(cmd *cobra.Command) func(file string) {
	return func(file string) { cmd.PrintErrf("callgate: compiling the tool module %s (first run only)\n", file) }
}
