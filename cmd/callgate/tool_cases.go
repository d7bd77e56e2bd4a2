package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/scaffold"
	"github.com/callgate/callgate/host/workbench"
	"github.com/callgate/callgate/host/workbench/cases"
	"github.com/callgate/callgate/sdk"
)

// testFlags are those of `callgate tool test`.
type testFlags struct {
	file, only            string
	unit, update, verbose bool
}

func toolTest(c *cli) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [MODULE | DIRECTORY]",
		Short: "Run a module's test cases and rule examples",
		Long: `Runs the cases of the file beside the module, NAME.cases.yaml or cases.yaml, and the
module's own rule examples, and shows what was answered otherwise. A case is a call
and what the module should answer to it; what a case does not name is not compared:

  - name: production is asked about
    input: {operation: deploy, target: prod/web}
    check: {behavior: ask, bypass_immune: true}
    read_only: false
    match:
      - {behavior: allow, rules: [staging/*, prod/*], matched: [1]}
    suggestions: [deploy prod/web, deploy prod/*]
    describe: {title: deploy prod/web}

In place of input there may be raw_input, a text that is put to the module as it is, or
raw_input_base64. cwd, working_directories, home, mode, config, links (the only things
in the file system: where each stands and what it points to) and targets say where the call
runs. check: error is an export that must fail, error: true a case in which each must.

To begin, write cases with a name and an input only; --update writes what the module
answers to them into the file, for you to judge.

Without an argument it is the module of the directory. The exit code is 1 when anything
fails.`,
		Example: `  callgate tool test
  callgate tool test deploy.wasm --run production
  callgate tool test --update
  callgate tool test --unit`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModule,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.testModule(cmd, args, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.file, "cases", "", "file of cases (default NAME.cases.yaml or cases.yaml beside the module)")
	flags.StringVar(&f.only, "run", "", "only cases and examples whose name matches this regular expression")
	flags.BoolVar(&f.unit, "unit", false, "run the unit tests of the project as well, with its language's own tools")
	flags.BoolVar(&f.update, "update", false, "write the present answers of cases that name none")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show what passes as well")
	return cmd
}

func (c *cli) testModule(cmd *cobra.Command, args []string, f testFlags) error {
	only, err := regexp.Compile(f.only)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	if f.unit {
		if err := unitTests(cmd, args); err != nil {
			return err
		}
	}
	path, err := moduleArg(args)
	if err != nil {
		return err
	}
	return withModule(cmd, path, func(_ *workbench.Bench, m *workbench.Module) error {
		all, missing, err := f.read(path)
		if err != nil {
			return err
		}
		if f.update {
			return c.updateCases(cmd, f, m, missing)
		}
		report := cases.Test(cmd.Context(), m, all, only)
		if err := c.print(cmd.OutOrStdout(), report, func(w io.Writer) { report.Print(w, f.verbose) }); err != nil {
			return err
		}
		switch {
		case missing != nil:
			return missing
		case len(report.Cases)+len(report.Examples) == 0:
			return fmt.Errorf("--run %s: no case and no rule example has such a name", f.only)
		case !report.OK():
			return exit(exitDeny)
		}
		return nil
	})
}

// read finds and reads the file of cases; missing tells that there is none.
func (f *testFlags) read(module string) (all []cases.Case, missing, err error) {
	if f.file == "" {
		if f.file, err = cases.Find(module); errors.Is(err, cases.ErrNone) {
			return nil, err, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
	all, err = cases.Read(f.file)
	return all, nil, err
}

// unitTests runs those of the project in the directory.
func unitTests(cmd *cobra.Command, args []string) error {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			dir = filepath.Dir(dir)
		}
	}
	if !isProject(dir) {
		return fmt.Errorf("--unit: %s has no %s, so nobody knows its language", dir, scaffold.ManifestFile)
	}
	passed, err := scaffold.UnitTests(cmd.Context(), scaffold.BuildOptions{Dir: dir, Log: cmd.ErrOrStderr(), SDK: sdk.Files()})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		cmd.PrintErrln("callgate: its language has no unit tests; the cases are what there is")
		return nil
	case err != nil:
		return fmt.Errorf("--unit: %w", err)
	case !passed:
		cmd.PrintErrln("callgate: the unit tests failed")
		return exit(exitDeny)
	}
	cmd.PrintErrln("callgate: the unit tests passed")
	return nil
}

// updateCases writes the present answers into the file and shows them.
func (c *cli) updateCases(cmd *cobra.Command, f testFlags, m *workbench.Module, missing error) error {
	if missing != nil {
		return missing
	}
	filled, err := cases.UpdateFile(cmd.Context(), f.file, m)
	if err != nil {
		return err
	}
	written := 0
	for _, one := range filled {
		if one.Failed == "" {
			written++
		}
	}
	err = c.print(cmd.OutOrStdout(), filled, func(w io.Writer) {
		for _, one := range filled {
			fmt.Fprintf(w, "%s\n", card.Line(one.Name))
			for _, line := range one.Lines {
				fmt.Fprintf(w, "  %s\n", card.Line(line))
			}
			if one.Failed != "" {
				fmt.Fprintf(w, "  not written, because it fails: %s\n", card.Line(one.Failed))
			}
		}
		if len(filled) == 0 {
			fmt.Fprintf(w, "%s: every case names an answer already\n", card.Line(f.file))
			return
		}
		fmt.Fprintf(w, "%s: answers written to %d of its cases; whether they are right is for you to judge\n", card.Line(f.file), written)
		if written < len(filled) {
			fmt.Fprintln(w, "mend the module where it fails; where it must, write error: true below the case")
		}
	})
	if err == nil && written < len(filled) {
		err = exit(exitDeny)
	}
	return err
}
