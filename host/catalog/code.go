package catalog

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/callgate/callgate/host/sandbox"
)

// code is what is compiled of the bytes of a file under some limits. The states
// that may still be asked hold it, and the last of them to let go frees it.
type code struct {
	file    string
	digest  string
	runtime *sandbox.Runtime // with the module's limits

	mu      sync.Mutex
	wasm    []byte // until compiled
	loaded  *sandbox.Module
	failed  error
	took    time.Duration // of compiling
	holders int
}

// errReplaced is what a call of a module comes to that nothing holds any more.
var errReplaced = errors.New("the module was replaced")

// running returns the compiled module, warmed up on what is known of it. Compiling
// does not end with ctx, since others wait for it too; a failure is final, the
// bytes being the same, unless it was for want of time.
func (c *code) running(ctx context.Context, d *Described) (*sandbox.Module, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded == nil && c.failed == nil {
		began := time.Now()
		c.loaded, c.failed = c.runtime.Load(context.WithoutCancel(ctx), c.file, c.wasm)
		if c.took = time.Since(began); late(c.failed) {
			err := c.failed
			c.failed = nil
			return nil, err
		}
		c.wasm = nil
		if c.loaded != nil && d != nil {
			c.loaded.WarmUp(ctx, d.WarmUp())
		}
	}
	return c.loaded, c.failed
}

// compiled tells how long compiling took, zero when that was not needed.
func (c *code) compiled() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.took
}

// ready reports whether running would return at once, or in milliseconds.
func (c *code) ready() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loaded != nil || c.failed != nil || c.runtime.Compiled(c.digest)
}

func (c *code) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holders++
}

// letGo frees the code when nobody else holds it. Calls that run are finished.
func (c *code) letGo() {
	c.mu.Lock()
	if c.holders--; c.holders > 0 {
		c.mu.Unlock()
		return
	}
	loaded := c.loaded
	c.loaded, c.wasm, c.failed = nil, nil, errReplaced
	c.mu.Unlock()
	if loaded != nil {
		loaded.Close(context.Background())
	}
}

// forget removes what is kept of the code between processes.
func (c *code) forget() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded != nil {
		return c.loaded.Forget()
	}
	return c.runtime.Forget(c.digest)
}
