package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/recipe"
	"github.com/callgate/callgate/host/internal/toolkit/replay"
	"github.com/callgate/callgate/plugins"
)

// bestRules is the number of rules to name, those with the most saved asks.
const bestRules = 5

// replayFlags are the options of a replay.
type replayFlags struct {
	mode, policy, scope, calls string
	recipes                    []string
	best                       int
	bar                        float64
}

func replayCommand(c *cli) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:     "replay FILE|DIRECTORY...",
		GroupID: "gate",
		Short:   "Count how often recorded calls would need approval, and why",
		Long: `Replays recorded calls through a temporary gate and counts the approval requests (asks).
A simulated approver approves every ask. No call is run, and the temporary files are
removed afterwards.

The report shows:
  - asks per 100 calls, for all calls and after the first 30 of a session
  - repeated asks: the same call again, or a call like an earlier one with stored rules
  - asks without a suggested rule
  - the causes of the asks
  - the rules with the most saved asks, and the asks left with them (--best)

FILE is the output of callgate record, or a transcript: one JSON object per line with tool,
input and cwd, and session, root and home if known. A DIRECTORY stands for its *.jsonl files.
With --config, the replay uses the rules and paths of your configuration.`,
		Example: `  callgate record --since 3d -o calls
  callgate replay calls --mode accept_edits
  callgate replay calls --recipe go-project --policy once --best 0 --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := needModules(); err != nil {
				return err
			}
			o, err := f.options(c)
			if err != nil {
				return err
			}
			sessions, err := replay.Load(paths...)
			if err != nil {
				return fmt.Errorf("replay: %w", err)
			}
			outcomes, err := replay.Run(cmd.Context(), sessions, o)
			if err != nil {
				return err
			}
			if f.calls != "" {
				if err := writeOutcomes(f.calls, outcomes); err != nil {
					return err
				}
			}
			report := replay.Summarize(outcomes)
			if f.best > 0 {
				if report.Best, err = replay.Best(cmd.Context(), sessions, o, f.best); err != nil {
					return err
				}
			}
			if err := c.print(cmd.OutOrStdout(), report, func(w io.Writer) { report.Print(w) }); err != nil {
				return err
			}
			if f.bar >= 0 && report.All.Late100 > f.bar {
				return exit(exitDeny)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.mode, "mode", "", "mode for all calls (default: the recorded mode of each call)")
	flags.StringSliceVar(&f.recipes, "recipe", nil, "apply a recipe (repeatable)")
	flags.StringVar(&f.policy, "policy", "store", "approver: store accepts the first suggested rules, once stores nothing")
	flags.StringVar(&f.scope, "scope", "project", "scope of stored rules: project (shared by its sessions) or session")
	flags.StringVar(&f.calls, "calls", "", "write the outcome of each call to this file, one JSON object per line")
	flags.IntVar(&f.best, "best", bestRules, "number of rules to list with the most saved asks; 0 for none")
	flags.Float64Var(&f.bar, "bar", -1, "exit with 1 if the asks per 100 calls after the first 30 of a session exceed this number")
	completeFlag(cmd, "mode", words(engine.Modes()...))
	completeFlag(cmd, "policy", words("store", "once"))
	completeFlag(cmd, "scope", words("project", "session"))
	return cmd
}

// options are those of the replay, with its configuration: of the file of --config, and
// the recipes.
func (f replayFlags) options(c *cli) (replay.Options, error) {
	o := replay.Options{Modules: plugins.Modules(), Compiler: compiler(), Store: f.policy == "store", Shared: f.scope == "project"}
	if !o.Store && f.policy != "once" {
		return o, fmt.Errorf("--policy: %q: want store or once", f.policy)
	}
	if !o.Shared && f.scope != "session" {
		return o, fmt.Errorf("--scope: %q: want project or session", f.scope)
	}
	dirs, err := config.UserDirs()
	if err != nil {
		return o, err
	}
	o.CacheDir = dirs.Cache
	if c.configPath != "" {
		text, err := os.ReadFile(c.configPath)
		if err != nil {
			return o, err
		}
		if o.Config, err = replay.Settings(c.configPath, text); err != nil {
			return o, err
		}
	}
	if f.mode != "" {
		if _, err := engine.ParseMode(f.mode); err != nil {
			return o, fmt.Errorf("--mode: %w", err)
		}
		o.Mode = f.mode
	}
	for _, name := range f.recipes {
		r, err := recipe.Find(name)
		if err != nil {
			return o, fmt.Errorf("--recipe: %w", err)
		}
		if o.Config, _, err = recipe.Apply("the configuration", o.Config, r, recipe.Options{}); err != nil {
			return o, fmt.Errorf("--recipe: %w", err)
		}
	}
	return o, nil
}

// writeOutcomes writes a line of JSON for each call.
func writeOutcomes(path string, outcomes []replay.Outcome) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("--calls: %w", err)
	}
	out := bufio.NewWriter(file)
	defer func() { err = errors.Join(err, out.Flush(), file.Close()) }()
	to := json.NewEncoder(out)
	to.SetEscapeHTML(false)
	for _, o := range outcomes {
		if err := to.Encode(o); err != nil {
			return fmt.Errorf("--calls: %w", err)
		}
	}
	return nil
}
