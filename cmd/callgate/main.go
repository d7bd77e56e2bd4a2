// Callgate decides, before it happens, whether an AI agent may make a tool
// call: allow, deny, or ask a human.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the Makefile.
var version = "dev"

// The exit codes. Source: design section 10.
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

func main() { os.Exit(run()) }

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
		return guarded(func() int { return execute(root) })
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
	fmt.Fprintln(os.Stderr, "callgate:", err)
	return exitError
}
