package ready

import (
	"bytes"
	"testing"
)

// TestScratch: memory is zero, can be written to from end to end, and is given back.
func TestScratch(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 4095, 4096, 5<<20 + 1} {
		b, free := Scratch(n)
		if len(b) != n || bytes.Count(b, []byte{0}) != n {
			t.Fatalf("%d: got %d bytes, or not zero", n, len(b))
		}
		for i := range b {
			b[i] = byte(i)
		}
		free()
	}
}

// TestPages: what memory holds stays, whatever the range, on Go's heap too.
func TestPages(t *testing.T) {
	t.Parallel()
	Pages(nil)
	b := bytes.Repeat([]byte("x"), 3<<20)
	for _, part := range [][]byte{b[:0], b[1:2], b[100:9000], b} {
		Pages(part)
	}
	Heap()
	if bytes.Count(b, []byte("x")) != len(b) {
		t.Error("something was written")
	}
}
