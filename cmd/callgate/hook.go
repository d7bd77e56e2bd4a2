package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/hook/claudecode"
	"github.com/callgate/callgate/host/hook/claudecode/settings"
)

// hookCommand groups the hooks by their client.
func hookCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "hook",
		GroupID: "gate",
		Short:   "Answer an agent's client, which runs this before each tool call",
		Long: `Answers an agent's client in the client's own contract. The client starts it,
with the call on standard input; nobody types it, but to try it.`,
		Example: "  callgate hook claude-code --timeout 3600s",
		Args:    onlyCommands,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("name the client: callgate hook claude-code") // help on stdout would let the call run
		},
	}
	cmd.AddCommand(claudeCodeCommand(c))
	return cmd
}

func claudeCodeCommand(c *cli) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "claude-code",
		Short: "Judge a tool call of Claude Code",
		Long: `Reads the payload of PreToolUse, PermissionRequest, PostToolUse or
PostToolUseFailure on standard input, has the running daemon judge the call, and
answers as Claude Code expects: one JSON document for an allow, exit code 2 and
the reason on stderr for a denial and for every failure. It waits for a human for
four fifths of --timeout, which is the hook's timeout in the settings. At
UserPromptSubmit it tells the daemon that the calls before have ended, and says
nothing.

Without --endpoint and --token-file it takes the account's own daemon and the
token agents/default.token, and finds the account in the system's list of
accounts: environment variables have no effect, because a project can set them.`,
		Example: `  callgate hook claude-code --endpoint unix:/run/callgate/callgate.sock --token-file /run/callgate/agents/default.token --timeout 3600s
  callgate hook claude-code < payload.json   # by hand, at the account's own daemon`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h := claudecode.Hook{
				Timeout: timeout, Servers: mcpServers(), Agents: clientAgents(), Plans: clientDirs("plans"),
				Connect: func() (claudecode.Daemon, error) { return c.conn.asHook(c.configPath) },
			}
			return exit(runHook(cmd, h))
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", claudecode.DefaultTimeout, "the hook's timeout in the client's settings")
	installable(c, cmd, &timeout)
	return cmd
}

// mcpServers is where the client keeps the definitions of its MCP servers: in the
// account's home, and where CLAUDE_CONFIG_DIR leads. That a project may set the
// variable does no harm: definitions in one more place only narrow.
func mcpServers() claudecode.Servers {
	s := claudecode.Servers{Managed: filepath.Join(filepath.Dir(settings.ManagedFile()), "managed-mcp.json")}
	if dirs, err := config.AccountDirs(); err == nil {
		s.User = append(s.User, filepath.Join(dirs.Home, ".claude.json"))
	}
	if dir := os.Getenv(configDir); filepath.IsAbs(dir) {
		s.User = append(s.User, filepath.Join(dir, ".claude.json"))
	}
	return s
}

// clientAgents is where the client keeps the account's sub-agents.
func clientAgents() claudecode.Agents { return claudecode.Agents{User: clientDirs("agents")} }

// clientDirs are the directories of this name in which the client keeps what is the
// account's. That a project may set CLAUDE_CONFIG_DIR adds a place, and takes none away.
func clientDirs(name string) []string {
	var found []string
	if dir := os.Getenv(configDir); filepath.IsAbs(dir) {
		found = append(found, filepath.Join(dir, name))
	}
	if dirs, err := config.AccountDirs(); err == nil {
		found = append(found, filepath.Join(dirs.Home, ".claude", name))
	}
	return found
}

// runHook answers until the client stops waiting: a signal, or nobody there to
// read the answer.
func runHook(cmd *cobra.Command, h claudecode.Hook) int {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-ended
		cancel(claudecode.ErrEnded)
	}()
	if out, ok := cmd.OutOrStdout().(*os.File); ok {
		go claudecode.WatchClient(ctx, out, func() { cancel(claudecode.ErrClientGone) })
	}
	return h.Run(ctx, cmd.InOrStdin()).Give(cmd.OutOrStdout(), cmd.ErrOrStderr())
}

// asHook finds the daemon by the flags, and by the account where they say
// nothing; never by the environment. Threat T07.
func (at connection) asHook(configPath string) (claudecode.Daemon, error) {
	if at.endpoint == "" || at.tokenFile == "" {
		dirs, err := config.AccountDirs()
		if err != nil {
			return nil, fmt.Errorf("%w: name --endpoint and --token-file", err)
		}
		if at.tokenFile == "" {
			at.tokenFile = api.CheckTokenFile(dirs.State, api.DefaultAgent)
		}
		if at.endpoint == "" {
			at.endpoint = accountEndpoint(configPath, dirs)
		}
	}
	return at.dial()
}

// accountEndpoint is where the daemon of an account listens. One that runs keeps
// its configuration when the file goes bad, so a bad file means the usual place:
// what answers there has to prove that it is the daemon.
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

// configDir is the variable that moves the client's directory ~/.claude.
const configDir = "CLAUDE_CONFIG_DIR"

// guarded runs a hook's command so that whatever goes wrong is a denial: the exit
// code is 0 only when the hook has answered. Nothing of the environment reaches
// it but where the client keeps its files, and a client that closes its end early does
// not kill it.
func guarded(run func() (code int)) (code int) {
	dir := os.Getenv(configDir)
	os.Clearenv()
	_ = os.Setenv(configDir, dir) // without it fewer places are read
	signal.Ignore(syscall.SIGPIPE)
	defer func() {
		if p := recover(); p != nil {
			code = claudecode.Deny("", fmt.Sprintf("The call was denied because the hook failed (%T).", p)).Give(os.Stdout, os.Stderr)
		}
	}()
	if code = run(); code == exitError {
		code = claudecode.ExitDenied // a client goes on after any other code
	}
	return code
}
