package modules

import (
	"bytes"
	"sync"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// buffer holds the bytes of one call: the module's input and output.
type buffer struct {
	env    bytes.Buffer
	answer []byte
	used   sandbox.Usage
}

// buffers keeps buffers from call to call.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// maxPooled is the largest size of a buffer to keep: that of a call with 10,000 rules, as the pool is
// emptied at rest.
const maxPooled = 512 << 10

// give keeps a buffer for another call.
func (b *buffer) give() {
	if b.env.Cap() <= maxPooled && cap(b.answer) <= maxPooled {
		b.env.Reset()
		buffers.Put(b)
	}
}
