package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/callgate/callgate/host/sandbox"
)

// Reload reads the directory again. Files that did not change keep their module; a
// file that cannot be used keeps the module it had, with a Problem. A new module is
// compiled, tried and called beside the old one; then the new set takes effect at
// once and as a whole. Snapshots finish on what they began with. On an error nothing
// changed.
func (c *Catalog) Reload(ctx context.Context) (Outcome, error) {
	return c.Change(ctx, func() error { return nil })
}

// Change runs change while nobody reads the directory, and is then Reload. On an
// error of change nothing is read, and it is returned as it is.
func (c *Catalog) Change(ctx context.Context, change func() error) (Outcome, error) {
	c.reload.Lock()
	defer c.reload.Unlock()
	if err := change(); err != nil {
		return Outcome{}, err
	}
	clear(c.refused) // a person asked: what failed for want of time may pass now
	return c.replace(ctx, c.grants, c.limits)
}

// SetGrants reloads with other grants and other limits for modules without one.
func (c *Catalog) SetGrants(ctx context.Context, grants map[string]Grant, limits sandbox.Limits) (Outcome, error) {
	c.reload.Lock()
	defer c.reload.Unlock()
	maps.DeleteFunc(c.refused, func(_ string, r refusal) bool { return late(r.err) }) // it may have more time now
	return c.replace(ctx, grants, limits)
}

// replace makes a new state. The caller holds reload.
func (c *Catalog) replace(ctx context.Context, grants map[string]Grant, limits sandbox.Limits) (Outcome, error) {
	began := time.Now()
	files, problems, err := directoryFiles(c.opts.Dir)
	if err != nil {
		return Outcome{}, fmt.Errorf("catalog: nothing changed: %w", err)
	}
	p, err := c.readPins()
	if err != nil {
		return Outcome{}, fmt.Errorf("catalog: nothing changed: %w", err)
	}
	grantsBefore, limitsBefore := c.grants, c.limits
	c.grants, c.limits = grants, limits
	prev := c.current.Load()
	b := c.builder(ctx, prev, p)
	b.problems = slices.Concat(c.builtin, problems)
	next := b.build(b.inOrder(slices.Concat(c.embedded, files)))
	swaps := b.swaps()
	b.suspend(swaps)
	if err = ctx.Err(); err == nil {
		err = c.verdicts.remember(next.seen)
	}
	if err != nil {
		next.letGo()
		c.grants, c.limits = grantsBefore, limitsBefore
		return Outcome{}, fmt.Errorf("catalog: nothing changed: %w", err)
	}
	c.current.Store(next)
	took := time.Since(began)
	c.refused, c.read = b.refused, digests(files)
	b.forget()
	prev.letGo()
	return Outcome{Swaps: swaps, Problems: slices.Clone(next.problems), Took: took}, nil
}

// inOrder puts the files whose modules are in use before those that would be new
// beside them: a name that somebody has is not to be had by a file that sorts first.
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

// swaps tells what is different in the new state.
func (b *builder) swaps() []Swap {
	swaps := []Swap{}
	for _, i := range b.infos {
		before, there := b.prev.info(i.File, i.Embedded)
		s := Swap{File: i.File, Module: i.Name, Version: i.Version, Found: i.Found, Why: i.Problem, Again: i.Again, Tried: b.tried[lastKey(i.File, i.Embedded)]}
		if m := b.prev.inUse(i.File, i.Embedded); m != nil {
			s.Was = m.digest
		}
		if m := b.inUse(i.File, i.Embedded); m != nil {
			s.Is, s.Compiled = m.digest, m.code.compiled()
		}
		news := !there || before.State != i.State || before.Found != i.Found || before.Problem != i.Problem
		switch {
		case s.Is != "" && s.Was == "":
			s.What = Loaded
		case s.Is != "" && s.Is != s.Was:
			s.What = Swapped
		case i.State == StandsKept && news:
			s.What = Kept
		case i.State == StandsRefused && news:
			s.What = Refused
		case i.State == Missing && news:
			s.What = Removed
		default:
			continue
		}
		swaps = append(swaps, s)
	}
	for _, i := range b.prev.infos {
		if _, there := b.info(i.File, i.Embedded); !there {
			s := Swap{File: i.File, Module: i.Name, Version: i.Version, What: Removed}
			if m := b.prev.inUse(i.File, i.Embedded); m != nil {
				s.Was = m.digest
			}
			swaps = append(swaps, s)
		}
	}
	return swaps
}

// suspend has the host try its stored rules on the modules that are new.
func (b *builder) suspend(swaps []Swap) {
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

// forget removes what is kept between processes of modules that nobody needs any
// more: no module in use, and no pin.
func (b *builder) forget() {
	var seen []string // those in use, and those that a file was last admitted as
	for _, s := range b.seen {
		seen = append(seen, s.digest)
	}
	needed := func(digest string) bool {
		return b.pins.needed(digest) || slices.Contains(seen, digest)
	}
	for _, c := range slices.Concat(b.prev.held, b.made, b.c.tried) {
		if needed(c.digest) {
			continue
		}
		if err := errors.Join(c.forget(), b.c.verdicts.forget(c.digest)); err != nil {
			b.c.opts.Report(fmt.Errorf("catalog: what is kept of %s stays: %w", c.file, err))
		}
	}
	b.c.tried = nil
}
