package cli

import (
	"bytes"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// patched FROM TO OLD NEW... writes FROM to TO with each OLD replaced by a NEW of the same
// length, so a module stays one.
func patched(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 4 || len(args)%2 != 0 {
		ts.Fatalf("usage: patched FROM TO OLD NEW...")
	}
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	for i := 2; i < len(args); i += 2 {
		before, after := []byte(args[i]), []byte(args[i+1])
		if len(before) != len(after) || !bytes.Contains(data, before) {
			ts.Fatalf("%q is not there, or is not as long as %q", before, after)
		}
		data = bytes.ReplaceAll(data, before, after)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}
