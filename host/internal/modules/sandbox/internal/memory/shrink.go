package memory

import (
	"context"
	"reflect"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Shrink makes a grown memory as small as it was, and reports whether it could. WebAssembly has
// no such operation, nor has wazero, so this goes through one field of wazero's: with a view a
// page too short, growing by that page makes the engine take the address and size anew. The
// memory must be a region's, and no guest may run in it.
func Shrink(memory api.Memory, pages uint32) bool {
	if pages == 0 || !canShrink() {
		return false
	}
	buffer := bufferOf(memory)
	if !buffer.IsValid() || buffer.Len() < int(pages)*PageSize {
		return false
	}
	buffer.SetLen(int(pages-1) * PageSize)
	_, ok := memory.Grow(1)
	return ok && memory.Size() == pages*PageSize
}

// bufferOf is wazero's view of a memory; the zero value when it has none.
func bufferOf(memory api.Memory) reflect.Value {
	v := reflect.ValueOf(memory)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	field := v.Elem().FieldByName("Buffer")
	if !field.IsValid() || !field.CanSet() || field.Type() != reflect.TypeFor[[]byte]() {
		return reflect.Value{}
	}
	return field
}

// shrinkProbe is this module:
//
//	(module (memory (export "m") 1 4)
//	  (func (export "s") (result i32) memory.size)
//	  (func (export "g") (result i32) i32.const 2 memory.grow)
//	  (func (export "l") (result i32) i32.const 65536 i32.load8_u))
const shrinkProbe = "\x00asm\x01\x00\x00\x00" +
	"\x01\x05\x01\x60\x00\x01\x7f" +
	"\x03\x04\x03\x00\x00\x00" +
	"\x05\x04\x01\x01\x01\x04" +
	"\x07\x11\x04\x01\x6d\x02\x00\x01\x73\x00\x00\x01\x67\x00\x01\x01\x6c\x00\x02" +
	"\x0a\x17\x03\x04\x00\x3f\x00\x0b\x06\x00\x41\x02\x40\x00\x0b\x09\x00\x41\x80\x80\x04\x2d\x00\x00\x0b"

// canShrink tries shrinking on a module of its own, on first use: the field's meaning is
// wazero's business and may change.
var canShrink = sync.OnceValue(func() bool {
	memory := Reserve(4*PageSize, nil)
	if memory == nil {
		return false
	}
	defer memory.Release()
	ctx := experimental.WithMemoryAllocator(context.Background(), memory.Allocator())
	r := wazero.NewRuntime(ctx)
	defer func() { _ = r.Close(ctx) }() // nothing to lose
	m, err := r.Instantiate(ctx, []byte(shrinkProbe))
	return err == nil && bufferOf(m.Memory()).IsValid() && shrinks(ctx, m)
})

// shrinks grows a probe's memory and makes it small again, twice.
func shrinks(ctx context.Context, m api.Module) bool {
	answer := func(name string) uint64 {
		if out, err := m.ExportedFunction(name).Call(ctx); err == nil {
			return out[0]
		}
		return 99 // a trap
	}
	for range 2 {
		if answer("g") != 1 || answer("s") != 3 || answer("l") != 0 {
			return false
		}
		bufferOf(m.Memory()).SetLen(0)
		if _, ok := m.Memory().Grow(1); !ok || answer("s") != 1 || answer("l") != 99 {
			return false
		}
	}
	return true
}
