package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/toolkit/conformance"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
	"github.com/callgate/callgate/host/internal/toolkit/workbench/cases"
)

// conformanceFlags are those of `callgate tool conformance`.
type conformanceFlags struct {
	file          string
	seed          uint64
	only          []string
	list, verbose bool
}

func toolConformance(c *cli) *cobra.Command {
	var f conformanceFlags
	cmd := &cobra.Command{
		Use:   "conformance [MODULE | DIRECTORY]",
		Short: "Test a module against the ABI",
		Long: `Tests a module against every promise of the tool ABI (docs/abi.md): its exports, its JSON,
how it handles unreadable calls, whether rules match consistently, whether suggestions
are correct, how fuel grows, and more. The calls are generated from the module's
declarations (rule examples and input schemas) and from the cases beside it.

A finding is FAILED (a broken promise) or ADVICE (allowed, but likely a problem later).
Each says what was tried, what happened, and how to fix it. The same seed generates the
same calls. Exit code 1 when a promise is broken.`,
		Example: `  callgate tool conformance deploy.wasm
  callgate tool conformance deploy.wasm --rule match. --verbose
  callgate tool conformance --list`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModule,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.list {
				return c.listRules(cmd)
			}
			return c.conformance(cmd, args, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.file, "cases", "", "file of cases to use as well (default: NAME.cases.yaml or cases.yaml beside the module)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed for generating calls")
	flags.StringArrayVar(&f.only, "rule", nil, `run only the rule with this ID, or those that start with it ("match."); may be repeated`)
	flags.BoolVar(&f.list, "list", false, "list the rules and run none")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show every rule, also those without findings")
	return cmd
}

func (c *cli) listRules(cmd *cobra.Command) error {
	rules := conformance.Rules()
	return c.print(cmd.OutOrStdout(), rules, func(w io.Writer) {
		rows := [][]string{{"rule", "level", "promise"}}
		for _, r := range rules {
			rows = append(rows, []string{r.ID, string(r.Level), r.Title})
		}
		fmt.Fprint(w, table(rows))
	})
}

func (c *cli) conformance(cmd *cobra.Command, args []string, f conformanceFlags) error {
	path, err := moduleArg(args)
	if err != nil {
		return err
	}
	calls, err := authorCalls(path, f.file)
	if err != nil {
		return err
	}
	return withBench(cmd, func(b *workbench.Bench) error {
		m, problem := b.Load(cmd.Context(), path)
		if m == nil {
			return problem
		}
		bar := progressLine(cmd)
		report, err := conformance.Check(cmd.Context(), conformance.Of(b, m, problem), conformance.Options{
			Seed: f.seed, Only: f.only, Calls: calls, Fuel: b.Limits().Fuel, LogLines: b.Limits().LogLines, LogBytes: b.Limits().LogBytes,
			Progress: func(doing string, done, of int) {
				bar.show(fmt.Sprintf("testing the rules on the calls of %s: %d of %d", card.Line(doing), done, of))
			},
		})
		bar.end()
		if err != nil {
			return err
		}
		if err := c.print(cmd.OutOrStdout(), report, func(w io.Writer) { report.Print(w, f.verbose) }); err != nil {
			return err
		}
		if !report.Conforms() {
			return exit(exitDeny)
		}
		return nil
	})
}

// authorCalls are the calls of the file of cases: the named one, or the one beside the module, if
// any.
func authorCalls(module, file string) ([]trial.Call, error) {
	if file == "" {
		found, err := cases.Find(module)
		if errors.Is(err, cases.ErrNone) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		file = found
	}
	all, err := cases.Read(file)
	if err != nil {
		return nil, err
	}
	calls := make([]trial.Call, len(all))
	for i, one := range all {
		calls[i] = one.Call
	}
	return calls, nil
}

// bar shows the progress of a long command, on a terminal only, in one line it overwrites.
type bar struct {
	to    io.Writer
	shown bool
}

func progressLine(cmd *cobra.Command) *bar {
	if f, ok := cmd.ErrOrStderr().(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &bar{to: f}
	}
	return &bar{}
}

func (b *bar) show(line string) {
	if b.to != nil {
		b.shown = true
		fmt.Fprintf(b.to, "\r\x1b[K%s", line)
	}
}

func (b *bar) end() {
	if b.shown {
		fmt.Fprint(b.to, "\r\x1b[K")
	}
}
