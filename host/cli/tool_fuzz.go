package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/toolkit/conformance"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// fuzzFlags are those of `callgate tool fuzz`.
type fuzzFlags struct {
	time        time.Duration
	seed        uint64
	most, calls int
	corpus      string
	only        []string
}

func toolFuzz(c *cli) *cobra.Command {
	var f fuzzFlags
	cmd := &cobra.Command{
		Use:   "fuzz [MODULE | DIRECTORY]",
		Short: "Generate calls until one breaks a promise of the ABI",
		Long: `Generates calls from the module's input schemas and by changing its examples and cases,
and runs on each the callgate tool conformance rules that concern a single call. A
finding is reduced, shown, and added to cases.yaml in the directory of --corpus, where
callgate tool test --cases runs it as a regression test.

It ends after --time or --max findings. Exit code 1 when there are findings.`,
		Example: `  callgate tool fuzz deploy.wasm
  callgate tool fuzz deploy.wasm --time 10m --corpus fuzz
  callgate tool test deploy.wasm --cases fuzz/cases.yaml`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModule,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.fuzz(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.time, "time", 30*time.Second, "how long to run; 0: until --calls or --max")
	flags.Uint64Var(&f.seed, "seed", 1, "seed for generating calls")
	flags.IntVar(&f.most, "max", 10, "stop after this many findings")
	flags.IntVar(&f.calls, "calls", 0, "stop after this many calls; 0: no limit")
	flags.StringVar(&f.corpus, "corpus", "", "directory of found cases: read as starting calls, and added to")
	flags.StringArrayVar(&f.only, "rule", nil, `run only the rule with this ID, or those that start with it ("match."); may be repeated`)
	return cmd
}

func (c *cli) fuzz(cmd *cobra.Command, args []string, f fuzzFlags) error {
	if f.time <= 0 && f.calls <= 0 {
		return errors.New("--time 0 needs --calls, or the run would never end")
	}
	path, err := moduleArg(args)
	if err != nil {
		return err
	}
	calls, err := authorCalls(path, "")
	if err != nil {
		return err
	}
	found, err := f.found()
	if err != nil {
		return err
	}
	return withModule(cmd, path, func(b *workbench.Bench, m *workbench.Module) error {
		bar := progressLine(cmd)
		report, err := conformance.Fuzz(cmd.Context(), conformance.Of(b, m, nil), conformance.FuzzOptions{
			Options: conformance.Options{Seed: f.seed, Only: f.only, Calls: append(calls, found...)},
			Time:    f.time, Calls: f.calls, Most: f.most,
			Progress: func(r conformance.FuzzReport) { bar.show(r.Line()) },
		})
		bar.end()
		if err != nil {
			return err
		}
		if len(report.Findings) > 0 && f.corpus != "" {
			if err := conformance.Keep(f.file(), report.Findings); err != nil {
				return err
			}
		}
		if err := c.print(cmd.OutOrStdout(), report, func(w io.Writer) { f.print(w, report) }); err != nil {
			return err
		}
		if len(report.Findings) > 0 {
			return exit(exitDeny)
		}
		return nil
	})
}

// file is where found cases are; empty without --corpus.
func (f fuzzFlags) file() string {
	if f.corpus == "" {
		return ""
	}
	return filepath.Join(f.corpus, "cases.yaml")
}

// found are the calls found before.
func (f fuzzFlags) found() ([]trial.Call, error) {
	if _, err := os.Stat(f.file()); f.corpus == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return authorCalls("", f.file())
}

func (f fuzzFlags) print(w io.Writer, r conformance.FuzzReport) {
	for _, one := range r.Findings {
		one.Print(w)
		fmt.Fprintln(w)
	}
	if len(r.Findings) > 0 && f.corpus != "" {
		fmt.Fprintf(w, "written to %s\n", card.Line(f.file()))
	}
	fmt.Fprintf(w, "%s (seed %d)\n", r.Line(), r.Seed)
}
