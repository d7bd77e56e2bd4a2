package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callgate/callgate/plugins"
)

// explainUsage makes every mistake in the arguments or flags of cmd and of the
// commands below it say which command it was and where its help is.
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

// wrongWords names the word that is missing, or the first that is too many, by the
// command's own Use; nil when their number is right, or the words are commands.
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
		return fmt.Errorf("unexpected %q: it takes flags only", args[0])
	}
	return fmt.Errorf("unexpected %q: it takes %s and no more words (quotes hold one together)", args[len(names)], strings.Join(names, " "))
}

// wordNames are the words that a Use wants besides flags and their values; [X] may be
// left out. more tells that there may be any number of the last one.
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

// missingFlags names the required flags that were not given: cobra tells them later,
// without the command and its usage.
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

// flagError says how a word is given that only looks like flags.
func flagError(cmd *cobra.Command, err error) error {
	if strings.HasPrefix(err.Error(), "unknown shorthand flag") {
		err = fmt.Errorf("%w: a word that begins with - stands behind --", err)
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
