package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/conformance"
	"github.com/callgate/callgate/host/workbench"
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
		Short: "Make calls of a module's tools until one breaks a promise of the ABI",
		Long: `Makes calls of a module's tools, of its input schemas and of its own examples and cases
with changes, and tries the rules of callgate tool conformance that speak of one call on
each. What it finds is made small, shown, and written as a case into cases.yaml in the
directory of --corpus, where callgate tool test --cases finds it: so that it stays
found, and mended.

It ends when the time is over or --max findings were made. The exit code is 1 when there
are any.`,
		Example: `  callgate tool fuzz deploy.wasm
  callgate tool fuzz deploy.wasm --time 10m --corpus fuzz
  callgate tool test deploy.wasm --cases fuzz/cases.yaml`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModule,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.fuzz(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.time, "time", 30*time.Second, "how long; 0 is until --calls or --max")
	flags.Uint64Var(&f.seed, "seed", 1, "what the calls are made from")
	flags.IntVar(&f.most, "max", 10, "end at that many findings")
	flags.IntVar(&f.calls, "calls", 0, "end at that many calls; 0 is no end")
	flags.StringVar(&f.corpus, "corpus", "", "directory of found cases: read as calls to begin with, and added to")
	flags.StringArrayVar(&f.only, "rule", nil, `try only the rule of this id, or those whose id begins so ("match."); may be given more than once`)
	return cmd
}

func (c *cli) fuzz(cmd *cobra.Command, args []string, f fuzzFlags) error {
	if f.time <= 0 && f.calls <= 0 {
		return errors.New("--time 0: give --calls, or it would never end")
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

// found are the calls that were found before.
func (f fuzzFlags) found() ([]workbench.Call, error) {
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
