package pin_test

import (
	"os"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/pin"
)

// BenchmarkTerminal is the price of every check over a socket.
func BenchmarkTerminal(b *testing.B) {
	for b.Loop() {
		_, _ = pin.Look(os.Getpid()).Terminal() // there may be none
	}
}
