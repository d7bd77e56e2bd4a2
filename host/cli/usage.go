package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callgate/callgate/plugins"
)

// explainUsage adds to every mistake in the arguments or flags of cmd and of the commands below it
// the command's name and its help.
func explainUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError(cmd, cmp.Or(wrongWords(cmd, args), err))
			}
			return missingFlags(cmd)
		}
	}
	for _, sub := range cmd.Commands() {
		explainUsage(sub)
	}
}

// wrongWords names the missing word, or the first superfluous one, by the command's own Use; nil
// when their number is right, or the words are commands.
func wrongWords(cmd *cobra.Command, args []string) error {
	if cmd.HasSubCommands() {
		return nil
	}
	names, more := wordNames(cmd.Use)
	var missing []string
	for _, name := range names[min(len(args), len(names)):] {
		if !strings.HasPrefix(name, "[") {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) > 0:
		return errors.New("missing: " + strings.Join(missing, ", "))
	case more || len(args) <= len(names):
		return nil
	case len(names) == 0:
		return fmt.Errorf("unexpected argument %q: the command takes only flags", args[0])
	}
	return fmt.Errorf("too many arguments: %q; want %s (quote arguments that contain spaces)", args[len(names)], strings.Join(names, " "))
}

// wordNames are the words a Use requires besides flags and their values; [X] may be left out. more
// reports whether there may be any number of the last one.
func wordNames(use string) (names []string, more bool) {
	words := strings.Fields(use)[1:]
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case strings.HasPrefix(word, "--"):
			i++ // its value
			continue
		case strings.HasPrefix(word, "["):
			for !strings.HasSuffix(word, "]") {
				i++
				word += " " + words[i]
			}
		}
		names, more = append(names, word), strings.HasSuffix(word, "...]")
	}
	return names, more
}

// missingFlags names the missing required flags: cobra reports them later, without the command and
// its usage.
func missingFlags(cmd *cobra.Command) error {
	var missing []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if required := f.Annotations[cobra.BashCompOneRequiredFlag]; len(required) > 0 && required[0] == "true" && !f.Changed {
			missing = append(missing, "--"+f.Name)
		}
	})
	if len(missing) == 0 {
		return nil
	}
	return usageError(cmd, errors.New("missing: "+strings.Join(missing, ", ")))
}

// flagError explains how to pass a word similar to a flag.
func flagError(cmd *cobra.Command, err error) error {
	if strings.HasPrefix(err.Error(), "unknown shorthand flag") {
		err = fmt.Errorf("%w: use \"--\" before an argument that starts with \"-\"", err)
	}
	return usageError(cmd, err)
}

func usageError(cmd *cobra.Command, err error) error {
	use := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		use = cmd.CommandPath() + " COMMAND"
	}
	where := ""
	if path := strings.Fields(cmd.CommandPath())[1:]; len(path) > 0 {
		where = strings.Join(path, " ") + ": "
	}
	return fmt.Errorf("%s%w\nusage: %s\nsee %s --help", where, err, use, cmd.CommandPath())
}

// onlyCommands is the Args of a command with only sub-commands.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2 // letters; cobra's own default
	text := fmt.Sprintf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}

// needCommand runs a command with only sub-commands: its help on standard error, and wrong usage.
// RATIONALE.md, "Why is a command without its sub-command an error?".
func needCommand(cmd *cobra.Command, _ []string) error {
	cmd.SetOut(cmd.ErrOrStderr())
	if err := cmd.Help(); err != nil {
		return err
	}
	return errors.New("missing COMMAND: name one of those above")
}

// errNoModules is a binary compiled without `make build`.
var errNoModules = errors.New("this build has no tool modules and cannot check calls. Build it with: make build")

// needModules refuses to go on without the first-party modules.
func needModules() error {
	if len(plugins.Names()) == 0 {
		return errNoModules
	}
	return nil
}
