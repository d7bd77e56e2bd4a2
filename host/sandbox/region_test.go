package sandbox

import "testing"

// TestRegion: a region stays where it is, begins with zeros, and counts what it
// grew to and no more.
func TestRegion(t *testing.T) {
	t.Parallel()
	b := &budget{most: 8 * PageSize}
	r := reserve(6*PageSize, b)
	memory := r.Reallocate(PageSize)
	memory[0], memory[PageSize-1] = 1, 2
	grown := r.Reallocate(4 * PageSize)
	if &grown[0] != &memory[0] || grown[0] != 1 || len(grown) != 4*PageSize {
		t.Errorf("grown to %d bytes, the first is %d; want the same place", len(grown), grown[0])
	}
	if r.Reallocate(7*PageSize) != nil {
		t.Error("more than was reserved")
	}
	if got := b.used.Load(); got != 4*PageSize {
		t.Errorf("counted %d; want %d", got, 4*PageSize)
	}
	grown[3*PageSize] = 3
	r.discard(0, PageSize)
	if grown[0] != 0 || grown[PageSize-1] != 0 || grown[3*PageSize] != 3 {
		t.Error("discard: not zeros, or too many")
	}
	r.refund(PageSize)
	if got := b.used.Load(); got != PageSize {
		t.Errorf("counted %d after the refund; want %d", got, PageSize)
	}
	r.Free()
	if grown[3*PageSize] != 3 {
		t.Error("Free gave the memory back under whoever runs in it")
	}
	r.release()
	r.release()
	if got := b.used.Load(); got != 0 {
		t.Errorf("counted %d after the release; want 0", got)
	}
	if reserve(0, b) != nil || reserve(maxRegion+1, b) != nil {
		t.Error("a region of no size, or of too much")
	}
}

// TestRegionOverBudget: the call that asks for more than there is ends, and
// nothing is counted for it.
func TestRegionOverBudget(t *testing.T) {
	t.Parallel()
	b := &budget{most: 4 * PageSize}
	first, second := reserve(4*PageSize, b), reserve(4*PageSize, b)
	defer first.release()
	defer second.release()
	first.Reallocate(3 * PageSize)
	func() {
		defer func() {
			if got, ok := recover().(*trap); !ok || got.kind != KindMemory {
				t.Errorf("got %v; want a trap for want of memory", got)
			}
		}()
		second.Reallocate(2 * PageSize)
		t.Error("went on")
	}()
	if second.charge(PageSize) != nil || b.used.Load() != 4*PageSize {
		t.Errorf("counted %d; want all", b.used.Load())
	}
}
