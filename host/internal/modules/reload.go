package modules

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// Reload reads the directory again. Files that did not change keep their module; an unusable file
// keeps its previous module, with a Problem. A new module is compiled, tested and called beside the
// old one; then the new set takes effect at once and as a whole. Snapshots finish with their own
// set. On an error nothing changed.
func (c *Catalog) Reload(ctx context.Context) (Outcome, error) {
	return c.Change(ctx, func() error { return nil })
}

// Change runs change while the directory is not being read, and is then Reload. An error of change
// is returned unchanged, and nothing is read.
func (c *Catalog) Change(ctx context.Context, change func() error) (Outcome, error) {
	return c.tell(func() (Outcome, error) { return c.change(ctx, change) })
}

// tell runs do with mu held, and then tells of its outcome.
func (c *Catalog) tell(do func() (Outcome, error)) (Outcome, error) {
	out, err := func() (Outcome, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return do()
	}()
	if err == nil {
		c.opts.Told(out)
	}
	return out, err
}

// change is Change. The caller holds mu.
func (c *Catalog) change(ctx context.Context, change func() error) (Outcome, error) {
	if err := change(); err != nil {
		return Outcome{}, err
	}
	clear(c.refused) // a person asked: a time-out before may pass now
	return c.settle(ctx, true)
}

// settle makes a new state and, with wait, another one whenever a module tested since the first one
// is usable. It does not wait for modules under test before. The caller holds mu; it is free
// between the builds.
func (c *Catalog) settle(ctx context.Context, wait bool) (Outcome, error) {
	out, b, err := c.replace(ctx)
	if err != nil || !wait {
		return out, err
	}
	err = c.await(ctx, b.began, func() error {
		more, _, err := c.replace(ctx)
		more.Swaps, more.Took = append(out.Swaps, more.Swaps...), more.Took+out.Took
		if err == nil {
			out = more
		}
		return err
	})
	return out, err
}

// Configure reloads under other settings. On an error those before stay.
func (c *Catalog) Configure(ctx context.Context, s Settings) (Outcome, error) {
	return c.tell(func() (Outcome, error) {
		before := c.settings
		c.settings = s
		maps.DeleteFunc(c.refused, func(_ id, r refusal) bool { return late(r.err) }) // it may have more time now
		out, err := c.settle(ctx, !c.opts.Behind)
		if err != nil {
			c.settings = before
		}
		return out, err
	})
}

// replace makes a new state, and returns its builder as well. The caller holds mu.
func (c *Catalog) replace(ctx context.Context) (Outcome, *builder, error) {
	files, problems, err := directoryFiles(c.opts.Dir)
	if err != nil {
		return Outcome{}, nil, nothingChanged(err)
	}
	p, err := c.readPins()
	if err != nil {
		return Outcome{}, nil, nothingChanged(err)
	}
	return c.replaceWith(ctx, files, problems, p, nil)
}

func nothingChanged(err error) error { return fmt.Errorf("catalog: nothing changed: %w", err) }

// replaceWith is replace with these files; unreadable is why those of the directory are missing, nil
// when they are not.
func (c *Catalog) replaceWith(ctx context.Context, files []file, problems []Problem, p pins, unreadable error) (Outcome, *builder, error) {
	began := time.Now()
	prev := c.current.Load()
	b := c.builder(ctx, prev, p)
	b.problems, b.unreadable = slices.Concat(c.builtin, problems), unreadable
	next := b.build(b.inOrder(slices.Concat(c.embedded, files)))
	swaps := b.swaps()
	b.suspend(swaps)
	err := ctx.Err()
	if err == nil {
		err = c.verdicts.remember(next.seen)
	}
	if err != nil {
		next.letGo()
		return Outcome{}, nil, nothingChanged(err)
	}
	c.current.Store(next)
	took := time.Since(began)
	c.refused, c.read = b.refused, digests(files)
	b.forget()
	prev.letGo()
	return Outcome{Swaps: swaps, Problems: slices.Clone(next.problems), Trying: len(b.waits), Took: took}, b, nil
}

