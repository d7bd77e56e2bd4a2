package wasmbin_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// recursive is a module with one function "f" of type (i64) -> i64, with the given locals and
// code, calling itself for ever.
func recursive(locals, code string) string {
	body := locals + code
	section := func(id byte, content string) string { return string(id) + short(len(content)) + content }
	return empty + section(1, "\x01\x60\x01\x7e\x01\x7e") + section(3, "\x01\x00") + section(7, "\x01\x01f\x00\x00") +
		section(10, "\x01"+short(len(body))+body)
}

// short is n as LEB128.
func short(n int) string {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return string(append(b, byte(n)))
}

// TestStackIsBounded: recursion of any shape ends by our count, before the
// engine's stack is twice as large as it may be.
func TestStackIsBounded(t *testing.T) {
	t.Parallel()
	for name, wasm := range hostileRecursions() {
		limit := 1 << 20
		if name == "leaf" {
			limit = 64 << 10
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			r := wazero.NewRuntime(ctx)
			t.Cleanup(func() { _ = r.Close(ctx) })
			(&meter{slice: 20000}).link(t, r)
			o := options
			o.StackBytes = limit
			result, err := wasmbin.Rewrite([]byte(wasm), o)
			if err != nil {
				t.Fatal(err)
			}
			mod, err := r.Instantiate(ctx, result.Wasm)
			if err != nil {
				t.Fatal(err)
			}
			f := mod.ExportedFunction("f")
			if _, err = f.Call(ctx, 1); err == nil || !strings.Contains(err.Error(), errNoStack.Error()) {
				t.Fatalf("got %v", err)
			}
			stack := reflect.ValueOf(f).Elem().FieldByName("stack")
			if !stack.IsValid() {
				t.Skip("this engine's stack cannot be looked at")
			}
			// The engine doubles its stack when it is full.
			if got := stack.Len(); got > 2*limit+1<<16 {
				t.Errorf("the stack is %d bytes, of %d", got, limit)
			}
		})
	}
}

func hostileRecursions() map[string]string {
	const call = "\x20\x00\x10\x00" // local.get 0, call f
	var locals, operands, steps, joins strings.Builder
	const many = 100
	for i := 1; i <= many; i++ { // each local has a value of its own over the call
		fmt.Fprintf(&locals, "\x20\x00\x42%c\x7c\x21%s", i&0x3f, short(i))
		fmt.Fprintf(&operands, "\x20\x00\x42%c\x7c", i&0x3f)
		steps.WriteString("\x20\x00" + call + "\x7c\x21\x00") // local 0 = local 0 + f(local 0)
	}
	after := strings.Builder{}
	sum := strings.Repeat("\x7c", many)
	for i := 1; i <= many; i++ {
		after.WriteString("\x20" + short(i) + "\x7c")
	}
	for i := 1; i <= many; i++ { // a value for each local where the arm ends
		fmt.Fprintf(&joins, "\x20\x00\xa7\x04\x40\x20\x00\x42%c\x7c\x21%s\x0b", i&0x3f, short(i))
	}
	const large = 100 * many
	declared := "\x01" + short(many) + "\x7e"
	return map[string]string{
		"plain":    recursive("\x00", call+"\x0b"),
		"locals":   recursive(declared, locals.String()+call+after.String()+"\x0b"),
		"operands": recursive("\x00", operands.String()+call+sum+"\x0b"),
		"steps":    recursive("\x00", steps.String()+"\x20\x00\x0b"),
		"joins":    recursive(declared, joins.String()+call+after.String()+"\x0b"),
		// Nothing is called, but the frame alone is larger than all may be.
		"leaf": recursive("\x00", strings.Repeat("\x20\x00\x42\x05\x7c", large)+strings.Repeat("\x7c", large-1)+"\x0b"),
		"loop": recursive(declared, "\x03\x7e"+joins.String()+call+after.String()+"\x0b\x0b"),
	}
}
