package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// kernel is the host's side of one instance: the state behind the functions of
// "extism:host/env" and behind clock and randomness. One call at a time uses it.
type kernel struct {
	arena  arena
	limits Limits
	module string
	logger *slog.Logger

	input, inputLength   uint64
	output, outputLength uint64
	failure              uint64 // offset given to error_set
	failed               bool
	logged               int

	deadline time.Time
	spent    int64 // fuel handed out, for warmUp
	slept    time.Duration
	rand     *rand.ChaCha8

	// unpin lets the goroutine of a call leave its thread. The first yield of a
	// call that takes long must call it; see faults.
	unpin func()
}

// kernelKey is the context key under which host functions find their kernel.
type kernelKey struct{}

// callContext carries the kernel of the instance that runs. It is one
// allocation where context.WithValue would be one more lookup for each import.
type callContext struct {
	context.Context
	kernel *kernel
}

// Value implements context.Context.
func (c *callContext) Value(key any) any {
	if _, ok := key.(kernelKey); ok {
		return c.kernel
	}
	return c.Context.Value(key)
}

func kernelOf(ctx context.Context) *kernel {
	k, ok := ctx.Value(kernelKey{}).(*kernel)
	if !ok {
		panic(&trap{kind: KindTrap, message: "a host function was called outside a call"})
	}
	return k
}

// randSeed makes each call draw the same numbers. A fixed seed is the point:
// a module's answer depends on its input and on nothing else.
var randSeed = [32]byte([]byte("callgate: the same for each call"))

func newKernel(module string, limits Limits, logger *slog.Logger) *kernel {
	k := &kernel{module: module, limits: limits, logger: logger, rand: rand.NewChaCha8(randSeed)}
	k.arena.limit = limits.arenaBytes()
	k.reset()
	return k
}

// reset forgets the last call altogether.
func (k *kernel) reset() {
	k.arena.reset()
	k.clearCall()
	k.logged = 0
	k.slept = 0
	k.rand.Seed(randSeed)
}

// clearCall zeroes what belongs to input, output and error.
func (k *kernel) clearCall() {
	k.input, k.inputLength = 0, 0
	k.output, k.outputLength = 0, 0
	k.failure, k.failed = 0, false
}

// setInput starts a call with data as its input.
func (k *kernel) setInput(data []byte) error {
	offset, ok := k.arena.put(data)
	if !ok {
		return fmt.Errorf("%d bytes do not fit the host memory of %d", len(data), k.arena.limit)
	}
	k.input, k.inputLength = offset, uint64(len(data))
	return nil
}

// message returns what the guest gave to error_set.
func (k *kernel) message() string { return k.arena.text(k.failure, maxMessage) }

// check traps when offset and size leave the memory in use.
func (k *kernel) check(name string, offset, size uint64) []byte {
	data, ok := k.arena.view(offset, size)
	if !ok {
		panic(&trap{kind: KindTrap, message: fmt.Sprintf("%s: offset %d, length %d is outside the host memory", name, offset, size)})
	}
	return data
}

func (k *kernel) loadInput(index, width uint64) uint64 {
	if index >= k.inputLength || width > k.inputLength-index {
		return 0
	}
	data, ok := k.arena.view(k.input+index, width)
	if !ok {
		return 0
	}
	if width == 1 {
		return uint64(data[0])
	}
	return binary.LittleEndian.Uint64(data)
}

func (k *kernel) free(offset uint64) {
	if offset == k.input {
		k.inputLength = 0
	}
	k.arena.free(offset)
}

// log passes a guest's message on, up to the call's share.
func (k *kernel) log(level slog.Level, offset uint64) {
	if level < slog.LevelWarn || k.logger == nil || k.logged >= k.limits.LogBytes {
		return
	}
	text := k.arena.text(offset, min(maxMessage, k.limits.LogBytes-k.logged))
	k.logged += len(text) + 16 // an empty message costs too
	k.logger.Log(context.Background(), level, "module says", "module", k.module, "text", text)
}
