package cli

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/daemon/assembly"
)

func TestScreenLog(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := slog.New(newScreenLog(&out))
	log.Info(assembly.LogCompiling, "module", "bash.wasm")
	log.Info(assembly.LogCompiling, "module", "standard.wasm")
	log.Info("serving", "address", "/run/callgate.sock", "config", "")
	log.Info(assembly.LogReady)
	log.Debug("not shown")
	log.With("tool", "Deploy").Warn("a module is suspended", "error", "its digest changed")
	want := `Compiling tool modules, first start only: bash.wasm, standard.wasm
Callgate is running (address /run/callgate.sock)
warn: a module is suspended (tool Deploy, error its digest changed)
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
