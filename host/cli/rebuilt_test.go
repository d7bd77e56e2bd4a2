package cli

import (
	"io/fs"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/plugins"
)

// rebuilt MODULE TO writes a built-in module to TO with an empty custom section at its
// end: the same module in other bytes.
func rebuilt(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: rebuilt MODULE TO")
	}
	data, err := fs.ReadFile(plugins.Modules(), args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), slices.Concat(data, []byte{0, 2, 1, 'r'}), 0o600))
}
