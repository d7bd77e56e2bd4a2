package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/toolkit/eval"
	"github.com/callgate/callgate/host/internal/toolkit/eval/corpus"
)

func evalCommand(c *cli) *cobra.Command {
	var tools, cases, kept string
	cmd := &cobra.Command{
		Use:     "eval [FILE...]",
		GroupID: "gate",
		Short:   "Answer decision requests in JSON, one per line, without a daemon",
		Long: `Reads one JSON request per line from the files or standard input and writes one JSON
answer per line, in the same order. Uses no daemon, store or network, and reads
nothing from disk but the tool modules; context.links replaces the file system.
A bad line is answered with {"id", "error"}.

Operations: decide, match, read_only, tool_check, suggest, action, profile,
offered, command, frontmatter, inherit.

--corpus runs a directory of policy cases instead, one case per line:
DIR/must-allow/CLASS.jsonl, and the same in DIR/must-not-allow, suggestions, match,
actions. It prints a table of classes and every wrong case. Exit code 0: none is
wrong, 1: some are, 3: a line is not a case. For example:

  {"command":"make deploy","allow":["make:*"],"deny":["make deploy:*"],
   "why":"people deploy, agents do not","source":"our policy"}   (on one line)`,
		Example: `  echo '{"id":1,"op":"decide","tool":"Bash","input":{"command":"ls"},"context":{"cwd":"/p"}}' | callgate eval
  callgate eval --tools ./my-modules cases.jsonl
  callgate eval --corpus ./policy`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if cmd.Flags().Changed("corpus") {
				if len(files) > 0 {
					return errors.New("--corpus cannot be combined with request files")
				}
				return c.evalCorpus(cmd, cases, tools, kept)
			}
			if kept != "" {
				return errors.New("--answers needs --corpus; otherwise the answers go to standard output")
			}
			return evalRequests(cmd, files, tools)
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "", "directory with more tool modules; they get every grant")
	cmd.Flags().StringVar(&cases, "corpus", "", "directory of policy cases to run instead")
	cmd.Flags().StringVar(&kept, "answers", "", "with --corpus: file for the full answers, one per line: FILE:LINE, question, JSON")
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
		cmd.PrintErrln("callgate: type one JSON request per line; end with control-D")
	}
	return withEvaluator(cmd, tools, func(e *eval.Evaluator) error {
		return e.Run(cmd.Context(), in, cmd.OutOrStdout())
	})
}

// evalCorpus runs the policy cases below dir, and writes the answers to kept unless it is empty.
func (c *cli) evalCorpus(cmd *cobra.Command, dir, tools, kept string) (err error) {
	cases, err := corpus.Load(dir)
	if err != nil {
		return fmt.Errorf("--corpus: %w", err)
	}
	if kept != "" {
		file, err := os.Create(kept)
		if err != nil {
			return fmt.Errorf("--answers: %w", err)
		}
		out := bufio.NewWriter(file)
		cases.Answers = out
		defer func() { err = errors.Join(err, out.Flush(), file.Close()) }()
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

// withEvaluator runs f with an evaluator over the embedded modules and those of a directory.
func withEvaluator(cmd *cobra.Command, tools string, f func(*eval.Evaluator) error) (err error) {
	modules, err := evalModules(tools)
	if err != nil {
		return err
	}
	dirs, err := config.UserDirs()
	if err != nil {
		return err
	}
	runtime, catalog, err := assembly.OpenCatalog(cmd.Context(), firstParty(cmd, dirs), modules)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runtime.Close(cmd.Context())) }()
	for _, p := range catalog.Problems() {
		cmd.PrintErrln("callgate:", p)
	}
	return f(eval.New(catalog))
}

// evalModules gives every module of the directory all grants: eval returns a tool's answers, it
// gates nothing.
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
