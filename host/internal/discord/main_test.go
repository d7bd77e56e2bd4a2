package discord

import (
	"os"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/testkit/paralleltest"
)

// hurried is the pace of these tests: link's own show Discord's.
var hurried = link.Pace{PerSecond: 1000, Identify: time.Millisecond, Invalid: 10 * time.Millisecond, First: 50 * time.Millisecond}

// Hurried makes a surface go at the tests' pace.
func Hurried(c Config) Config {
	c.pace = hurried
	return c
}

func TestMain(m *testing.M) {
	paralleltest.Raise()
	os.Exit(m.Run())
}
