package sandbox_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// BenchmarkBytes measures a guest's cost of reading its input from the host byte by byte: a
// loop over 64 KiB with a read, and one without. The difference by 65536 is the way to the
// kernel and back.
func BenchmarkBytes(b *testing.B) {
	r := newRuntime(b, sandbox.Limits{})
	input := strings.Repeat("\x00", 1<<16)
	m, free := warm(b, r.Load, "bytes", wasm(b, "bytes")), warm(b, r.LoadUnmetered, "bytes", wasm(b, "bytes"))
	report(b,
		variant("loop", hold(b, free).Call, sandbox.CheckReadOnly, input),
		variant("read", hold(b, free).Call, sandbox.CheckPermissions, input),
		variant("metered-loop", hold(b, m).Call, sandbox.CheckReadOnly, input),
		variant("metered-read", hold(b, m).Call, sandbox.CheckPermissions, input))
}
