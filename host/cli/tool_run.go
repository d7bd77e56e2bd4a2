package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// runFlags are those of `callgate tool run`.
type runFlags struct {
	tool, mode, cwd, home, config string
	dirs, rules                   []string
	all, raw, verbose             bool
}

// verbs are a module's exports for questions, in the host's order.
var verbs = []string{sandbox.Describe, sandbox.DescribeCall, sandbox.CheckPermissions, sandbox.CheckReadOnly, sandbox.MatchRule, sandbox.GenerateSuggestions}

func toolRun(c *cli) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [MODULE] [VERB] [INPUT]",
		Short: "Send one call to a module and show its answer",
		Long: `Sends one call to a module (default: that of the current project) and shows its answer,
whether the host would accept it, and its fuel and time. VERB is describe, describe_call,
check_permissions, check_read_only, match_rule or generate_suggestions; --all runs all of
them, as the host does. INPUT is the tool's input as a JSON object, - for standard input,
or @FILE. With --raw it is sent unchanged.

No file is read: targets that the module names are resolved in an empty file system. The
module's log goes to standard error. Exit code 1 when the host would not accept an
answer.`,
		Example: `  callgate tool run deploy.wasm describe
  callgate tool run deploy.wasm check_permissions '{"operation":"deploy","target":"prod/web"}'
  callgate tool run deploy.wasm match_rule @input.json --rules 'allow:staging/*' --rules deny:nonsense
  callgate tool run deploy.wasm --all '{"operation":"status","target":"prod/web"}'`,
		Args: cobra.RangeArgs(1, 3),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return verbs, cobra.ShellCompDirectiveNoFileComp
			}
			return completeModule(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.runModule(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tool, "tool", "", "tool name (default: the module's only one)")
	flags.StringArrayVar(&f.rules, "rules", nil, "rule for match_rule as BEHAVIOR:CONTENT, such as 'allow:staging/*'; may be repeated")
	flags.StringVar(&f.mode, "mode", "", "permission mode (default: default)")
	flags.StringVar(&f.cwd, "cwd", "", "current directory (default: "+trial.DefaultCWD+")")
	flags.StringVar(&f.home, "home", "", "home directory (default: "+trial.DefaultHome+")")
	flags.StringArrayVar(&f.dirs, "working-directory", nil, "working directory; may be repeated (default: the current one)")
	flags.StringVar(&f.config, "tool-config", "", "operator's configuration of the tool, as JSON")
	flags.BoolVar(&f.all, "all", false, "run every export, as the host does")
	flags.BoolVar(&f.raw, "raw", false, "send INPUT unchanged, not in an envelope")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also show what the module receives")
	return cmd
}

func (c *cli) runModule(cmd *cobra.Command, args []string, f runFlags) error {
	if _, err := os.Stat(args[0]); err != nil && (slices.Contains(verbs, args[0]) || strings.HasPrefix(args[0], "{")) {
		args = append([]string{"."}, args...)
	}
	verb, input, err := f.read(cmd, args[1:])
	if err != nil {
		return err
	}
	path, err := moduleFile(args[0])
	if err != nil {
		return err
	}
	return withBench(cmd, func(b *workbench.Bench) error {
		m, err := b.Load(cmd.Context(), path)
		var step *workbench.StepError
		if errors.As(err, &step) && (step.Step == workbench.StepDescribe || step.Step == workbench.StepParse) && (f.raw || verb == sandbox.Describe) {
			err = nil // compiled; the user asks for exactly this step
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all, err := f.ask(cmd, m, verb, input)
		if err != nil {
			return err
		}
		if err := c.print(cmd.OutOrStdout(), all, func(w io.Writer) { printAsked(w, all) }); err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(a question) bool { return a.Error != "" }) {
			return exit(exitDeny)
		}
		return nil
	})
}

