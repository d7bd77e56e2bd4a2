package cli

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/mcp"
)

// mcpFlags say what the proxy stands before.
type mcpFlags struct {
	server, agent string
	returnAfter   time.Duration
	listWait      time.Duration
	// upstream and listen are of a server that is reached over HTTP.
	upstream, listen string
}

func mcpCommand(c *cli) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:     "mcp --server NAME (-- COMMAND [ARGUMENT...] | --upstream URL [--listen ADDRESS])",
		GroupID: "gate",
		Short:   "Put an MCP server behind the gate, for any client",
		Long: `Starts an MCP server and stands between it and its client. The daemon checks each
tools/call as a call of mcp__NAME__TOOL before the server reads it: the rules are those
of the hooks. All other messages pass as they are.

A tool is shown to the model after a person has accepted its definition. A changed
description or schema asks again (callgate mcp tools). A denial is a result that the
model reads. After --return-after the model reads that the call waits for a person; the
same call again takes the answer.

With --upstream it stands before a server of streamable HTTP. The URL begins with https,
or names this machine; --upstream env:VARIABLE takes it from a variable, also as a
client's entry {"url": "...", "headers": {...}}, so that no secret is an argument. The
client starts it as a server over standard input and output. With --listen it listens on
this machine at the path of the URL instead, and passes the client's headers, also
Authorization, to that server alone.

Without --endpoint and --token-file it uses the daemon of the account and the token of
--agent. The account comes from the system's account database, as for hooks.`,
		Example: `  callgate mcp --server files -- npx -y @modelcontextprotocol/server-filesystem /srv/site
  callgate mcp --server tickets --upstream https://mcp.example.com/mcp --listen 127.0.0.1:9470
  callgate mcp tools                            # definitions, accepted and waiting
  callgate mcp accept m1c8e0f2a4                # accept the waiting ones`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.upstream != "" && len(args) == 0 && f.listen == "":
				return c.bridgeMCP(cmd, f)
			case f.upstream != "" && len(args) == 0:
				return c.serveMCP(cmd, f)
			case len(args) == 0 || cmd.ArgsLenAtDash() != 0 || f.upstream != "":
				return usageError(cmd, errors.New("want either the server's command after -- or its address: callgate mcp --server NAME -- COMMAND, or callgate mcp --server NAME --upstream URL"))
			}
			return c.runMCP(cmd, f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.server, "server", "", "name of the server in the tools' names, mcp__NAME__TOOL: as the client names it")
	flags.StringVar(&f.agent, "agent", tokenfile.DefaultAgent, "agent of the configuration whose calls these are")
	flags.DurationVar(&f.returnAfter, "return-after", 45*time.Second, "how long a call waits for a person before the model is asked to repeat it; 0 waits on")
	flags.DurationVar(&f.listWait, "list-wait", 10*time.Second, "how long the list of tools waits for a person to accept new definitions; clients give up after some 30 s")
	flags.StringVar(&f.upstream, "upstream", "", "address of a server of streamable HTTP, or env:VARIABLE")
	flags.StringVar(&f.listen, "listen", "", "with --upstream: listen at this address, of this machine only, in place of standard input; port 0 takes a free one")
	completeFlag(cmd, "agent", c.completeAgents())
	cmd.AddCommand(mcpInstall(c), mcpUninstall(c), mcpTools(c), mcpAccept(c), mcpForget(c))
	return cmd
}

func (c *cli) runMCP(cmd *cobra.Command, f mcpFlags, args []string) error {
	if err := mcp.CheckName(f.server); err != nil {
		return usageError(cmd, fmt.Errorf("--server: %w", err))
	}
	server := mcp.Command{Args: args, Stderr: cmd.ErrOrStderr()}
	definition, err := server.Definition()
	if err != nil {
		return err
	}
	conf := c.mcpConfig(cmd, f)
	conf.Program, conf.Definition = card.Line(filepath.Base(args[0])), definition
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return mcp.Run(ctx, conf, cmd.InOrStdin(), cmd.OutOrStdout(), server)
}

// bridgeMCP stands before a server of HTTP, for a client that started it.
func (c *cli) bridgeMCP(cmd *cobra.Command, f mcpFlags) error {
	if err := mcp.CheckName(f.server); err != nil {
		return usageError(cmd, fmt.Errorf("--server: %w", err))
	}
	up, header, err := f.address()
	if err != nil {
		return usageError(cmd, fmt.Errorf("--upstream: %w", err))
	}
	conf := c.mcpConfig(cmd, f)
	conf.Program, conf.Definition = card.Line(up.URL.Host), up.Definition()
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return mcp.Bridge(ctx, conf, cmd.InOrStdin(), cmd.OutOrStdout(), up, header)
}

// address is the server of --upstream, with the headers of a client's entry.
func (f mcpFlags) address() (mcp.Upstream, http.Header, error) {
	name, variable := strings.CutPrefix(f.upstream, "env:")
	text := f.upstream
	if variable {
		if text = takeVariable(name); text == "" {
			return mcp.Upstream{}, nil, fmt.Errorf("the variable %s is empty", card.Line(name))
		}
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return mcp.ParseEntry(text)
	}
	up, err := mcp.ParseUpstream(text)
	return up, nil, err
}

// serveMCP stands before a server of HTTP.
func (c *cli) serveMCP(cmd *cobra.Command, f mcpFlags) error {
	if err := mcp.CheckName(f.server); err != nil {
		return usageError(cmd, fmt.Errorf("--server: %w", err))
	}
	up, header, err := f.address()
	switch {
	case err != nil:
		return usageError(cmd, fmt.Errorf("--upstream: %w", err))
	case len(header) > 0:
		return usageError(cmd, errors.New("--upstream: with --listen the client sends the headers; leave them out of the variable"))
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	conf := c.mcpConfig(cmd, f)
	conf.Program, conf.Definition, conf.CWD = card.Line(up.URL.Host), up.Definition(), ""
	return mcp.Serve(ctx, conf, listener, up)
}

// mcpConfig is the part of a proxy's configuration that is the same for all servers.
func (c *cli) mcpConfig(cmd *cobra.Command, f mcpFlags) mcp.Config {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // relative paths are unknown then
	}
	return mcp.Config{
		Server: f.server, CWD: cwd, ReturnAfter: f.returnAfter, ListPatience: f.listWait,
		Note:    func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), "callgate:", card.Line(line)) },
		Connect: func() (mcp.Daemon, error) { return c.conn.asProxy(c.configPath, f.agent) },
	}
}

// asProxy finds the daemon as asHook does, with an agent's token.
func (at connection) asProxy(configPath, agent string) (*client.Client, error) {
	if at.endpoint == "" || at.tokenFile == "" {
		dirs, err := config.AccountDirs()
		if err != nil {
			return nil, fmt.Errorf("%w: add --endpoint and --token-file", err)
		}
		if at.tokenFile == "" {
			at.tokenFile = tokenfile.Check(dirs.State, agent)
		}
		if at.endpoint == "" {
			at.endpoint = accountEndpoint(configPath, dirs)
		}
	}
	return at.dial()
}
