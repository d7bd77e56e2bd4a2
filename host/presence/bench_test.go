package presence_test

import (
	"os"
	"testing"

	"github.com/callgate/callgate/host/presence"
)

// BenchmarkTerminal is what every check over a socket pays.
func BenchmarkTerminal(b *testing.B) {
	for b.Loop() {
		_, _ = presence.Look(os.Getpid()).Terminal() // there may be none
	}
}
