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
		Short:   "Tell how often recorded calls would have been asked about, and why",
		Long: `Puts recorded calls to a gate of its own, in this process and in a temporary
directory, with an approver who approves everything, and tells how often it asked: of
100 calls, also after the first 30 of a session; about the very same call, or one like
an earlier one whose rules were stored; without a rule on offer; and about what. No call
is run, and nothing is left behind.

The files are what callgate record writes, or transcripts: one call per line with tool,
input and cwd, and session, root and home as far as they are known.

At last it names the rules that would have saved the most asks, and how often you would
have been asked with them. Of your own configuration the rules and paths count, with --config.`,
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
	flags.StringVar(&f.mode, "mode", "", "the mode to decide in (default: the one each call was decided in)")
	flags.StringSliceVar(&f.recipes, "recipe", nil, "add a recipe's settings; may be given several times")
	flags.StringVar(&f.policy, "policy", "store", "the approver: store accepts the first rules on offer, once stores nothing")
	flags.StringVar(&f.scope, "scope", "project", "who shares what is stored: project, or session for each by itself")
	flags.StringVar(&f.calls, "calls", "", "file for what became of each call, a line each")
	flags.IntVar(&f.best, "best", bestRules, "how many rules to name that would have saved the most asks; 0 for none")
	flags.Float64Var(&f.bar, "bar", -1, "exit with 1 when more of 100 calls are asked about after the first 30 of a session")
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
