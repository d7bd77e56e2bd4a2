package assembly_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// verbs are the exports of a tool module in the order of the harmless functions in the modules
// of testdata/hostile (see common.inc); describe_call is an addition.
var verbs = []string{
	sandbox.Describe, sandbox.CheckPermissions, sandbox.CheckReadOnly, sandbox.MatchRule, sandbox.GenerateSuggestions,
}

// hostileIn gives a module of testdata/hostile, with a bad check_permissions, its bad function
// under another verb instead; all others answer harmlessly.
func hostileIn(t *testing.T, name, verb string) []byte {
	t.Helper()
	wasm, err := os.ReadFile(repo.File("testdata", "hostile", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	head, exports, tail := splitExports(t, wasm)
	bad := exports.function(sandbox.CheckPermissions)
	first := exports.function(sandbox.Describe)
	for i, v := range verbs {
		exports.set(v, first+uint64(i))
	}
	exports.set(verb, bad)
	return slices.Concat(head, exports.encode(), tail)
}

// export is one entry of a module's export section.
type export struct {
	name  string
	kind  byte
	index uint64
}

type exports []export

const exportSection = 7

// splitExports reads a module's export section, and the parts around it.
func splitExports(t *testing.T, wasm []byte) (head []byte, list exports, tail []byte) {
	t.Helper()
	for at := 8; at < len(wasm); {
		id := wasm[at]
		size, n := binary.Uvarint(wasm[at+1:])
		start := at + 1 + n
		end := start + int(size)
		if id == exportSection {
			return wasm[:at], readExports(wasm[start:end]), wasm[end:]
		}
		at = end
	}
	t.Fatal("the module has no exports")
	return nil, nil, nil
}

func readExports(data []byte) (list exports) {
	next := func() uint64 {
		v, n := binary.Uvarint(data)
		data = data[n:]
		return v
	}
	for range next() {
		n := next()
		e := export{name: string(data[:n]), kind: data[n]}
		data = data[n+1:]
		e.index = next()
		list = append(list, e)
	}
	return list
}

func (x exports) function(name string) uint64 {
	return x[slices.IndexFunc(x, func(e export) bool { return e.name == name })].index
}

func (x *exports) set(name string, function uint64) {
	if i := slices.IndexFunc(*x, func(e export) bool { return e.name == name }); i >= 0 {
		(*x)[i].index = function
		return
	}
	*x = append(*x, export{name: name, index: function})
}

func (x exports) encode() []byte {
	body := binary.AppendUvarint(nil, uint64(len(x)))
	for _, e := range x {
		body = append(binary.AppendUvarint(body, uint64(len(e.name))), e.name...)
		body = binary.AppendUvarint(append(body, e.kind), e.index)
	}
	return append(binary.AppendUvarint([]byte{exportSection}, uint64(len(body))), body...)
}

// TestHostileIn: the tests' own rewriting leaves a module as it was when the
// bad function stays where it is.
func TestHostileIn(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(repo.File("testdata", "hostile", "trap.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if got := hostileIn(t, "trap", sandbox.CheckPermissions); !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, want the %d of trap.wasm unchanged", len(got), len(want))
	}
}
