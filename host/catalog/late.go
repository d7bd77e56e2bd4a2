package catalog

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/callgate/callgate/host/sandbox"
)

// pauses are how long a module rests that was refused for want of time, before each
// of its further tries: a machine that is busy now may be quiet then, and a module
// that never ends must not keep one busy.
var pauses = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

// refusal is why the bytes of a file are no module that can be used. They are not
// compiled and tried again, unless it was for want of time: then at again.
type refusal struct {
	digest string
	limits sandbox.Limits
	err    error
	tries  int
	again  time.Time // zero: not by itself
}

// refusedAs is the refusal of the same bytes under the same limits; false for none.
func (b *builder) refusedAs(m *module) (refusal, bool) {
	r, ok := b.c.refused[lastKey(m.file, m.embedded)]
	return r, ok && r.digest == m.digest && r.limits == m.runtime.Limits()
}

// rests returns why a module was refused that is not to be tried now; nil when it is.
func (b *builder) rests(m *module) error {
	r, ok := b.refusedAs(m)
	if !ok || !r.again.IsZero() && !b.c.opts.Now().Before(r.again) {
		return nil
	}
	b.refused[lastKey(m.file, m.embedded)] = r
	return r.err
}

// refuse notes that a module was refused with err, and returns what to tell. What a
// caller who gave up broke off says nothing of the module.
func (b *builder) refuse(m *module, err error) error {
	if b.ctx.Err() != nil {
		return err
	}
	before, _ := b.refusedAs(m)
	r := refusal{digest: m.digest, limits: m.runtime.Limits(), err: err, tries: before.tries + 1}
	switch {
	case !late(err):
	case r.tries > len(pauses):
		r.err = fmt.Errorf("%w; tried %d times, and not again by itself", err, r.tries)
	default:
		r.again = b.c.opts.Now().Add(pauses[r.tries-1])
		r.err = fmt.Errorf("%w; it will be tried again at %s", err, r.again.UTC().Format(time.RFC3339))
	}
	b.refused[lastKey(m.file, m.embedded)] = r
	return r.err
}

// restIfLate is refuse for a module that passed once: under other settings it may pass
// again, so that it rests only where the machine was at fault.
func (b *builder) restIfLate(m *module, err error) error {
	if late(err) {
		return b.refuse(m, err)
	}
	return err
}

// again is when a file is tried again by itself; zero when it is not.
func (b *builder) again(file string, embedded bool) time.Time {
	return b.refused[lastKey(file, embedded)].again.UTC()
}

// due reports whether a module that was refused is to be tried again now; false while
// the next state is made, which sees to it.
func (c *Catalog) due() bool {
	if !c.reload.TryLock() {
		return false
	}
	defer c.reload.Unlock()
	now := c.opts.Now()
	for _, r := range c.refused {
		if !r.again.IsZero() && !now.Before(r.again) {
			return true
		}
	}
	return false
}

// late reports whether an error tells of nothing but the machine: too little time,
// too little of what all modules have together, or what the system refused.
func late(err error) bool {
	switch e := err.(type) { //nolint:errorlint // each error of a chain by itself: one of several may be the module's
	case *sandbox.Error:
		return e.Kind == sandbox.KindTimeout || strings.Contains(e.Limit, ".") // the full name of what is no module's own
	case syscall.Errno:
		return true
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(one error) bool { return !late(one) })
	case interface{ Unwrap() error }:
		return late(e.Unwrap())
	}
	return err != nil && sandbox.LimitOf(err) == "compile_time"
}
