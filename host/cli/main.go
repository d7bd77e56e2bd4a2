// Package cli is the program callgate: its commands, one file each, and [Main], which runs the one
// named by the arguments. It owns the input and output of a person at a terminal. It may import
// every package of the host, and the modules and SDKs inside the program; cmd/callgate calls it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/hook/process"
	_ "github.com/callgate/callgate/host/internal/hook/process/early" // runs an installed hook
)

// version is set by Main.
var version = "dev"

// The exit codes, for scripts; hook follows its client's.
const (
	exitAllow = 0
	exitDeny  = 1
	exitAsk   = 2
	exitError = 3
)

// exit is an answer given by exit code; it is no failure and prints nothing.
type exit int

// Error implements error.
func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Main runs the command in os.Args and returns the exit code of the process: 0 allow or success, 1
// deny, 2 ask or time-out, 3 error or usage. v is the version of the program; empty means the one
// written into the binary by `go install`, or "dev". It is called once.
func Main(v string) int {
	version = process.Version(v)
	return run()
}

func run() int {
	if compiles(os.Args[1:]) {
		return compileModule()
	}
	root := newRoot()
	if err := tokenAmong(root, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "callgate:", err)
		return exitError
	}
	if judges(root, os.Args[1:]) {
		return process.Guarded(func() int { return execute(root) })
	}
	return execute(root)
}

func execute(root *cobra.Command) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := root.ExecuteContext(ctx)
	var code exit
	switch {
	case err == nil:
		return exitAllow
	case errors.As(err, &code):
		return int(code)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintln(os.Stderr, "callgate:", err)
	return exitError
}
