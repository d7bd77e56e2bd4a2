package kernel

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

func sig(types ...api.ValueType) []api.ValueType { return types }

// hostFunction is a host function in Go. It takes its arguments from stack and leaves its
// result in stack[0]; cost is its fuel, some two units for each nanosecond, however short the
// work: entering Go takes time.
type hostFunction struct {
	name            string
	params, results []api.ValueType
	cost            int64
	run             func(k *Kernel, guest api.Module, stack []uint64)
}

// goCost is the fuel of coming to Go and back.
const goCost = 100

// envFunctions are kernel.wat's imports; except for the first two it re-exports them unchanged.
// Source: the Extism kernel, libextism 1.x; where it trusts a guest's offset, this one traps.
var envFunctions = []hostFunction{
	{"outside", sig(i32, i64, i64), nil, 0, func(_ *Kernel, _ api.Module, s []uint64) {
		panic(outside(checked[uint32(s[0])], s[1], s[2]))
	}},
	{"more", sig(i64), sig(i32), 0, func(k *Kernel, _ api.Module, s []uint64) {
		end := s[0]
		s[0] = 0
		if end <= k.memory.most {
			if t := k.more(end); t != nil {
				panic(t)
			}
			s[0] = 1
		}
	}},
	{"config_get", sig(i64), sig(i64), goCost, configGet},
	{"var_get", sig(i64), sig(i64), goCost, varGet},
	{"var_set", sig(i64, i64), nil, goCost, varSet},
	{"http_request", sig(i64, i64), sig(i64), goCost, func(*Kernel, api.Module, []uint64) {
		panic(&Trap{Kind: KindTrap, Message: "http_request: a tool module has no network"})
	}},
	{"log_warn", sig(i64), nil, goCost, logAt(slog.LevelWarn)},
	{"log_error", sig(i64), nil, goCost, logAt(slog.LevelError)},
}

// checked are the names of the functions with calls to the outside, by their numbers in
// kernel.wat.
var checked = [...]string{"load_u8", "store_u8", "load_u64", "store_u64", "input_set"}

func outside(name string, offset, length uint64) *Trap {
	return &Trap{Kind: KindTrap, Message: fmt.Sprintf("%s: offset %d, length %d is outside the host memory", name, offset, length)}
}

// configGet answers from the call's configuration. An empty value equals none, since offset 0
// means both. During an instance's start there is no call yet: the answer "none" would stay in
// the module for good and undo the operator's setting.
func configGet(k *Kernel, guest api.Module, s []uint64) {
	if !k.called {
		panic(&Trap{Kind: KindTrap, Message: "config_get while the module starts: the configuration belongs to a call, read it in the verbs"})
	}
	key := k.key(guest, s[0])
	s[0] = 0
	if key == nil || k.config == nil {
		return
	}
	if value, ok := k.config(string(key)); ok {
		s[0] = k.give(guest, "config_get", []byte(value))
	}
}

// byteCost is how many bytes copied by Go for a guest cost one unit of fuel.
const byteCost = 16

// keyMost caps the name of a variable or of a configuration's member: Go hashes
// all of it before the guest can be stopped.
const keyMost = 64 << 10

// key returns the name in a guest's block, nil when there is none there.
func (k *Kernel) key(guest api.Module, offset uint64) []byte {
	data := k.bytes(guest, offset)
	if len(data) > keyMost {
		panic(&Trap{Kind: KindTrap, Message: fmt.Sprintf("a key of %d bytes: at most %d", len(data), keyMost)})
	}
	return data
}

// bytes returns the content of a guest's block, nil when there is none.
func (k *Kernel) bytes(guest api.Module, offset uint64) []byte {
	data, _ := k.memory.block(offset)
	k.charge(guest, int64(len(data))/byteCost)
	return data
}

// give hands data to the guest as a new block.
func (k *Kernel) give(guest api.Module, function string, data []byte) uint64 {
	k.charge(guest, int64(len(data))/byteCost)
	offset, t := k.put(data)
	if t != nil {
		t.Message = function + ": " + t.Message
		panic(t)
	}
	return offset
}

// export adds f to b, for the kernel of the calling instance.
func (f hostFunction) export(b wazero.HostModuleBuilder) {
	b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, guest api.Module, stack []uint64) {
		k := kernelOf(ctx)
		if f.cost > 0 {
			k.charge(guest, f.cost)
		}
		f.run(k, guest, stack)
	}), f.params, f.results).Export(f.name)
}

// linkHost makes functions importable in r, as those of a module.
func linkHost(ctx context.Context, r wazero.Runtime, module string, functions []hostFunction) (api.Module, error) {
	b := r.NewHostModuleBuilder(module)
	for _, f := range functions {
		f.export(b)
	}
	return b.Instantiate(ctx)
}
