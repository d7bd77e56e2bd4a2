package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/sandbox"
	"github.com/callgate/callgate/plugins"
)

// compileArgument makes this program the compiler of one tool module, for the
// sandbox of another of its processes. It is no command of people's.
const compileArgument = "compile-module"

func compiles(args []string) bool { return slices.Equal(args, []string{compileArgument}) }

func compileModule() int {
	if err := sandbox.CompileModule(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "callgate:", err)
		return exitError
	}
	return exitAllow
}

// compiler is the command that compiles tool modules; none where a program cannot
// tell which file it is.
func compiler() []string {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{program, compileArgument}
}

// firstParty are the modules of the binary, for commands that work without a daemon.
func firstParty(cmd *cobra.Command, dirs config.Dirs) host.Tools {
	return host.Tools{Embedded: plugins.Modules(), CacheDir: dirs.Cache, Compiler: compiler(), Compiling: compiling(cmd)}
}
