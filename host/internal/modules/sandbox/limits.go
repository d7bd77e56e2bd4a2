package sandbox

import (
	"runtime"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/kernel"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
)

// PageSize is the size of one page of WebAssembly memory in bytes.
const PageSize = memory.PageSize

// Limits bound one module. A zero field means its default. Each has a name, in its field's
// comment, for errors and the operator's configuration.
type Limits struct {
	// ModuleBytes (module_kib) caps the .wasm file. Default 32 MiB.
	ModuleBytes int
	// Functions (functions) caps the functions a module defines. Default 65,536.
	Functions int
	// Globals (globals) caps its globals. Default 10,000.
	Globals int
	// TableEntries (table_entries) caps each of its tables, at most 16. Default 65,536.
	TableEntries uint32
	// CompileTime (compile_time) ends a compilation after more time on each processor, or ten
	// times as long on the clock; in this process, as long on the clock. Default 60 s.
	CompileTime time.Duration
	// CompileBytes (compile_mib) ends a compilation with more memory. Default 1 GiB.
	CompileBytes int64

	// MemoryPages (memory_mib) caps a guest's linear memory, in pages of 64 KiB.
	// Default 1024 (64 MiB). memory.grow beyond it fails inside the guest.
	MemoryPages uint32
	// StackBytes (stack_kib) caps a guest's stack of calls. Default 8 MiB.
	StackBytes int
	// Fuel (fuel) is the budget of one call; one instruction takes about one. The same call of
	// the same module uses the same fuel on every machine. Default 600,000,000: about 100 ms of
	// a compiled guest, and less than half a second of the slowest instructions known. Starting
	// an instance may use ten times as much.
	Fuel int64
	// Timeout (timeout) is the wall-clock time of one call, should fuel not end it earlier,
	// less the time it yielded to others. Default 1 s. Starting an instance may take ten times
	// as long.
	Timeout time.Duration
	// InputBytes (input_kib) and OutputBytes (output_kib) cap a call's input and output.
	// Defaults 16 MiB and 1 MiB.
	InputBytes  int
	OutputBytes int
	// LogLines (log_lines) and LogBytes (log_kib) cap the log of one call. Defaults 64 and 16
	// KiB; the rest is dropped, with one line about it.
	LogLines int
	LogBytes int
	// ErrorBytes (error_bytes) caps the module's words in an Error. Default 512.
	ErrorBytes int
	// Instances (instances) caps the concurrent calls of the module; more wait. Default twice
	// the processors.
	Instances int
}

// startFactor is how much more time and fuel than a call the start of an
// instance may take.
const startFactor = 10

// arenaSlack is the host memory of a call beside one input and one output: log messages, keys,
// and the guest's allocations.
const arenaSlack = 8 << 20

var defaults = Limits{
	ModuleBytes:  32 << 20,
	Functions:    65536,
	Globals:      10000,
	TableEntries: 65536,
	CompileTime:  time.Minute,
	CompileBytes: 1 << 30,
	MemoryPages:  1024,
	StackBytes:   8 << 20,
	Fuel:         600_000_000,
	Timeout:      time.Second,
	InputBytes:   16 << 20,
	OutputBytes:  1 << 20,
	LogLines:     64,
	LogBytes:     16 << 10,
	ErrorBytes:   512,
	Instances:    2 * runtime.GOMAXPROCS(0), // twice, since calls may wait for processors
}

// or returns l with each zero field taken from base.
func (l Limits) or(base Limits) Limits {
	for _, s := range settings {
		if s.get(&l) == 0 {
			s.put(&l, s.get(&base))
		}
	}
	return l
}

// kernel are those enforced on the host's side of a call.
func (l Limits) kernel() kernel.Limits {
	return kernel.Limits{
		Fuel: l.Fuel, Timeout: l.Timeout, StackBytes: l.StackBytes,
		ArenaBytes: l.InputBytes + l.OutputBytes + arenaSlack, OutputBytes: l.OutputBytes,
		LogLines: l.LogLines, LogBytes: l.LogBytes, ErrorBytes: l.ErrorBytes,
	}
}
