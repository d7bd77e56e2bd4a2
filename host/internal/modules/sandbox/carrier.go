package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/codecache"
)

// carrier takes compiled code out of the engine, and brings it the code of other
// processes.
type carrier struct {
	*codecache.Bridge
	engine string // the reason why other engines and machines cannot use the code
}

// openEngine makes the engine, with a carrier on request. The error says why there is none all
// the same.
func (r *Runtime) openEngine(ctx context.Context, carry bool) error {
	config := wazero.NewRuntimeConfig() // the rewriter bounds the memories of guests
	if !carry {
		r.engine = wazero.NewRuntimeWithConfig(ctx, config)
		return nil
	}
	bridge, cache, err := codecache.NewBridge()
	if err == nil {
		r.cache, config = cache, config.WithCompilationCache(cache)
	}
	r.engine = wazero.NewRuntimeWithConfig(ctx, config)
	if err != nil {
		return err
	}
	c := &carrier{Bridge: bridge}
	if !c.identify(ctx, r.engine) {
		return errors.New("the engine of this platform does not take it")
	}
	r.carrier = c
	return nil
}

// emptyModule is the smallest module there is.
var emptyModule = []byte("\x00asm\x01\x00\x00\x00")

// identify asks the engine for its identity; false when it does not take code.
func (c *carrier) identify(ctx context.Context, engine wazero.Runtime) bool {
	id, ok := c.Identify(func() error {
		m, err := engine.CompileModule(ctx, emptyModule)
		if err != nil {
			return err
		}
		return m.Close(ctx)
	})
	c.engine = fmt.Sprintf("%s %s/%s %x", engineVersion(), runtime.GOOS, runtime.GOARCH, id)
	return ok
}

// engineVersion is the version of wazero this binary was built with.
func engineVersion() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, d := range info.Deps {
		if d.Path != "github.com/tetratelabs/wazero" {
			continue
		}
		for d.Replace != nil {
			d = d.Replace
		}
		return d.Version + " " + d.Sum
	}
	return ""
}
