package sandbox

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestTracker: whatever is written to however many pages, restoring gives the
// image back, on several trackers of one image, and spares the other pages.
func TestTracker(t *testing.T) {
	t.Parallel()
	if !tracking() {
		t.Skip("this system's page map does not tell which pages were written")
	}
	random := rand.New(rand.NewPCG(1, 2))
	i := &image{bytes: make([]byte, 40*PageSize)}
	for at := range i.bytes {
		i.bytes[at] = byte(random.Uint32())
	}
	i.share()
	for range 3 {
		m, ok := newTracker(64 * PageSize).(*mapped)
		if !ok || !m.adopt(i) {
			t.Fatal("no tracker")
		}
		memory := m.Reallocate(uint64(len(i.bytes)))
		for _, writes := range []int{0, 1, 5, 300, 0, 20000, 1} {
			for range writes {
				memory[random.IntN(len(memory))]++
			}
			if !m.restore(i) || !bytes.Equal(memory, i.bytes) {
				t.Fatalf("after %d writes: not restored", writes)
			}
		}
		m.release()
	}
	m := newTracker(64 * PageSize).(*mapped)
	defer m.release()
	if m.adopt(&image{}) || m.adopt(&image{bytes: i.bytes}) || !m.adopt(i) {
		t.Error("adopted an image without a file, or not one with")
	}
	m.all[9*PageSize]++
	copies := 0
	if m.written(len(i.bytes), func(int, int) { copies++ }); copies != 1 {
		t.Errorf("one page was written, got %d", copies)
	}
	if m.Reallocate(64*PageSize+1) != nil || newTracker(0) != nil {
		t.Error("more memory than was reserved, or a tracker for none")
	}
}
