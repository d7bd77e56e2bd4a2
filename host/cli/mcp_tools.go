package cli

import (
	"errors"
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

func mcpTools(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "tools [ID]",
		Short: "Show the tools of MCP servers: accepted definitions, and those that wait",
		Long: `Lists the servers behind callgate mcp and the state of each tool's definition. With the ID
of a server it prints the definitions themselves. Suspicious words and invisible
characters are named; their absence proves nothing.`,
		Example:           "  callgate mcp tools\n  callgate mcp tools m1c8e0f2a4 --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: c.completeMCP(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				all, err := client.MCPServers(cmd.Context())
				if err != nil {
					return err
				}
				if len(args) == 0 {
					return c.print(cmd.OutOrStdout(), wire.MCPServerList{Servers: all}, func(w io.Writer) { printMCPServers(w, all) })
				}
				server, err := mcpServer(all, args[0])
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), server, func(w io.Writer) { printMCPServer(w, server) })
			})
		},
	}
}

func (c *cli) completeMCP() completer {
	return inOrder(c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
		all, err := client.MCPServers(cmd.Context())
		var ids []string
		for _, s := range all {
			ids = append(ids, s.ID)
		}
		return ids, err
	}))
}

// mcpServer finds a server by its id.
func mcpServer(all []wire.MCPServer, id string) (wire.MCPServer, error) {
	for _, s := range all {
		if s.ID == id {
			return s, nil
		}
	}
	return wire.MCPServer{}, fmt.Errorf("no MCP server has the id %s: see callgate mcp tools", card.Line(id))
}

func printMCPServers(w io.Writer, all []wire.MCPServer) {
	if len(all) == 0 {
		fmt.Fprintln(w, "no MCP server was seen yet: start one with callgate mcp")
		return
	}
	rows := [][]string{{"id", "agent", "server", "program", "tool", "state"}}
	for _, s := range all {
		for _, t := range s.Tools {
			rows = append(rows, []string{s.ID, card.Line(s.Agent), card.Line(s.Name), card.Line(s.Program), card.Line(t.Name), mcpState(s, t)})
		}
	}
	fmt.Fprint(w, table(rows))
}

// mcpState is a tool's state in words.
func mcpState(s wire.MCPServer, t wire.MCPToolInfo) string {
	state := "accepted by " + card.Line(s.By) + ", " + s.At.Local().Format(time.DateTime)
	switch {
	case t.Waiting != "" && t.Accepted != "":
		state = "changed, waits: callgate mcp accept " + s.ID
	case t.Waiting != "":
		state = "new, waits: callgate mcp accept " + s.ID
	}
	if len(t.Warnings) > 0 {
		state += "; " + card.Line(strings.Join(t.Warnings, ", "))
	}
	return state
}

func printMCPServer(w io.Writer, s wire.MCPServer) {
	fmt.Fprintf(w, "%s: MCP server %s of agent %s, started as %s (%s)\n", s.ID, card.Line(s.Name), card.Line(s.Agent), card.Line(s.Program), s.Definition)
	for _, t := range s.Tools {
		fmt.Fprintf(w, "\n%s: %s\n  %s\n", card.Line(t.Name), mcpState(s, t), card.Line(string(t.Definition)))
	}
}

func mcpAccept(c *cli) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "accept ID [TOOL...]",
		Short: "Accept the waiting definitions of an MCP server, or of some of its tools",
		Long: `Shows the waiting definitions and accepts exactly those: one that changes meanwhile waits
on. The model sees them from then on. Needs the approver PIN.`,
		Example:           "  callgate mcp accept m1c8e0f2a4\n  callgate mcp accept m1c8e0f2a4 read_file list_directory",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: c.completeMCP(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				all, err := client.MCPServers(cmd.Context())
				if err != nil {
					return err
				}
				server, err := mcpServer(all, args[0])
				if err != nil {
					return err
				}
				digests, err := chosenTools(&server, args[1:])
				if err != nil {
					return err
				}
				if !c.json {
					printMCPServer(cmd.OutOrStdout(), server)
				}
				done, err := client.AcceptMCPTools(cmd.Context(), by, server.ID, digests)
				if err != nil {
					return seeAlso(err, "callgate mcp tools")
				}
				return c.print(cmd.OutOrStdout(), done, func(w io.Writer) {
					fmt.Fprintf(w, "\naccepted %d tools of %s\n", len(digests), card.Line(done.Name))
				})
			})
		},
	}
	asFlag(cmd, &by)
	return cmd
}

// chosenTools are the digests of the waiting tools with these names, or of all; server keeps
// only those.
func chosenTools(server *wire.MCPServer, names []string) (digests []string, err error) {
	for _, name := range names {
		if !slices.ContainsFunc(server.Tools, func(t wire.MCPToolInfo) bool { return t.Name == name && t.Waiting != "" }) {
			return nil, fmt.Errorf("no waiting definition of the tool %s: see callgate mcp tools %s", card.Line(name), server.ID)
		}
	}
	server.Tools = slices.DeleteFunc(server.Tools, func(t wire.MCPToolInfo) bool {
		return t.Waiting == "" || len(names) > 0 && !slices.Contains(names, t.Name)
	})
	for _, t := range server.Tools {
		digests = append(digests, t.Waiting)
	}
	if len(digests) == 0 {
		return nil, errors.New("no definition of this server waits: see callgate mcp tools")
	}
	return digests, nil
}

func mcpForget(c *cli) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:               "forget ID",
		Short:             "Take back the acceptance of an MCP server's tools",
		Example:           "  callgate mcp forget m1c8e0f2a4",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completeMCP(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				gone, err := client.ForgetMCPServer(cmd.Context(), by, args[0])
				if err != nil {
					return seeAlso(err, "callgate mcp tools")
				}
				return c.print(cmd.OutOrStdout(), gone, func(w io.Writer) {
					fmt.Fprintf(w, "no tool of %s is accepted any more for %s\n", card.Line(gone.Name), card.Line(gone.Agent))
				})
			})
		},
	}
	asFlag(cmd, &by)
	return cmd
}
