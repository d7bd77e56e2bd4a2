package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/exchange"
	"github.com/callgate/callgate/host/store"
)

func exportCommand(c *cli) *cobra.Command {
	var s exchange.Selection
	var scope string
	var onlyConfig bool
	cmd := &cobra.Command{
		Use:     "export",
		GroupID: "setup",
		Short:   "Write the rules and settings as a configuration file",
		Long: `Writes what the configuration says, and the rules that people stored besides, as
one configuration: read into an empty one, it decides the same. Comments say who
stored a rule. What a configuration cannot say is named on top: grants of
sessions, rules of one project, and rules that hold for one MCP server only.`,
		Example: `  callgate export > callgate.yaml
  callgate export --rules --agent builder
  callgate export --config-only --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if scope != "" {
				var err error
				if s.Scope, err = engine.ParseScope(scope); err != nil {
					return err
				}
			}
			dirs, err := config.UserDirs()
			if err != nil {
				return err
			}
			file := cmp.Or(c.configPath, dirs.ConfigFile())
			data, err := os.ReadFile(file)
			if err != nil && (c.configPath != "" || !errors.Is(err, fs.ErrNotExist)) {
				return err
			}
			var stored []engine.Rule
			if !onlyConfig {
				if stored, err = c.storedRules(cmd); err != nil {
					return fmt.Errorf("%w\n(callgate export --config-only needs no daemon)", err)
				}
			}
			out, err := exchange.NewExport(file, data, stored, s)
			if err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), out, func(w io.Writer) { fmt.Fprint(w, out.YAML) })
		},
	}
	cmd.Flags().BoolVar(&s.Rules, "rules", false, "only rules, without settings")
	cmd.Flags().BoolVar(&onlyConfig, "config-only", false, "only what the configuration says, without stored rules")
	cmd.Flags().StringVar(&s.Agent, "agent", "", "only what holds for this agent")
	completeFlag(cmd, "agent", c.completeAgents())
	cmd.Flags().StringVar(&scope, "scope", "", "only rules of this scope: global, project, agent, session")
	completeFlag(cmd, "scope", completeScopes())
	return cmd
}

// storedRules are those that do not come from the configuration.
func (c *cli) storedRules(cmd *cobra.Command) ([]engine.Rule, error) {
	var out []engine.Rule
	err := c.withClient("", func(client *api.Client) error {
		rules, err := client.Rules(cmd.Context(), store.RuleFilter{})
		for _, r := range rules {
			if r.Source != config.Source && r.Source != engine.SourceProjectFile {
				out = append(out, r)
			}
		}
		return err
	})
	return out, err
}
