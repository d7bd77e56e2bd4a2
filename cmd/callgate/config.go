package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/target"
	"github.com/callgate/callgate/plugins"
)

func configCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		GroupID: "setup",
		Short:   "Check the configuration, print its schema or a commented example",
		Example: "  callgate config check\n  callgate config example > ~/.config/callgate/callgate.yaml",
		Args:    cobra.NoArgs,
		RunE:    needSubcommand,
	}
	cmd.AddCommand(configCheck(c), configSchema(), configExample())
	return cmd
}

func configCheck(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "check [FILE]",
		Short:   "Read the configuration, and try every rule on its own examples",
		Example: "  callgate config check ./callgate.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				c.configPath = args[0]
			}
			cfg, dirs, err := c.settings()
			if err != nil {
				return err
			}
			runtime, tools, err := host.OpenCatalog(cmd.Context(), plugins.Modules(), dirs.Cache, cfg.Modules)
			if err != nil {
				return err
			}
			defer func() { _ = runtime.Close(cmd.Context()) }() // nothing is lost with it
			trial := gate.Trial{Catalog: tools, Targets: &target.Resolver{FS: target.OS()}}
			if err := trial.CheckExamples(cmd.Context(), cfg); err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), checked(cfg), func(w io.Writer) {
				where := cfg.File
				if where == "" {
					where = "no file at " + dirs.ConfigFile() + ": the built-in defaults"
				}
				fmt.Fprintf(w, "%s: good (%d agents, %d rules, %d examples tried)\n", where, len(cfg.Agents), checked(cfg).Rules, len(cfg.Examples()))
			})
		},
	}
}

type configSummary struct {
	File     string `json:"file"`
	Agents   int    `json:"agents"`
	Rules    int    `json:"rules"`
	Examples int    `json:"examples"`
}

func checked(cfg *config.Config) configSummary {
	rules := len(cfg.Rules)
	for _, block := range cfg.Agents {
		rules += len(block.Rules)
	}
	return configSummary{File: cfg.File, Agents: len(cfg.Agents), Rules: rules, Examples: len(cfg.Examples())}
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
		Short:   "Print the commented example, which is the reference",
		Example: "  callgate config example > ~/.config/callgate/callgate.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.ExampleFile())
			return err
		},
	}
}

// needSubcommand answers a command that does nothing by itself.
func needSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: unknown command %q: see %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return cmd.Help()
}
