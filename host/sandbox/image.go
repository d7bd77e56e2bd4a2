package sandbox

import (
	"slices"
	"sync/atomic"
)

// image is the memory of a snapshot, which nothing can change any more. The
// pool that took it and each instance that began as it hold it.
type image struct {
	bytes   []byte
	file    imageFile // what instances map; where there is none they copy
	holders atomic.Int32
	budget  *budget
}

// newImage copies a memory, counted by b. Its first holder is the caller. It is
// nil when b has not enough.
func newImage(memory []byte, b *budget) *image {
	if !b.take(int64(len(memory))) {
		return nil
	}
	i := &image{budget: b}
	i.holders.Store(1)
	if bytes := i.file.store(memory); bytes != nil {
		i.bytes = bytes
	} else {
		i.bytes = slices.Clone(memory)
	}
	return i
}

// hold adds a holder. Only a holder may call it.
func (i *image) hold() *image {
	i.holders.Add(1)
	return i
}

// drop takes a holder away; the last one frees the memory.
func (i *image) drop() {
	if i.holders.Add(-1) == 0 {
		i.budget.give(int64(len(i.bytes)))
		i.file.free(i.bytes)
		i.bytes = nil
	}
}