// inOrder puts the files with modules in use before new ones beside them: a new file sorting first
// must not take an owned name.
func (b *builder) inOrder(files []file) []file {
	rank := func(f file) int {
		switch {
		case f.embedded:
			return 0
		case b.old(f) != nil:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(files, func(x, y file) int { return rank(x) - rank(y) })
	return files
}

// swaps lists the differences of the new state.
func (b *builder) swaps() []wire.ModuleSwap {
	swaps := []wire.ModuleSwap{}
	for _, i := range b.infos {
		before, there := b.prev.info(fileOf(i))
		s := wire.ModuleSwap{File: i.File, Module: i.Name, Version: i.Version, Found: i.Found, Why: i.Problem, Again: i.Again, Tried: b.tried[fileOf(i)]}
		if m := b.inUse(fileOf(i)); m != nil {
			s.Is, s.Compiled = m.digest, m.code.compiled()
		}
		if m := b.prev.inUse(fileOf(i)); m != nil {
			s.Was = m.digest
		} else if m := b.handedOver(i); m != nil {
			s.Was = m.digest
		}
		news := !there || before.State != i.State || before.Found != i.Found || before.Problem != i.Problem
		switch {
		case s.Is != "" && s.Was == "":
			s.What = wire.SwapLoaded
		case s.Is != "" && s.Is != s.Was:
			s.What = wire.SwapSwapped
		case i.State == wire.ModuleKept && news:
			s.What = wire.SwapKept
		case i.State == wire.ModuleRefused && news:
			s.What = wire.SwapRefused
		case i.State == wire.ModuleMissing && news:
			s.What = wire.SwapRemoved
		default:
			continue
		}
		swaps = append(swaps, s)
	}
	for _, i := range b.prev.infos {
		if _, there := b.info(fileOf(i)); !there && !i.Embedded && !b.backInForce(i.File) {
			s := wire.ModuleSwap{File: i.File, Module: i.Name, Version: i.Version, What: wire.SwapRemoved}
			if m := b.prev.inUse(fileOf(i)); m != nil {
				s.Was = m.digest
			}
			swaps = append(swaps, s)
		}
	}
	return swaps
}

// handedOver is the module replaced by the one of i: a built-in one now replaced, or the removed
// replacement; nil for none.
func (b *builder) handedOver(i wire.ModuleInfo) *module {
	if b.inUse(fileOf(i)) == nil || b.inUse(id{i.File, !i.Embedded}) != nil {
		return nil
	}
	return b.prev.inUse(id{i.File, !i.Embedded})
}

// backInForce reports whether a replaced built-in module answers again.
func (b *builder) backInForce(file string) bool {
	return b.inUse(id{file, true}) != nil && b.prev.inUse(id{file, true}) == nil
}

// suspend makes the host test its stored rules on the new modules.
func (b *builder) suspend(swaps []wire.ModuleSwap) {
	if b.c.opts.Swapping == nil {
		return
	}
	for n := range swaps {
		s := &swaps[n]
		if s.Is == "" || s.Is == s.Was {
			continue
		}
		began := time.Now()
		s.Suspended = b.c.opts.Swapping(b.ctx, &Snapshot{state: b.state}, []string{s.File})
		s.Tried += time.Since(began)
	}
}

// forget removes data kept between processes for unneeded modules: no module in use, and no pin.
func (b *builder) forget() {
	var seen []string // those in use, and those of a file's last admission
	for _, s := range b.seen {
		seen = append(seen, s.digest)
	}
	needed := func(digest string) bool {
		return b.pins.needed(digest) || slices.Contains(seen, digest)
	}
	for _, c := range slices.Concat(b.prev.held, b.made, b.c.tested) {
		if needed(c.digest) {
			continue
		}
		if err := errors.Join(c.forget(), b.c.verdicts.forget(c.digest)); err != nil {
			b.c.opts.Report(fmt.Errorf("catalog: what is kept of %s stays: %w", c.file, err))
		}
	}
	b.c.tested = nil
}
