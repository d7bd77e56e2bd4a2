package claudecode_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/callgate/callgate/host/hook/claudecode"
)

// A hook that cannot reach its daemon denies: the client blocks on exit code 2 and
// gives the model what is on stderr.
func ExampleHook_Run() {
	hook := claudecode.Hook{Connect: func() (claudecode.Daemon, error) { return nil, errors.New("no daemon listens") }}
	answer := hook.Run(context.Background(), strings.NewReader(payload(nil)))
	fmt.Println("exit code", answer.Give(io.Discard, os.Stdout))
	// Output:
	// The call was denied because Callgate did not judge it: no daemon listens.
	// exit code 2
}
