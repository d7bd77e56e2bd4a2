package memory

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// modes are this system's ways to restore a memory.
func modes(t *testing.T) []Mode {
	list := []Mode{Untracked}
	for _, mode := range []Mode{PageMapRead, PageMapScan} {
		if Best() >= mode {
			list = append(list, mode)
			continue
		}
		t.Logf("skipped mode %d: this system's page map does not tell which pages were written", mode)
	}
	return list
}

// TestTracked: after any writes to any number of pages, restoring gives the image back, on
// several memories of one image, in each mode, with and without the page faults' evidence.
func TestTracked(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	want := make([]byte, 40*PageSize)
	for at := range want {
		want[at] = byte(random.Uint32())
	}
	i, _ := NewImage(want, nil)
	defer i.Drop()
	for _, mode := range modes(t) {
		for range 3 {
			m := Tracked{Region: Reserve(64*PageSize, nil)}
			memory := m.Reallocate(uint64(len(want)))
			m.Adopt(i, mode)
			var seen Faults
			for _, writes := range []int{0, 1, 5, 300, 0, 20000, 1, 0, 1, 1, 3000, 5, 5, 5} {
				seen.Begin()
				for range writes {
					memory[random.IntN(len(memory))]++
				}
				if m.Restore(seen.End()); !bytes.Equal(memory, want) {
					t.Fatalf("mode %d: after %d writes: not restored", mode, writes)
				}
			}
			m.Release()
		}
	}
	if i.holders.Load() != 1 {
		t.Errorf("%d hold the image; want 1", i.holders.Load())
	}
}

// TestTrackedForgets: one call writing to all of a large memory does not slow down each later
// one.
func TestTrackedForgets(t *testing.T) {
	t.Parallel()
	if Best() == Untracked {
		t.Skip("this system's page map does not tell which pages were written")
	}
	i, _ := NewImage(bytes.Repeat([]byte{3}, 400*PageSize), nil)
	defer i.Drop()
	m := Tracked{Region: Reserve(400*PageSize, nil)}
	defer m.Release()
	m.Adopt(i, Best())
	for at := 0; at < len(m.all); at += SystemPage {
		m.all[at]++
	}
	m.Restore(false)
	if m.Private() != len(m.all) {
		t.Errorf("%d bytes are copies; want all", m.Private())
	}
	m.all[0]++
	m.Restore(true)
	m.all[0]++
	if m.Restore(false); m.Private() != SystemPage || m.all[0] != 3 {
		t.Errorf("%d bytes are copies two calls later; want one page", m.Private())
	}
}

// TestQuiet: a thread's page faults show that a page became a copy.
func TestQuiet(t *testing.T) {
	t.Parallel()
	if Best() == Untracked {
		t.Skip("this system's page map does not tell which pages were written")
	}
	i, _ := NewImage(bytes.Repeat([]byte{3}, PageSize), nil)
	defer i.Drop()
	m := Tracked{Region: Reserve(PageSize, nil)}
	defer m.Release()
	m.Adopt(i, Best())
	var f Faults
	f.Begin()
	m.all[5]++
	if f.End() {
		t.Error("the first write to a page went unseen")
	}
	m.Restore(false)
	f.Begin()
	m.all[5]++
	f.Unpin()
	if f.End() {
		t.Error("who left the thread cannot know its Faults")
	}
	f.Unpin() // once more does nothing
}