// read reads VERB and INPUT.
func (f *runFlags) read(cmd *cobra.Command, args []string) (verb string, input []byte, err error) {
	if !f.all {
		if len(args) == 0 {
			return "", nil, usageError(cmd, fmt.Errorf("missing VERB: want one of %s, or --all", strings.Join(verbs, ", ")))
		}
		verb, args = args[0], args[1:]
		if !slices.Contains(verbs, verb) && !f.raw {
			return "", nil, usageError(cmd, fmt.Errorf("unknown VERB %q: want one of %s", verb, strings.Join(verbs, ", ")))
		}
	}
	switch {
	case len(args) > 1:
		return "", nil, usageError(cmd, errors.New("--all takes a module and one input"))
	case len(args) == 1:
		input, err = readInput(cmd.InOrStdin(), args[0])
	case verb != sandbox.Describe && !f.raw:
		err = usageError(cmd, errors.New("missing INPUT: want a JSON object such as '{}', - for standard input, or @FILE"))
	}
	return verb, input, err
}

// readInput is the argument itself, or the content it points to.
func readInput(stdin io.Reader, arg string) ([]byte, error) {
	if arg == "-" {
		return io.ReadAll(stdin)
	}
	if file, ok := strings.CutPrefix(arg, "@"); ok {
		return os.ReadFile(file)
	}
	return []byte(arg), nil
}

// ask puts the question; the error is about the question.
func (f *runFlags) ask(cmd *cobra.Command, m *workbench.Module, verb string, input []byte) ([]question, error) {
	if verb == sandbox.Describe && !f.raw {
		input = nil
	}
	if verb == sandbox.Describe || f.raw {
		r := m.Run(cmd.Context(), verb, input)
		one := trial.Answer{Verb: verb, Envelope: input, Result: r}
		if verb == sandbox.Describe && r.Err == nil {
			one.Check()
		}
		return []question{f.shown(&one, "")}, nil
	}
	call, err := f.call(input)
	if err != nil {
		return nil, err
	}
	if verb == sandbox.MatchRule && len(call.Rules) == 0 {
		return nil, usageError(cmd, errors.New("match_rule needs rules: add --rules 'allow:CONTENT'"))
	}
	answers := m.Ask(cmd.Context(), call)
	if answers.Err != nil {
		return nil, answers.Err
	}
	if verb == sandbox.DescribeCall && answers.Describe == nil {
		return nil, fmt.Errorf("the module has no %s (it is optional)", verb)
	}
	var all []question
	sets := 0
	for _, a := range answers.All() {
		rules := ""
		if a.Verb == sandbox.MatchRule {
			rules = call.Rules[sets].Behavior + ": " + strings.Join(call.Rules[sets].Contents, ", ")
			sets++
		}
		if verb == "" || a.Verb == verb {
			all = append(all, f.shown(a, rules))
		}
	}
	return all, nil
}

// call is the call made of the flags and the input.
func (f *runFlags) call(input []byte) (trial.Call, error) {
	call := trial.Call{Tool: f.tool, Input: input, CWD: f.cwd, Home: f.home, WorkingDirectories: f.dirs, Mode: f.mode}
	for _, dir := range append([]string{f.cwd, f.home}, f.dirs...) {
		if dir != "" && !strings.HasPrefix(dir, "/") {
			return call, fmt.Errorf("%q is not an absolute path", dir)
		}
	}
	if f.config != "" {
		call.Config = json.RawMessage(f.config)
		if !json.Valid(call.Config) {
			return call, errors.New("--tool-config: not JSON")
		}
	}
	for _, rule := range f.rules {
		behavior, content, ok := strings.Cut(rule, ":")
		if !ok || !slices.Contains([]string{"allow", "deny", "ask"}, behavior) {
			return call, fmt.Errorf("--rules %q: want allow:CONTENT, deny:CONTENT or ask:CONTENT", rule)
		}
		at := slices.IndexFunc(call.Rules, func(s trial.RuleSet) bool { return s.Behavior == behavior })
		if at < 0 {
			call.Rules, at = append(call.Rules, trial.RuleSet{Behavior: behavior}), len(call.Rules)
		}
		call.Rules[at].Contents = append(call.Rules[at].Contents, content)
	}
	return call, nil
}
