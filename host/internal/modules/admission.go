package modules

import (
	"context"
	"errors"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// ErrTrying is the Problem of a module under test, and the reason for failing calls of it without a
// version in use.
var ErrTrying = errors.New("the module is still being compiled and tested; its calls fail until it is ready")

// bytesOf identifies an admission: the bytes of a file, under some limits.
type bytesOf struct {
	id
	digest string
	limits sandbox.Limits
}

// admission is one module being compiled and tried, beside everything else.
type admission struct {
	module *module
	done   chan struct{} // closed when it is over
	err    error         // why the module is refused; not read before done is closed
	took   time.Duration
	cancel context.CancelFunc

	waiters int  // to read the directory again at its end; guarded by Catalog.mu
	touched bool // by the build under way; guarded by Catalog.mu
}

// over reports whether it is over.
func (a *admission) over() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// admitted returns the module of a new file. A known and compiled one is taken at once. Others are
// admitted beside this build, and it goes on without them: ErrTrying until then.
func (b *builder) admitted(m *module, f file) (*module, error) {
	of := bytesOf{f.id, m.digest, m.runtime.Limits()}
	a := b.c.admissions[of] // its code is loaded, so that goes before what it has left in the cache
	m.code = b.newCode(m, f)
	if a == nil && m.known(b.c.verdicts) && m.code.ready() {
		b.made = append(b.made, m.code)
		return m, m.prepare(b.ctx, b.c.compiling)
	}
	if same := b.prev.sameBytes(m); same != nil { // its file has another name now
		return b.with(same, f, m.grant, m.granted), nil
	}
	if a == nil {
		a = b.c.begin(m)
		b.c.admissions[of] = a
		b.began = append(b.began, a)
	}
	a.touched = true
	if !a.over() {
		b.waits = append(b.waits, a)
		return nil, ErrTrying
	}
	b.tried[of.id] = a.took
	if a.err != nil {
		delete(b.c.admissions, of) // it is refused, and another time is another try
		a.module.code.letGo()
		b.made = append(b.made, a.module.code)
		return nil, a.err
	}
	return b.with(a.module, f, m.grant, m.granted), nil
}

// sameBytes is a module in use of the same bytes under the same limits; nil for none,
// and in a nil state.
func (s *state) sameBytes(m *module) *module {
	if s == nil {
		return nil
	}
	for _, other := range s.modules {
		if other.digest == m.digest && other.embedded == m.embedded && other.runtime.Limits() == m.runtime.Limits() {
			return other
		}
	}
	return nil
}

// begin admits a module beside everything else. The caller holds mu.
func (c *Catalog) begin(m *module) *admission {
	ctx, cancel := context.WithCancel(c.ending)
	a := &admission{module: m, done: make(chan struct{}), cancel: cancel}
	m.code.hold() // until dropped
	go func() {
		defer c.landed(a)
		began := time.Now()
		a.err = c.admit(ctx, m)
		a.took = time.Since(began)
	}()
	return a
}

// admit compiles and tests a module, and calls it once, so callers need not wait for its first
// instance.
func (c *Catalog) admit(ctx context.Context, m *module) error {
	if err := m.admit(ctx, c.verdicts, &c.lanes, c.compiling); err != nil {
		return err
	}
	_, err := m.ready(ctx)
	return err
}

// compiling tells Options.Compiling of a file, one at a time.
func (c *Catalog) compiling(file string) {
	c.telling.Lock()
	defer c.telling.Unlock()
	if c.opts.Compiling != nil {
		c.opts.Compiling(file)
	}
}

// landed announces the end of an admission.
func (c *Catalog) landed(a *admission) {
	a.cancel()
	close(a.done)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake()
	if a.waiters == 0 {
		c.signal()
	}
}

// signal has Watch read the directory again.
func (c *Catalog) signal() {
	select {
	case c.ripe <- struct{}{}:
	default:
	}
}

// dropUnused ends the admissions unused in the last build: the file is another one or gone, or its
// module is in use.
func (c *Catalog) dropUnused() {
	for of, a := range c.admissions {
		if !a.touched && a.waiters == 0 {
			delete(c.admissions, of)
			c.drop(a)
		}
		a.touched = false
	}
}

// Close ends compilations and tests. Modules in force stay so; new ones are refused from then on.
// It waits for nothing but changes of other daemons.
func (c *Catalog) Close() {
	c.end()
	c.mu.Lock()
	c.bringing = true // no other begins
	c.mu.Unlock()
	c.others.Wait()
}

// drop ends an admission. Its code in the cache goes with the next change without need of it.
// The caller holds mu.
func (c *Catalog) drop(a *admission) {
	a.cancel()
	dropped := func() {
		a.module.code.letGo()
		c.tested = append(c.tested, a.module.code)
		c.signal()
	}
	if a.over() {
		dropped()
		return
	}
	go func() {
		<-a.done // until then the code is in use
		c.mu.Lock()
		defer c.mu.Unlock()
		dropped()
	}()
}

// await calls land after the end of each admission, until all have ended. The caller holds mu; it
// is free meanwhile. Where ctx or land fails first, Watch sees to the others.
func (c *Catalog) await(ctx context.Context, began []*admission, land func() error) (err error) {
	for _, a := range began {
		a.waiters++
	}
	for landed := 0; landed < len(began) && err == nil; {
		if over := countOver(began); over > landed {
			landed, err = over, land()
			continue
		}
		err = c.wait(ctx)
	}
	for _, a := range began {
		a.waiters--
	}
	if err != nil {
		c.signal()
	}
	return err
}

// wait waits for the next wake. The caller holds mu; it is free meanwhile.
func (c *Catalog) wait(ctx context.Context) error {
	next := c.next
	c.mu.Unlock()
	defer c.mu.Lock()
	select {
	case <-next:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wake has all who wait look again. The caller holds mu.
func (c *Catalog) wake() {
	close(c.next)
	c.next = make(chan struct{})
}

func countOver(all []*admission) (n int) {
	for _, a := range all {
		if a.over() {
			n++
		}
	}
	return n
}
