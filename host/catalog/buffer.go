package catalog

import (
	"bytes"
	"sync"
)

// buffer holds the bytes of one call: what the module reads and answers.
type buffer struct {
	env    bytes.Buffer
	answer []byte
}

// bufferPool keeps buffers from call to call.
type bufferPool struct{ pool sync.Pool }

var buffers bufferPool

// maxPooled is the size from which a buffer is not kept: calls that large are rare.
const maxPooled = 64 << 10

func (p *bufferPool) take() *buffer {
	if b, ok := p.pool.Get().(*buffer); ok {
		b.env.Reset()
		return b
	}
	return new(buffer)
}

func (p *bufferPool) give(b *buffer) {
	if b.env.Cap() <= maxPooled && cap(b.answer) <= maxPooled {
		p.pool.Put(b)
	}
}
