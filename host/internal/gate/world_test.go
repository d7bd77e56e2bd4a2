package gate_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/gatetest"
)

// world is that of gatetest, with helpers for these tests.
type world struct{ *gatetest.World }

func newWorld(t *testing.T, yaml string) *world {
	t.Helper()
	return &world{gatetest.New(t, yaml)}
}

type tool = gatetest.Tool

const twoDirs = gatetest.TwoDirs

// worker is the check token of the agent "worker".
var (
	worker = gatetest.Worker
	call   = gatetest.Call
	value  = gatetest.Value
)
