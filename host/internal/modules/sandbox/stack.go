package sandbox

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/tetratelabs/wazero/api"
)

// keptStack is the most native stack, in bytes, kept by one exported function after a call.
// Each has a stack of its own in wazero, which grows and never shrinks: a guest with one deep
// call would keep megabytes for good.
const keptStack = 128 << 10

// verb is an exported function called by an instance. Looking one up costs microseconds and the
// first ten KiB of its stack.
type verb struct {
	api.Function
	stack *[]byte // nil where wazero does not show it
}

// bigStack tells whether the function had better be looked up anew.
func (v verb) bigStack(failed bool) bool {
	if v.stack == nil {
		return failed
	}
	return len(*v.stack) > keptStack
}

// newVerb finds the stack of a function.
func newVerb(f api.Function) verb {
	v := verb{Function: f}
	if value := reflect.ValueOf(f); value.Kind() == reflect.Pointer {
		if offset := stackOffset(value.Type().Elem()); offset >= 0 {
			v.stack = (*[]byte)(unsafe.Add(value.UnsafePointer(), offset))
		}
	}
	return v
}

var stackOffsets sync.Map // int by reflect.Type

// stackOffset is where a function of wazero's compiler has its stack; -1 where
// there is none.
func stackOffset(t reflect.Type) int {
	if offset, ok := stackOffsets.Load(t); ok {
		return offset.(int)
	}
	offset := -1
	if t.Kind() == reflect.Struct {
		if field, ok := t.FieldByName("stack"); ok && field.Type == reflect.TypeFor[[]byte]() {
			offset = int(field.Offset)
		}
	}
	stackOffsets.Store(t, offset)
	return offset
}
