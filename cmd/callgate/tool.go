package main

import "github.com/spf13/cobra"

// toolCommands are the sub-commands of `callgate tool`, in the order in which an
// author of a module needs them.
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
		Short:   "Write a tool module, try it, ship it, and swap it while running",
		Long: `Everything for a tool module of your own: a WebAssembly file that tells Callgate
what the calls of your tool mean. The guides "Write a tool in 15 minutes" go through
all of it, one per language: docs/write-a-tool.md.

See callgate tools for what the daemon knows about the tools that are loaded.`,
		Example: "  callgate tool new --lang go deploy\n  callgate tool build deploy",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	for _, add := range toolCommands {
		cmd.AddCommand(add(c))
	}
	return cmd
}
