package main

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

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/config"
)

// connection is where the daemon is and what to show it, when it is not one's own
// at the usual place.
type connection struct {
	endpoint  string
	tokenFile string
	daemonUID int
}

// register adds the flags of all commands that talk to a daemon.
func (n *connection) register(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&n.endpoint, "endpoint", "", "where the daemon listens: a socket, or a loopback address with port (default: listen of the configuration)")
	flags.StringVar(&n.tokenFile, "token-file", "", "the token to show the daemon (default: admin.token in the state directory)")
	flags.IntVar(&n.daemonUID, "daemon-uid", -1, "the account the daemon runs as, when it is neither this one nor root")
}

// dial talks to the daemon at the named endpoint with the token of the named file.
func (n connection) dial() (*api.Client, error) {
	token, err := api.ReadToken(n.tokenFile)
	if err != nil {
		return nil, err
	}
	if n.daemonUID < 0 {
		return api.Dial(n.endpoint, token)
	}
	return api.Dial(n.endpoint, token, api.DaemonUID(n.daemonUID))
}

// client talks to the daemon with the token that was named, else with that of one
// agent when agent is not empty, else with the operator's own.
func (c *cli) client(agent string) (*api.Client, error) {
	at := c.conn
	if at.endpoint != "" && at.tokenFile != "" {
		return at.dial()
	}
	cfg, dirs, err := c.endpoint()
	if err != nil {
		return nil, err
	}
	if at.tokenFile == "" {
		at.tokenFile = api.AdminTokenFile(dirs.State)
		if agent != "" {
			if err := wantAgent(cfg, dirs, agent); err != nil {
				return nil, err
			}
			at.tokenFile = api.CheckTokenFile(dirs.State, agent)
		}
	}
	if at.endpoint == "" {
		_, at.endpoint = cfg.Endpoint()
	}
	return at.dial()
}

// withClient calls do with a client, as client returns it.
func (c *cli) withClient(agent string, do func(*api.Client) error) error {
	client, err := c.client(agent)
	if err != nil {
		return err
	}
	defer client.Close()
	return c.widening(client, do)
}

// endpoint is the configuration that says where the daemon is. A daemon that
// runs keeps its configuration when the file goes bad, so a client of it goes
// on as well, at the usual place: what answers there proves that it is the
// daemon. A file that was named must be good.
func (c *cli) endpoint() (*config.Config, config.Dirs, error) {
	cfg, dirs, err := c.settings()
	if err == nil || c.configPath != "" || dirs.State == "" {
		return cfg, dirs, err
	}
	fmt.Fprintf(c.warnings, "callgate: warning: the configuration has errors: %v\n", err)
	return config.Default(dirs), dirs, nil
}

// agentNames are the agents that have tokens.
func agentNames(cfg *config.Config) []string {
	names := slices.Sorted(maps.Keys(cfg.Agents))
	if !slices.Contains(names, api.DefaultAgent) {
		names = append(names, api.DefaultAgent)
	}
	return names
}

// wantAgent refuses a name that no agent of the configuration has. Without a file, or
// with one that cannot be read while the daemon goes on with the one before, an agent
// is also one that has a token.
func wantAgent(cfg *config.Config, dirs config.Dirs, name string) error {
	names := agentNames(cfg)
	if _, err := os.Stat(api.CheckTokenFile(dirs.State, name)); cfg.File == "" && err == nil {
		return nil
	}
	if !slices.Contains(names, name) {
		if len(names) > 20 {
			return fmt.Errorf("agent %q is not in the configuration: it is none of the %d that callgate tokens list shows", name, len(names))
		}
		return fmt.Errorf("agent %q is not in the configuration: want one of %s", name, strings.Join(names, ", "))
	}
	return nil
}

// noteStranger warns of a name that no agent of the configuration has, where such
// a name is lawful: it may be a slip.
func (c *cli) noteStranger(name string) {
	if c.conn.endpoint != "" {
		return // that daemon's configuration may be another
	}
	cfg, _, err := c.settings()
	if err != nil || name == "" || slices.Contains(agentNames(cfg), name) {
		return
	}
	fmt.Fprintf(c.warnings, "callgate: note: no agent %s is in the configuration: for one of that name holds what defaults say\n", card.Line(strconv.Quote(name)))
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

// seeAlso adds to an error about a name nobody knows the command that lists
// those that are known.
func seeAlso(err error, command string) error {
	var e *api.Error
	if errors.As(err, &e) && e.Code == api.CodeNotFound {
		return fmt.Errorf("%w: see %s", err, command)
	}
	return err
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

// compiling tells the person why the first run takes seconds.
func compiling(cmd *cobra.Command) func(file string) {
	return func(file string) { cmd.PrintErrf("callgate: compiling the tool module %s, once\n", file) }
}
