package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
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

// compiler is the command for compiling tool modules; none for a program without a known file.
func compiler() []string {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{program, compileArgument}
}

// firstParty are the modules of the binary, for commands without a daemon.
func firstParty(cmd *cobra.Command, dirs config.Dirs) assembly.Tools {
	return assembly.Tools{Embedded: plugins.Modules(), CacheDir: dirs.Cache, Compiler: compiler(), Compiling: compiling(cmd)}
}
