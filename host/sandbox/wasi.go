package sandbox

import (
	"context"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

const wasiModule = wasi_snapshot_preview1.ModuleName

// The WASI error numbers that the empty world answers with.
const (
	wasiOK     = 0
	wasiBadf   = 8
	wasiNotsup = 58
)

// statelessWASI replaces the functions of WASI that change the table of open
// files. Only standard input and outputs are open, and a call that closed one
// would be seen by the next; here they stay as they are.
var statelessWASI = []hostFunction{
	{"fd_close", sig(i32), sig(i32), standardOnly},
	{"fd_fdstat_set_flags", sig(i32, i32), sig(i32), standardOnly},
	{"fd_renumber", sig(i32, i32), sig(i32), func(_ *kernel, s []uint64) { s[0] = wasiNotsup }},
}

func standardOnly(_ *kernel, s []uint64) {
	if uint32(s[0]) <= 2 {
		s[0] = wasiOK
		return
	}
	s[0] = wasiBadf
}

// linkWASI makes the empty WASI preview 1 importable in r.
func linkWASI(ctx context.Context, r wazero.Runtime) (api.Module, error) {
	b := r.NewHostModuleBuilder(wasiModule)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	for _, f := range statelessWASI {
		f.export(b)
	}
	return b.Instantiate(ctx)
}

// epoch is the time in every sandbox: 2026-01-01T00:00:00Z.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// config returns the world an instance with this kernel lives in. The clock
// moves only by what the guest sleeps, or a sleeping guest would wait for ever.
func (k *kernel) config() wazero.ModuleConfig {
	return wazero.NewModuleConfig().
		WithName("").
		WithStartFunctions().
		WithRandSource(randReader{k}).
		WithNanosleep(func(ns int64) { k.sleep(ns) }).
		WithNanotime(func() int64 { return int64(uptime + k.slept) }, sys.ClockResolution(time.Millisecond)).
		WithWalltime(func() (int64, int32) {
			now := epoch.Add(k.slept)
			return now.Unix(), int32(now.Nanosecond())
		}, sys.ClockResolution(time.Millisecond))
}

// uptime is what the monotonic clock begins with: Go guests do not start at zero.
const uptime = time.Second

// maxSlept keeps the virtual clock from running over.
const maxSlept = 1 << 60

func (k *kernel) sleep(ns int64) {
	if ns > 0 && ns <= int64(maxSlept-k.slept) {
		k.slept += time.Duration(ns)
	}
}

type randReader struct{ k *kernel }

// Read implements io.Reader.
func (r randReader) Read(p []byte) (int, error) { return r.k.rand.Read(p) }
