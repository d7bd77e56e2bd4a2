package cli

import "github.com/spf13/cobra"

// toolCommands are the sub-commands of `callgate tool`, in a module author's order of use.
var toolCommands = []func(*cli) *cobra.Command{
	toolNew, toolBuild,
	toolInspect, toolRun, toolTest, toolBench,
	toolConformance, toolFuzz, toolDiff,
	toolAdd, toolList, toolPin, toolRollback, toolRemove, toolVerify, toolKey, toolSign,
}

func toolCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "tool",
		GroupID: "setup",
		Short:   "Write, test, ship and update tool modules",
		Long: `Everything for a tool module of your own: a WebAssembly file that tells Callgate what the
calls of your tool mean. Start with a guide "Write a tool in 15 minutes", one per
language: docs/write-a-tool.md.

To see the tools that the daemon has loaded, run callgate tools.`,
		Example: "  callgate tool new --lang go deploy\n  callgate tool build deploy",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	for _, add := range toolCommands {
		cmd.AddCommand(add(c))
	}
	return cmd
}
