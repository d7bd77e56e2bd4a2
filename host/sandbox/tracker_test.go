package sandbox

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// modes are the ways to put a memory back that this system has.
func modes(t *testing.T) []tracking {
	list := []tracking{untracked}
	for _, mode := range []tracking{pageMapRead, pageMapScan} {
		if bestTracking() >= mode {
			list = append(list, mode)
			continue
		}
		t.Logf("skipped mode %d: this system's page map does not tell which pages were written", mode)
	}
	return list
}

// TestTracker: whatever is written to however many pages, restoring gives the
// image back, on several memories of one image, in each mode, with and without
// what the page faults say.
func TestTracker(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	want := make([]byte, 40*PageSize)
	for at := range want {
		want[at] = byte(random.Uint32())
	}
	i := newImage(want, nil)
	defer i.drop()
	for _, mode := range modes(t) {
		for range 3 {
			m := tracker{region: reserve(64*PageSize, nil)}
			memory := m.Reallocate(uint64(len(want)))
			m.adopt(i, mode)
			var seen faults
			for _, writes := range []int{0, 1, 5, 300, 0, 20000, 1, 0, 1, 1, 3000, 5, 5, 5} {
				seen.begin()
				for range writes {
					memory[random.IntN(len(memory))]++
				}
				if m.restore(seen.end()); !bytes.Equal(memory, want) {
					t.Fatalf("mode %d: after %d writes: not restored", mode, writes)
				}
			}
			m.release()
		}
	}
	if i.holders.Load() != 1 {
		t.Errorf("%d hold the image; want 1", i.holders.Load())
	}
}

// TestTrackerForgets: one call that wrote to all of a large memory does not make
// each later one pay for it.
func TestTrackerForgets(t *testing.T) {
	t.Parallel()
	if bestTracking() == untracked {
		t.Skip("this system's page map does not tell which pages were written")
	}
	i := newImage(bytes.Repeat([]byte{3}, 400*PageSize), nil)
	defer i.drop()
	m := tracker{region: reserve(400*PageSize, nil)}
	defer m.release()
	m.adopt(i, bestTracking())
	for at := 0; at < len(m.all); at += pageSize {
		m.all[at]++
	}
	m.restore(false)
	if m.private() != len(m.all) {
		t.Errorf("%d bytes are copies; want all", m.private())
	}
	m.all[0]++
	m.restore(true)
	m.all[0]++
	if m.restore(false); m.private() != pageSize || m.all[0] != 3 {
		t.Errorf("%d bytes are copies two calls later; want one page", m.private())
	}
}

// TestQuiet: a thread's page faults tell that a page became a copy.
func TestQuiet(t *testing.T) {
	t.Parallel()
	if bestTracking() == untracked {
		t.Skip("this system's page map does not tell which pages were written")
	}
	i := newImage(bytes.Repeat([]byte{3}, PageSize), nil)
	defer i.drop()
	m := tracker{region: reserve(PageSize, nil)}
	defer m.release()
	m.adopt(i, bestTracking())
	var f faults
	f.begin()
	m.all[5]++
	if f.end() {
		t.Error("the first write to a page went unseen")
	}
	m.restore(false)
	f.begin()
	m.all[5]++
	f.unpin()
	if f.end() {
		t.Error("who left the thread cannot know its faults")
	}
	f.unpin() // once more does nothing
}
