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
)

func evalCommand(*cli) *cobra.Command {
	var tools string
	cmd := &cobra.Command{
		Use:     "eval [FILE...]",
		GroupID: "gate",
		Short:   "Answer decision requests in JSON, one per line, without a daemon",
		Long: `Reads one JSON request per line from the files, or from standard input, and
writes one JSON answer per line in the same order. No daemon, no store, no
network; nothing is read from disk but the tool modules, and context.links
stand in for the file system. A bad line answers {"id", "error"}.

Operations: decide, match, read_only, tool_check, suggest, action, profile,
offered, command, frontmatter, inherit.`,
		Example: `  echo '{"id":1,"op":"decide","tool":"Bash","input":{"command":"ls"},"context":{"cwd":"/p"}}' | callgate eval
  callgate eval --tools ./my-modules cases.jsonl`,
		RunE: func(cmd *cobra.Command, files []string) (err error) {
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
			modules, err := evalModules(tools)
			if err != nil {
				return err
			}
			dirs, err := config.UserDirs()
			if err != nil {
				return err
			}
			runtime, tools, err := host.OpenCatalog(cmd.Context(), firstParty(cmd, dirs), modules)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, runtime.Close(cmd.Context())) }()
			for _, p := range tools.Problems() {
				cmd.PrintErrln("callgate:", p)
			}
			e := eval.New(tools)
			return e.Run(cmd.Context(), in, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "", "directory of more tool modules; they get every grant")
	return cmd
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
