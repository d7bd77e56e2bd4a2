package claudecode_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
)

// A hook without its daemon denies: the client blocks on exit code 2 and gives stderr to the
// model.
func ExampleHook_Run() {
	hook := claudecode.Hook{Connect: func() (runner.Daemon, error) {
		return nil, fmt.Errorf("%w. Start it: callgate serve", caller.ErrNoDaemon)
	}}
	answer := hook.Run(context.Background(), strings.NewReader(payload(nil)))
	fmt.Println("exit code", answer.Give(io.Discard, os.Stdout))
	// Output:
	// Denied: the daemon is not running. Start it: callgate serve. Ask the user to run this command. Do not retry before that.
	// exit code 2
}
