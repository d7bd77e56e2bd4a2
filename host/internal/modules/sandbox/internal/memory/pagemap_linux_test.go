package memory

import (
	"bytes"
	"testing"
)

// TestTrackedBlind: a system failing once to report the copied pages is not believed later,
// when a page copied by then is written to without a fault. It runs beside no other test: it
// takes the page map away.
func TestTrackedBlind(t *testing.T) {
	if Best() == Untracked {
		t.Skip("this system's page map does not tell which pages were written")
	}
	i, _ := NewImage(bytes.Repeat([]byte{3}, PageSize), nil)
	defer i.Drop()
	m := Tracked{Region: Reserve(PageSize, nil)}
	defer m.Release()
	m.Adopt(i, Best())
	m.all[5]++
	seeing := pageMap
	pageMap = func() int { return -1 }
	m.Restore(false)
	pageMap = seeing
	m.all[5]++
	if m.Restore(true); m.all[5] != 3 {
		t.Errorf("the byte is %d after a call without page faults; want 3", m.all[5])
	}
}
