package memory

import "testing"

// TestRegion: a region stays in place, begins with zeros, and counts its growth and no more.
func TestRegion(t *testing.T) {
	t.Parallel()
	b := NewBudget(8*PageSize, nothing)
	r := Reserve(6*PageSize, b)
	memory := r.Reallocate(PageSize)
	memory[0], memory[PageSize-1] = 1, 2
	grown := r.Reallocate(4 * PageSize)
	if &grown[0] != &memory[0] || grown[0] != 1 || len(grown) != 4*PageSize {
		t.Errorf("grown to %d bytes, the first is %d; want the same place", len(grown), grown[0])
	}
	if r.Reallocate(7*PageSize) != nil {
		t.Error("more than was reserved")
	}
	if got := b.Used(); got != 4*PageSize {
		t.Errorf("counted %d; want %d", got, 4*PageSize)
	}
	grown[3*PageSize] = 3
	r.Discard(0, PageSize)
	if grown[0] != 0 || grown[PageSize-1] != 0 || grown[3*PageSize] != 3 {
		t.Error("discard: not zeros, or too many")
	}
	r.Refund(PageSize)
	if got := b.Used(); got != PageSize {
		t.Errorf("counted %d after the refund; want %d", got, PageSize)
	}
	r.Free()
	if grown[3*PageSize] != 3 {
		t.Error("Free gave the memory back under whoever runs in it")
	}
	r.Release()
	r.Release()
	if got := b.Used(); got != 0 {
		t.Errorf("counted %d after the release; want 0", got)
	}
	if Reserve(0, b) != nil || Reserve(maxRegion+1, b) != nil {
		t.Error("a Region of no size, or of too much")
	}
}

// TestRegionOverBudget: a call exceeding the budget ends, and nothing is counted for it.
func TestRegionOverBudget(t *testing.T) {
	t.Parallel()
	b := NewBudget(4*PageSize, nothing)
	first, second := Reserve(4*PageSize, b), Reserve(4*PageSize, b)
	defer first.Release()
	defer second.Release()
	first.Reallocate(3 * PageSize)
	func() {
		defer func() {
			if got, ok := recover().(*Short); !ok || got.Want != 2*PageSize {
				t.Errorf("got %v; want to hear that two pages are not there", got)
			}
		}()
		second.Reallocate(2 * PageSize)
		t.Error("went on")
	}()
	if second.Charge(PageSize) != nil || b.Used() != 4*PageSize {
		t.Errorf("counted %d; want all", b.Used())
	}
}

// nothing is the relief of who has nothing to give back.
func nothing(func() bool) {}
