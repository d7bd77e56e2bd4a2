//go:build !unix

package claudecode

import (
	"context"
	"os"
)

// WatchClient cannot tell here that a client is gone: an ask of a killed client
// waits until its time is over.
func WatchClient(ctx context.Context, _ *os.File, _ func()) { <-ctx.Done() }
