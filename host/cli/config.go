package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/gate/target"
)

func configCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		GroupID: "setup",
		Short:   "Check the configuration, accept changes, print its schema or an example",
		Example: "  callgate config check\n  callgate config status\n  mkdir -p ~/.config/callgate/ && callgate config example > ~/.config/callgate/callgate.yaml",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(configCheck(c), configStatus(c), configAccept(c), configSchema(), configExample())
	return cmd
}

func configCheck(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check the configuration and test every rule on its examples",
		Long: `Checks the configuration as serve would: its fields, every rule on its own examples,
the tool modules, and the .callgate.yaml of the current project. Exit code 3 when
serve would reject something.`,
		Example: "  callgate config check\n  callgate config check ./callgate.yaml --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				c.configPath = args[0]
			}
			if err := needModules(); err != nil {
				return err
			}
			cfg, dirs, err := c.settings()
			if err != nil {
				return err
			}
			warnings, err := checkRules(cmd, cfg, dirs)
			if err != nil {
				return err
			}
			projects, err := checkProject(cmd.Context())
			if err != nil {
				return err
			}
			s := summarize(cfg, projects, warnings)
			return c.print(cmd.OutOrStdout(), s, func(w io.Writer) { s.print(w, dirs) })
		},
	}
}

// checkRules loads the modules and tests the rules on their own examples. A module's problem is a
// warning: serve goes on without it. So are certainly unintended settings of profiles.
func checkRules(cmd *cobra.Command, cfg *config.Config, dirs config.Dirs) (warnings []string, err error) {
	ctx := cmd.Context()
	from := firstParty(cmd, dirs)
	from.State = dirs.State
	runtime, tools, err := assembly.OpenCatalog(ctx, from, cfg.Modules)
	if err != nil {
		return nil, err
	}
	defer func() { _ = runtime.Close(ctx) }() // nothing is lost with it
	for _, p := range tools.Problems() {
		warnings = append(warnings, "module "+p.String())
	}
	warnings = append(warnings, assembly.GrantAdvice(cfg)...)
	var names []string
	for _, tool := range tools.Tools() {
		names = append(append(names, tool.Name), tool.Aliases...)
	}
	for _, doubt := range slices.Concat(cfg.Problems(), cfg.Advice(describe.Vocabulary(tools)), cfg.UnknownTools(names)) {
		warnings = append(warnings, doubt.Error())
	}
	trial := ruletest.Tester{
		Catalog: tools, Targets: &target.Resolver{FS: target.OS()},
		Unread: func(err error) { warnings = append(warnings, err.Error()) },
	}
	err = trial.CheckExamples(ctx, cfg)
	return warnings, err
}

type configSummary struct {
	File     string         `json:"file"`
	Agents   int            `json:"agents"`
	Rules    int            `json:"rules"`
	Examples int            `json:"examples"`
	Project  projectSummary `json:"project"`
	Warnings []string       `json:"warnings,omitempty"`
}

func summarize(cfg *config.Config, projects projectSummary, warnings []string) configSummary {
	rules := len(cfg.Rules)
	for _, block := range cfg.Agents {
		rules += len(block.Rules)
	}
	return configSummary{File: cfg.File, Agents: len(cfg.Agents), Rules: rules, Examples: len(cfg.Examples()), Project: projects, Warnings: warnings}
}

func (s configSummary) print(w io.Writer, dirs config.Dirs) {
	where := s.File
	if where == "" {
		where = "no file at " + dirs.ConfigFile() + ": using the built-in defaults"
	}
	fmt.Fprintf(w, "%s: ok (%d agents, %d rules, %d examples tested)\n", where, s.Agents, s.Rules, s.Examples)
	for _, text := range s.Warnings {
		fmt.Fprintln(w, "warning:", card.Line(text))
	}
	if len(s.Project.Files) == 0 {
		return
	}
	fmt.Fprintf(w, "%s: ok (%d tightening rules)\n", card.Line(strings.Join(s.Project.Files, ", ")), s.Project.Rules)
	for _, p := range s.Project.Ignored {
		fmt.Fprintln(w, "ignored:", card.Line(p.String()))
	}
}

func configSchema() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the configuration file",
		Example: "  callgate config schema > callgate.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", config.Schema())
			return err
		},
	}
}

func configExample() *cobra.Command {
	return &cobra.Command{
		Use:     "example",
		Short:   "Print a commented example with every setting",
		Example: "  mkdir -p ~/.config/callgate/ && callgate config example > ~/.config/callgate/callgate.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.ExampleFile())
			return err
		},
	}
}
