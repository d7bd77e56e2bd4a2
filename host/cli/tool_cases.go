package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
	"github.com/callgate/callgate/host/internal/toolkit/workbench/cases"
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
		Long: `Runs the cases in NAME.cases.yaml or cases.yaml beside the module, and the module's own
rule examples, and shows each difference. A case is a call and the expected answers;
answers that a case leaves out are not compared:

  - name: production is asked about
    input: {operation: deploy, target: prod/web}
    check: {behavior: ask, bypass_immune: true}
    read_only: false
    match:
      - {behavior: allow, rules: [staging/*, prod/*], matched: [1]}
    suggestions: [deploy prod/web, deploy prod/*]
    describe: {title: deploy prod/web}

Instead of input a case may have raw_input (text, sent to the module unchanged) or
raw_input_base64. cwd, working_directories, home, mode, config, targets and links
describe the environment of the call; links is the whole file system: each link and its
target. check: error expects that export to fail, error: true expects all of them to fail.

To begin, write cases with only a name and an input; --update adds the module's current
answers to the file, for you to review.

Without an argument it tests the module of the current directory. Exit code 1 when
something fails.`,
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
	flags.StringVar(&f.file, "cases", "", "file of cases (default: NAME.cases.yaml or cases.yaml beside the module)")
	flags.StringVar(&f.only, "run", "", "run only cases and examples whose name matches this regular expression")
	flags.BoolVar(&f.unit, "unit", false, "also run the project's unit tests, with the language's own tools")
	flags.BoolVar(&f.update, "update", false, "add the current answers to cases that have none")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also show what passes")
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
			return fmt.Errorf("--run %s: no case or rule example has a matching name", f.only)
		case !report.OK():
			return exit(exitDeny)
		}
		return nil
	})
}

// read finds and reads the file of cases; missing reports that there is none.
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
		return fmt.Errorf("--unit: %s has no %s, so its language is unknown", dir, scaffold.ManifestFile)
	}
	passed, err := scaffold.UnitTests(cmd.Context(), scaffold.BuildOptions{Dir: dir, Log: cmd.ErrOrStderr(), SDK: sdk.Files()})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		cmd.PrintErrln("callgate: this language has no unit tests; only the cases were run")
		return nil
	case err != nil:
		return fmt.Errorf("--unit: %w", err)
	case !passed:
		cmd.PrintErrln("callgate: unit tests failed")
		return exit(exitDeny)
	}
	cmd.PrintErrln("callgate: unit tests passed")
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
			fmt.Fprintf(w, "%s: every case already has answers\n", card.Line(f.file))
			return
		}
		fmt.Fprintf(w, "%s: answers written to %d cases; review whether they are right\n", card.Line(f.file), written)
		if written < len(filled) {
			fmt.Fprintln(w, "fix the module where it fails; if failing is right, write error: true in the case")
		}
	})
	if err == nil && written < len(filled) {
		err = exit(exitDeny)
	}
	return err
}
