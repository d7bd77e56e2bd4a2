package assembly_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// words keeps the log, a line an item.
type words chan string

func (w words) Write(line []byte) (int, error) {
	select {
	case w <- string(line):
	default: // beyond any reader
	}
	return len(line), nil
}

// TestModulesWarnIntoTheLog: a module's warnings reach the host's log, marked as its words.
func TestModulesWarnIntoTheLog(t *testing.T) {
	t.Parallel()
	wasm, err := os.ReadFile(repo.File("testdata", "modules", "abi.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "modules: {dev: true}\nagents: {default: {mode: default}}\n")
	if err := w.Host.Close(); err != nil {
		t.Fatal(err)
	}
	w.install("abi", wasm)
	lines := make(words, 64)
	w.log = slog.New(slog.NewTextHandler(lines, nil))
	w.open()
	w.evaluate("default", w.request("abi", object("command", "x")))
	for len(lines) > 0 {
		if line := <-lines; strings.Contains(line, `level=WARN msg="module says" module=abi.wasm text=hello`) {
			return
		}
	}
	t.Error("the module's warning is not in the log")
}
