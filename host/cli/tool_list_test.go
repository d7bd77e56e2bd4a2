package cli

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/wire"
)

// T18: a file in the directory of modules had terminal controls in its name, and the list
// printed them unchanged: it could show another state.
func TestPrintModules_hostileFile(t *testing.T) {
	t.Parallel()
	const file = "x\x1b[2J\n\u202egood.wasm  deploy  pinned"
	var out strings.Builder
	printModules(&out, wire.ModuleList{Modules: []wire.Module{{ModuleInfo: wire.ModuleInfo{File: file, State: wire.ModuleRefused, Problem: "no name"}}}})
	if got := out.String(); strings.ContainsAny(got, "\x1b\u202e") || strings.Count(got, "\n") != 3 || !strings.Contains(got, "refused") {
		t.Errorf("got %q", got)
	}
}
