package main

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/modules"
)

// T18: a file in the directory of modules was named with what moves a terminal's
// cursor, and the list printed it as it was: it could show another state.
func TestPrintModules_hostileFile(t *testing.T) {
	t.Parallel()
	const file = "x\x1b[2J\n\u202egood.wasm  deploy  pinned"
	var out strings.Builder
	printModules(&out, modules.List{Modules: []modules.Module{{ModuleInfo: catalog.ModuleInfo{File: file, State: catalog.StandsRefused, Problem: "no name"}}}})
	if got := out.String(); strings.ContainsAny(got, "\x1b\u202e") || strings.Count(got, "\n") != 3 || !strings.Contains(got, "refused") {
		t.Errorf("got %q", got)
	}
}
