package codecache_test

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/codecache"
)

// code is the engine's file of two functions, with a place in the module and one exception with
// two clauses.
func code(second, place uint64) []byte {
	native := []byte("machine code")
	le := binary.LittleEndian
	out := []byte("WAZEVO\x03dev\x02\x00\x00\x00")
	out = le.AppendUint64(le.AppendUint64(out, 0), second)
	out = append(le.AppendUint64(out, uint64(len(native))), native...)
	out = le.AppendUint32(out, crc32.Checksum(native, crc32.MakeTable(crc32.Castagnoli)))
	out = le.AppendUint64(append(out, 1), 1)
	out = le.AppendUint64(le.AppendUint64(out, 1<<40), place)
	return slices.Concat(le.AppendUint32(le.AppendUint32(out, 1), 2), make([]byte, 10))
}

// TestCheckCode: nothing may be missing, too much or outside of the code.
func TestCheckCode(t *testing.T) {
	t.Parallel()
	good := code(4, 11)
	if err := codecache.CheckCode(good, 2); err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if err := codecache.CheckCode(good[:n], 2); err == nil {
			t.Errorf("%d bytes are taken", n)
		}
	}
	for name, bad := range map[string][]byte{
		"longer": append(slices.Clone(good), 0), "function outside": code(12, 11), "place outside": code(4, 12), "far outside": code(1<<63, 1<<63),
	} {
		if err := codecache.CheckCode(bad, 2); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	for _, n := range []int{0, 1, 3, 1 << 30} {
		if err := codecache.CheckCode(good, n); err == nil {
			t.Errorf("it is taken for %d functions", n)
		}
	}
}

// FuzzCheckCode: for any bytes, the check ends.
func FuzzCheckCode(f *testing.F) {
	f.Add(code(4, 11), 2)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		if codecache.CheckCode(data, n&0xffff) == nil && len(data) < 8*(n&0xffff) {
			t.Error("the functions have no room")
		}
	})
}
