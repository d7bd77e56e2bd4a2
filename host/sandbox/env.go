package sandbox

import (
	"context"
	"encoding/binary"
	"log/slog"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// envModule is the module from which Extism guests import the host.
const envModule = "extism:host/env"

// logLevel is what get_log_level answers: warnings. It is the same with and
// without a logger, or a guest's behavior would depend on the operator's.
const logLevel = 3

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// hostFunction is one import of the guest. It takes its arguments from stack
// and leaves its result in stack[0].
type hostFunction struct {
	name            string
	params, results []api.ValueType
	run             func(k *kernel, stack []uint64)
}

func sig(types ...api.ValueType) []api.ValueType { return types }

// envFunctions are the 32 functions of the ABI. Source: the Extism kernel,
// libextism 1.x; where it trusts a guest's offset, this one traps.
var envFunctions = []hostFunction{
	// Memory.
	{"alloc", sig(i64), sig(i64), func(k *kernel, s []uint64) { s[0] = k.arena.alloc(s[0]) }},
	{"free", sig(i64), nil, func(k *kernel, s []uint64) { k.free(s[0]) }},
	{"length", sig(i64), sig(i64), func(k *kernel, s []uint64) { s[0] = k.arena.length(s[0]) }},
	{"length_unsafe", sig(i64), sig(i64), func(k *kernel, s []uint64) { s[0] = k.arena.length(s[0]) }},
	{"load_u8", sig(i64), sig(i32), func(k *kernel, s []uint64) { s[0] = uint64(k.check("load_u8", s[0], 1)[0]) }},
	{"load_u64", sig(i64), sig(i64), func(k *kernel, s []uint64) {
		s[0] = binary.LittleEndian.Uint64(k.check("load_u64", s[0], 8))
	}},
	{"store_u8", sig(i64, i32), nil, func(k *kernel, s []uint64) { k.check("store_u8", s[0], 1)[0] = byte(s[1]) }},
	{"store_u64", sig(i64, i64), nil, func(k *kernel, s []uint64) {
		binary.LittleEndian.PutUint64(k.check("store_u64", s[0], 8), s[1])
	}},
	{"reset", nil, nil, func(k *kernel, _ []uint64) { k.arena.reset(); k.clearCall() }},
	{"memory_bytes", nil, sig(i64), func(k *kernel, s []uint64) { s[0] = uint64(len(k.arena.bytes)) }},

	// Input.
	{"input_length", nil, sig(i64), func(k *kernel, s []uint64) { s[0] = k.inputLength }},
	{"input_offset", nil, sig(i64), func(k *kernel, s []uint64) { s[0] = k.input }},
	{"input_load_u8", sig(i64), sig(i32), func(k *kernel, s []uint64) { s[0] = k.loadInput(s[0], 1) }},
	{"input_load_u64", sig(i64), sig(i64), func(k *kernel, s []uint64) { s[0] = k.loadInput(s[0], 8) }},
	{"input_set", sig(i64, i64), nil, func(k *kernel, s []uint64) {
		if s[1] != 0 {
			k.check("input_set", s[0], s[1])
		}
		k.input, k.inputLength = s[0], s[1]
	}},

	// Output and error. The range is judged after the call: the last one wins.
	{"output_set", sig(i64, i64), nil, func(k *kernel, s []uint64) { k.output, k.outputLength = s[0], s[1] }},
	{"output_length", nil, sig(i64), func(k *kernel, s []uint64) { s[0] = k.outputLength }},
	{"output_offset", nil, sig(i64), func(k *kernel, s []uint64) { s[0] = k.output }},
	{"error_set", sig(i64), nil, func(k *kernel, s []uint64) { k.failure, k.failed = s[0], s[0] != 0 }},
	{"error_get", nil, sig(i64), func(k *kernel, s []uint64) { s[0] = k.failure }},

	// Configuration and variables: nothing is ever there. The operator's
	// configuration comes in the envelope, and no call may leave a trace.
	{"config_get", sig(i64), sig(i64), func(_ *kernel, s []uint64) { s[0] = 0 }},
	{"var_get", sig(i64), sig(i64), func(_ *kernel, s []uint64) { s[0] = 0 }},
	{"var_set", sig(i64, i64), nil, func(*kernel, []uint64) {}},

	// HTTP: refused.
	{"http_request", sig(i64, i64), sig(i64), func(*kernel, []uint64) {
		panic(&trap{kind: KindTrap, message: "http_request: a tool module has no network"})
	}},
	{"http_status_code", nil, sig(i32), func(_ *kernel, s []uint64) { s[0] = 0 }},
	{"http_headers", nil, sig(i64), func(_ *kernel, s []uint64) { s[0] = 0 }},

	// Log.
	{"log_trace", sig(i64), nil, logAt(slog.LevelDebug - 4)},
	{"log_debug", sig(i64), nil, logAt(slog.LevelDebug)},
	{"log_info", sig(i64), nil, logAt(slog.LevelInfo)},
	{"log_warn", sig(i64), nil, logAt(slog.LevelWarn)},
	{"log_error", sig(i64), nil, logAt(slog.LevelError)},
	{"get_log_level", nil, sig(i32), func(_ *kernel, s []uint64) { s[0] = logLevel }},
}

func logAt(level slog.Level) func(*kernel, []uint64) {
	return func(k *kernel, s []uint64) { k.log(level, s[0]) }
}

// export adds f to b, bound to the kernel of the calling instance.
func (f hostFunction) export(b wazero.HostModuleBuilder) {
	b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
		f.run(kernelOf(ctx), stack)
	}), f.params, f.results).Export(f.name)
}

// linkEnv makes the ABI's functions importable in r.
func linkEnv(ctx context.Context, r wazero.Runtime) (api.Module, error) {
	b := r.NewHostModuleBuilder(envModule)
	for _, f := range envFunctions {
		f.export(b)
	}
	return b.Instantiate(ctx)
}
