package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/convert"
	"github.com/callgate/callgate/host/internal/store"
)

func exportCommand(c *cli) *cobra.Command {
	var s convert.Selection
	var scope string
	var onlyConfig bool
	cmd := &cobra.Command{
		Use:     "export",
		GroupID: "setup",
		Short:   "Write the rules and settings as a configuration file",
		Long: `Writes the configuration and the stored rules as one configuration file. A daemon that
starts with this file decides the same. Comments say who stored a rule. Things that a
configuration cannot express are listed at the top: session grants, project rules, and
rules for a single MCP server.`,
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
			out, err := convert.NewExport(file, data, stored, s)
			if err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), out, func(w io.Writer) { fmt.Fprint(w, out.YAML) })
		},
	}
	cmd.Flags().BoolVar(&s.Rules, "rules", false, "only rules, without settings")
	cmd.Flags().BoolVar(&onlyConfig, "config-only", false, "only the configuration, without stored rules")
	cmd.Flags().StringVar(&s.Agent, "agent", "", "only what applies to this agent")
	completeFlag(cmd, "agent", c.completeAgents())
	cmd.Flags().StringVar(&scope, "scope", "", "only rules of this scope: global, project, agent, session")
	completeFlag(cmd, "scope", completeScopes())
	return cmd
}

// storedRules are those outside the configuration.
func (c *cli) storedRules(cmd *cobra.Command) ([]engine.Rule, error) {
	var out []engine.Rule
	err := c.withClient("", func(client *client.Client) error {
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
