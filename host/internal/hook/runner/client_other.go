//go:build !unix

package runner

import (
	"context"
	"os"
)

// WatchClient cannot notice a client's end here: an ask of a killed client waits until its time is
// over.
func WatchClient(ctx context.Context, _, _ *os.File, _ func()) { <-ctx.Done() }
