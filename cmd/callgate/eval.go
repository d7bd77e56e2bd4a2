package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/eval"
	"github.com/callgate/callgate/host/eval/corpus"
)

func evalCommand(c *cli) *cobra.Command {
	var tools, cases string
	cmd := &cobra.Command{
		Use:     "eval [FILE...]",
		GroupID: "gate",
		Short:   "Answer decision requests in JSON, one per line, without a daemon",
		Long: `Reads one JSON request per line from the files, or from standard input, and
writes one JSON answer per line in the same order. No daemon, no store, no
network; nothing is read from disk but the tool modules, and context.links
stand in for the file system. A bad line answers {"id", "error"}.

Operations: decide, match, read_only, tool_check, suggest, action, profile,
offered, command, frontmatter, inherit.

With --corpus it runs a directory of policy cases instead, one case per line:
DIR/must-allow/CLASS.jsonl, and so in DIR/must-not-allow, suggestions, match,
actions.
It prints a table of classes and every wrong case, and exits with 0 when none is
wrong, 1 when some are, 3 when a line is no case. For example:

  {"command":"make deploy","allow":["make:*"],"deny":["make deploy:*"],
   "why":"people deploy, agents do not","source":"our policy"}   (on one line)`,
		Example: `  echo '{"id":1,"op":"decide","tool":"Bash","input":{"command":"ls"},"context":{"cwd":"/p"}}' | callgate eval
  callgate eval --tools ./my-modules cases.jsonl
  callgate eval --corpus ./policy`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if cmd.Flags().Changed("corpus") {
				if len(files) > 0 {
					return errors.New("--corpus: it takes no files of requests beside it")
				}
				return c.evalCorpus(cmd, cases, tools)
			}
			return evalRequests(cmd, files, tools)
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "", "directory of more tool modules; they get every grant")
	cmd.Flags().StringVar(&cases, "corpus", "", "directory of policy cases to run instead")
	return cmd
}

// evalRequests answers the requests of the files, or of standard input.
func evalRequests(cmd *cobra.Command, files []string, tools string) (err error) {
	if err := needModules(); err != nil {
		return err
	}
	in, closeAll, err := inputs(cmd.InOrStdin(), files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	if len(files) == 0 && typedByHand(cmd.InOrStdin()) {
		cmd.PrintErrln("callgate: type one JSON request per line; control-D ends it")
	}
	return withEvaluator(cmd, tools, func(e *eval.Evaluator) error {
		return e.Run(cmd.Context(), in, cmd.OutOrStdout())
	})
}

// evalCorpus runs the policy cases below dir.
func (c *cli) evalCorpus(cmd *cobra.Command, dir, tools string) error {
	cases, err := corpus.Load(dir)
	if err != nil {
		return fmt.Errorf("--corpus: %w", err)
	}
	if err := needModules(); err != nil {
		return err
	}
	return withEvaluator(cmd, tools, func(e *eval.Evaluator) error {
		report, err := cases.Run(cmd.Context(), e)
		if err != nil {
			return err
		}
		var failed error
		err = c.print(cmd.OutOrStdout(), report, func(w io.Writer) { failed = report.Print(w) })
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		if !report.OK() {
			return exit(exitDeny)
		}
		return nil
	})
}

// withEvaluator runs f with an evaluator over the modules that came along and
// those of a directory.
func withEvaluator(cmd *cobra.Command, tools string, f func(*eval.Evaluator) error) (err error) {
	modules, err := evalModules(tools)
	if err != nil {
		return err
	}
	dirs, err := config.UserDirs()
	if err != nil {
		return err
	}
	runtime, catalog, err := host.OpenCatalog(cmd.Context(), firstParty(cmd, dirs), modules)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runtime.Close(cmd.Context())) }()
	for _, p := range catalog.Problems() {
		cmd.PrintErrln("callgate:", p)
	}
	return f(eval.New(catalog))
}

// evalModules gives every module of the directory all grants: eval answers
// what a tool says, it gates nothing.
func evalModules(dir string) (config.Modules, error) {
	m := config.Modules{Dir: dir, Grants: map[string]config.Grant{}}
	if dir == "" {
		return m, nil
	}
	if _, err := os.ReadDir(dir); err != nil {
		return m, fmt.Errorf("--tools: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.wasm"))
	for _, f := range files {
		m.Grants[filepath.Base(f)] = config.Grant{MayAllow: true, MayReadOnly: true}
	}
	return m, err
}

// inputs joins the files, or takes stdin when there are none.
func inputs(stdin io.Reader, files []string) (io.Reader, func() error, error) {
	if len(files) == 0 {
		return stdin, func() error { return nil }, nil
	}
	var opened []*os.File
	closeAll := func() error {
		var errs []error
		for _, f := range opened {
			errs = append(errs, f.Close())
		}
		return errors.Join(errs...)
	}
	readers := make([]io.Reader, 0, len(files))
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, errors.Join(err, closeAll())
		}
		opened = append(opened, f)
		readers = append(readers, f)
	}
	return io.MultiReader(readers...), closeAll, nil
}
