package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/process"
	"github.com/callgate/callgate/host/internal/hook/runner"
)

// hookCommand groups the hooks by their client.
func hookCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "hook",
		GroupID: "gate",
		Short:   "Check tool calls for an agent's client (started by the client)",
		Long: `Checks tool calls in the client's own hook protocol. The client starts this command
with the call on standard input. You only run it by hand to try it.`,
		Example: "  callgate hook claude-code --timeout 3600s",
		Args:    onlyCommands,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("missing client: run callgate hook " + strings.Join(process.Clients, ", callgate hook ")) // help on stdout would let the call run
		},
	}
	cmd.AddCommand(claudeCodeCommand(c), codexCommand(c), geminiCommand(c), opencodeCommand(c))
	return cmd
}

func claudeCodeCommand(c *cli) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "claude-code",
		Short: "Check a tool call for Claude Code",
		Long: `Reads a PreToolUse, PermissionRequest, PostToolUse or PostToolUseFailure payload from
standard input, sends the call to the daemon, and answers as Claude Code expects: a
JSON document for an allow; exit code 2 with the reason on stderr for a denial and for
every error. It waits for an approver for four fifths of --timeout, the timeout of the
hook in the settings. At UserPromptSubmit it marks earlier calls as ended and prints
nothing.

Without --endpoint and --token-file it uses the daemon of the account and the token
agents/default.token. The account comes from the system's account database: environment
variables have no effect, because a project can set them.`,
		Example: `  callgate hook claude-code --endpoint unix:/run/callgate/callgate.sock --token-file /run/callgate/agents/default.token --timeout 3600s
  callgate hook claude-code < payload.json   # by hand, at the account's own daemon`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			connect := func() (runner.Daemon, error) { return c.conn.asHook(c.configPath) }
			return exit(process.Run(cmd.Context(), cmd.Name(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), timeout, connect))
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", claudecode.DefaultTimeout, "timeout of the hook in the client's settings")
	installable(c, cmd, &timeout)
	return cmd
}

// asHook finds the daemon by the flags, and by the account where they say
// nothing; never by the environment. Threat T07.
func (at connection) asHook(configPath string) (runner.Daemon, error) {
	if at.endpoint == "" || at.tokenFile == "" {
		dirs, err := config.AccountDirs()
		if err != nil {
			return nil, fmt.Errorf("%w: add --endpoint and --token-file", err)
		}
		if at.tokenFile == "" {
			at.tokenFile = tokenfile.Check(dirs.State, tokenfile.DefaultAgent)
		}
		if at.endpoint == "" {
			at.endpoint = accountEndpoint(configPath, dirs)
		}
	}
	return process.Dial(at.endpoint, at.tokenFile, at.daemonUID)
}

// accountEndpoint is the address of an account's daemon. A running one keeps its configuration when
// the file goes bad, so a bad file means the usual place: the other end must prove that it is the
// daemon.
func accountEndpoint(configPath string, dirs config.Dirs) string {
	cfg, err := config.Open(configPath, dirs)
	if err != nil {
		cfg = config.Default(dirs)
	}
	_, address := cfg.Endpoint()
	return address
}

// judges reports whether args run a hook for its client, rather than install it
// or explain it: then every failure has to deny.
func judges(root *cobra.Command, args []string) bool {
	cmd, rest, err := root.Find(args)
	if cmd == nil || cmd.Name() != "hook" && (cmd.Parent() == nil || cmd.Parent().Name() != "hook") {
		return false
	}
	return err != nil || !slices.ContainsFunc(rest, func(arg string) bool {
		return arg == "--help" || arg == "-h" || strings.HasPrefix(arg, "--install") || strings.HasPrefix(arg, "--uninstall")
	})
}
