package memory

import (
	"slices"
	"sync/atomic"
)

// Image is the immutable memory of a snapshot. The owning pool and each instance started from
// it hold it. It is safe for concurrent use.
type Image struct {
	bytes   []byte
	file    imageFile // mapped by instances; without one they copy
	holders atomic.Int32
	budget  *Budget
}

// NewImage copies a memory, counted by b, which may be short of it. The image's first holder is
// the caller.
func NewImage(memory []byte, b *Budget) (*Image, *Short) {
	if short := b.Take(int64(len(memory))); short != nil {
		return nil, short
	}
	i := &Image{budget: b}
	i.holders.Store(1)
	if bytes := i.file.store(memory); bytes != nil {
		i.bytes = bytes
	} else {
		i.bytes = slices.Clone(memory)
	}
	return i, nil
}

// Bytes are the memory, for reading only and as long as it is held.
func (i *Image) Bytes() []byte { return i.bytes }

// Hold adds a holder. Only a holder may call it.
func (i *Image) Hold() *Image {
	i.holders.Add(1)
	return i
}

// Drop takes a holder away; the last one frees the memory.
func (i *Image) Drop() {
	if i.holders.Add(-1) == 0 {
		i.budget.Give(int64(len(i.bytes)))
		i.file.free(i.bytes)
		i.bytes = nil
	}
}
