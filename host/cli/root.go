package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/config"
)

// cli is shared by the commands.
type cli struct {
	configPath string
	json       bool
	conn       connection
	// ctx is the running command's.
	ctx context.Context
	// warnings go to a person, never between an answer's lines.
	warnings io.Writer
}

func newRoot() *cobra.Command {
	c := &cli{ctx: context.Background(), warnings: io.Discard}
	root := &cobra.Command{
		Use:   "callgate",
		Short: "Permission gate for AI agents: allow, deny or ask before a tool call runs",
		Long: `Callgate is a permission gate for AI agents. Before an agent runs a tool call, Callgate
decides: allow, deny, or ask a person. It only decides; it never runs the call.

Exit codes: 0 allow or success, 1 deny, 2 ask or time-out, 3 error or wrong usage.`,
		Example: `  callgate demo                          # watch recorded agent sessions pass through the gate
  callgate serve                         # start the daemon, in one terminal
  callgate check Bash '{"command": "npm run build"}'
  callgate asks watch                    # answer pending asks, in another terminal`,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) { c.ctx, c.warnings = cmd.Context(), cmd.ErrOrStderr() },
		Args:             onlyCommands,
		RunE:             needCommand,
		SilenceUsage:     true,
		SilenceErrors:    true,
		Version:          version,
	}
	root.SetVersionTemplate("callgate {{.Version}}\n")
	root.PersistentFlags().StringVar(&c.configPath, "config", "", "configuration file (default $XDG_CONFIG_HOME/callgate/callgate.yaml)")
	root.PersistentFlags().BoolVar(&c.json, "json", false, "print JSON for programs")
	c.conn.register(root)
	root.AddGroup(
		&cobra.Group{ID: "gate", Title: "Check calls:"},
		&cobra.Group{ID: "people", Title: "Approve and manage:"},
		&cobra.Group{ID: "setup", Title: "Set up:"},
	)
	for _, add := range append(commands, texts...) {
		root.AddCommand(add(c))
	}
	root.SetCompletionCommandGroupID("setup")
	root.SetHelpCommandGroupID("setup")
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Example = "  source <(callgate completion bash)"
		}
	}
	root.SetFlagErrorFunc(flagError)
	explainUsage(root)
	return root
}

// settings loads the operator's configuration: the named file must exist, the one at the usual
// place need not.
func (c *cli) settings() (*config.Config, config.Dirs, error) {
	dirs, err := config.UserDirs()
	if err != nil {
		return nil, dirs, err
	}
	cfg, err := config.Open(c.configPath, dirs)
	return cfg, dirs, err
}

// print writes v as one indented JSON value, or as the text written by human.
func (c *cli) print(w io.Writer, v any, human func(io.Writer)) error {
	if !c.json {
		human(w)
		return nil
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// commands are the sub-commands.
var commands = []func(*cli) *cobra.Command{
	serveCommand, checkCommand, explainCommand, evalCommand, recordCommand, replayCommand, demoCommand, hookCommand, agentsCommand, mcpCommand,
	asksCommand, consoleCommand, rulesCommand, permissionsCommand, profilesCommand, foldersCommand, nodesCommand, storeCommand, sessionsCommand, auditCommand, pinCommand, passkeysCommand, tokensCommand,
	toolCommand, toolsCommand, configCommand, recipesCommand, importCommand, exportCommand, discordCommand, doctorCommand, readyCommand, serviceCommand, versionCommand,
}
