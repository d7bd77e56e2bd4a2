package modules

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// code is the compiled code of a file's bytes under some limits. The states still in use hold it,
// and the last one frees it.
type code struct {
	file    string
	digest  string
	runtime *sandbox.Runtime // with the module's limits
	// number is unique in the process; memo has its earlier answers, nil for none.
	number uint64
	memo   *memo
	// meter counts the work of the file's modules; nil counts nothing.
	meter *meter

	mu      sync.Mutex
	size    int
	read    func() ([]byte, error) // nil once compiled
	shipped func(name string) *io.SectionReader
	loaded  *sandbox.Module
	failed  error
	took    time.Duration // of compiling
	holders int
}

// codes numbers the codes of the process.
var codes atomic.Uint64

// errReplaced is the error of calls of a released module.
var errReplaced = errors.New("the module was replaced")

// running returns the compiled module. Compiling
// does not end with ctx, since others wait for it too; a failure is final, the
// bytes being the same, unless it was for want of time.
func (c *code) running(ctx context.Context) (*sandbox.Module, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded == nil && c.failed == nil {
		began := time.Now()
		c.loaded, c.failed = c.runtime.LoadKnown(context.WithoutCancel(ctx), c.file, c.source())
		if c.took = time.Since(began); late(c.failed) {
			err := c.failed
			c.failed = nil
			return nil, err
		}
		c.read = nil
	}
	return c.loaded, c.failed
}

// source is where the code comes from. The caller holds mu.
func (c *code) source() sandbox.Source {
	return sandbox.Source{Digest: c.digest, Size: c.size, Read: c.read, Shipped: c.shipped}
}

// compiled is the time for compiling, zero without need of it.
func (c *code) compiled() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.took
}

// ready reports whether running would return at once, or in milliseconds.
func (c *code) ready() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loaded != nil || c.failed != nil || c.runtime.Ready(c.source())
}

func (c *code) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holders++
}

// letGo frees the code after its last holder. Running calls finish first.
func (c *code) letGo() {
	c.mu.Lock()
	if c.holders--; c.holders > 0 {
		c.mu.Unlock()
		return
	}
	loaded := c.loaded
	c.loaded, c.read, c.failed = nil, nil, errReplaced
	c.mu.Unlock()
	if loaded != nil {
		loaded.Close(context.Background())
	}
}

// forget removes the code kept between processes.
func (c *code) forget() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded != nil {
		return c.loaded.Forget()
	}
	return c.runtime.Forget(c.digest)
}
