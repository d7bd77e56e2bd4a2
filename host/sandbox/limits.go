package sandbox

import "time"

// PageSize is the size of one page of WebAssembly memory in bytes.
const PageSize = 65536

// Limits bound what one module may use. A zero field means its default.
type Limits struct {
	// MemoryPages caps a guest's linear memory, in pages of 64 KiB. Default
	// 1024 (64 MiB). memory.grow beyond it fails inside the guest.
	MemoryPages uint32
	// Timeout is the wall-clock time of one call. Default 1 s. Starting an
	// instance may take ten times as long.
	Timeout time.Duration
	// InputBytes and OutputBytes cap what a call reads and answers. Defaults
	// 16 MiB and 1 MiB.
	InputBytes  int
	OutputBytes int
	// ModuleBytes caps the .wasm file. Default 32 MiB.
	ModuleBytes int
	// LogBytes caps what one call may log. Default 16 KiB; the rest is dropped.
	LogBytes int
	// TableEntries caps each table of a guest. Default 65,536.
	TableEntries uint32
}

// startFactor is how much longer than a call the start of an instance may take.
const startFactor = 10

// arenaSlack is what the host memory of a call holds beside one input and one
// output: log messages, keys, and what a guest allocates and frees.
const arenaSlack = 8 << 20

var defaults = Limits{
	MemoryPages:  1024,
	Timeout:      time.Second,
	InputBytes:   16 << 20,
	OutputBytes:  1 << 20,
	ModuleBytes:  32 << 20,
	LogBytes:     16 << 10,
	TableEntries: 65536,
}

// or returns l with each zero field taken from base.
func (l Limits) or(base Limits) Limits {
	pick(&l.MemoryPages, base.MemoryPages)
	pick(&l.Timeout, base.Timeout)
	pick(&l.InputBytes, base.InputBytes)
	pick(&l.OutputBytes, base.OutputBytes)
	pick(&l.ModuleBytes, base.ModuleBytes)
	pick(&l.LogBytes, base.LogBytes)
	pick(&l.TableEntries, base.TableEntries)
	return l
}

func pick[T comparable](field *T, base T) {
	var zero T
	if *field == zero {
		*field = base
	}
}

func (l Limits) arenaBytes() int { return l.InputBytes + l.OutputBytes + arenaSlack }
