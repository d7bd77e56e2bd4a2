package modules

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// pauses are a module's pauses after a refusal for want of time, before each of its further tries:
// a busy machine may be quiet then, and an endless module must not keep one busy.
var pauses = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

// refusal is why the bytes of a file are no usable module. They are not compiled and tested again,
// unless it was for want of time: then at again.
type refusal struct {
	digest string
	limits sandbox.Limits
	err    error
	tries  int
	again  time.Time // zero: not by itself
	trying bool      // it is tried again now
}

// refusedAs is the refusal of the same bytes under the same limits; false for none.
func (b *builder) refusedAs(m *module) (refusal, bool) {
	r, ok := b.c.refused[m.id]
	return r, ok && r.digest == m.digest && r.limits == m.runtime.Limits()
}

// rests returns why a refused module waits; nil when it may be tried.
func (b *builder) rests(m *module) error {
	r, ok := b.refusedAs(m)
	if !ok || !r.again.IsZero() && !b.c.opts.Now().Before(r.again) {
		return nil
	}
	b.refused[m.id] = r
	return r.err
}

// refuse records the module's refusal with err, and returns the error to report. An interruption by
// the caller says nothing about the module.
func (b *builder) refuse(m *module, err error) error {
	if b.ctx.Err() != nil {
		return err
	}
	before, _ := b.refusedAs(m)
	r := refusal{digest: m.digest, limits: m.runtime.Limits(), err: err, tries: before.tries + 1}
	switch {
	case !late(err):
	case r.tries > len(pauses):
		r.err = fmt.Errorf("%w; gave up after %d attempts", err, r.tries)
	default:
		r.again = b.c.opts.Now().Add(pauses[r.tries-1])
		r.err = fmt.Errorf("%w; next attempt at %s", err, r.again.UTC().Format(time.RFC3339))
	}
	b.refused[m.id] = r
	return r.err
}

// tryingAgain keeps the record of a refused module during its next try.
func (b *builder) tryingAgain(m *module) {
	if r, ok := b.refusedAs(m); ok {
		r.trying = true
		b.refused[m.id] = r
	}
}

// restIfLate is refuse for a module with an earlier success: under other settings it may pass
// again, so it rests only where the machine was at fault. RATIONALE.md, "Why are modules tried
// behind the listener, in two lanes?".
func (b *builder) restIfLate(m *module, err error) error {
	if late(err) {
		return b.refuse(m, err)
	}
	return err
}

// due reports whether to try a refused module again now; false during a build, because the build
// sees to it.
func (c *Catalog) due() bool {
	if !c.mu.TryLock() {
		return false
	}
	defer c.mu.Unlock()
	now := c.opts.Now()
	for _, r := range c.refused {
		if !r.trying && !r.again.IsZero() && !now.Before(r.again) {
			return true
		}
	}
	return false
}

// late reports whether an error is only the machine's: too little time, too little of the modules'
// common memory, or a refusal by the system.
func late(err error) bool {
	switch e := err.(type) { //nolint:errorlint // each error of a chain by itself: one of several may be the module's
	case *sandbox.Error:
		return e.Kind == sandbox.KindTimeout || strings.Contains(e.Limit, ".")
	case syscall.Errno:
		return true
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(one error) bool { return !late(one) })
	case interface{ Unwrap() error }:
		return late(e.Unwrap())
	}
	limit := sandbox.LimitOf(err)
	return limit == "compile_time" || strings.Contains(limit, ".") // in full, where it is no module's own
}
