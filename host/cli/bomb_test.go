package cli

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
)

// writeBomb writes a small module costing its compiler minutes and gigabytes: loops nested
// 50,000 deep.
func writeBomb(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: bomb FILE")
	}
	const depth = 50_000
	body := slices.Concat([]byte{0}, bytes.Repeat([]byte{3, 0x40}, depth), bytes.Repeat([]byte{0x0b}, depth+1))
	code := append(binary.AppendUvarint([]byte{1}, uint64(len(body))), body...)
	module := slices.Concat([]byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a"), binary.AppendUvarint(nil, uint64(len(code))), code)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), module, 0o600))
}
