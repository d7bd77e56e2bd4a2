package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/plugins"
)

// explainUsage makes every mistake in the arguments or flags of cmd and of the
// commands below it say which command it was and where its help is.
func explainUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError(cmd, err)
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		explainUsage(sub)
	}
}

func usageError(cmd *cobra.Command, err error) error {
	where := ""
	if path := strings.Fields(cmd.CommandPath())[1:]; len(path) > 0 {
		where = strings.Join(path, " ") + ": "
	}
	return fmt.Errorf("%s%w\nusage: %s\nsee %s --help", where, err, cmd.UseLine(), cmd.CommandPath())
}

// onlyCommands is the Args of a command that does nothing by itself.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2 // letters; cobra's own default
	text := fmt.Sprintf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}

// needCommand runs a command that does nothing by itself.
func needCommand(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// errNoModules is a binary that was compiled without `make build`.
var errNoModules = errors.New("this binary holds no tool modules and would judge no call: build it with: make build")

// needModules refuses to go on without the first-party modules.
func needModules() error {
	if len(plugins.Names()) == 0 {
		return errNoModules
	}
	return nil
}
