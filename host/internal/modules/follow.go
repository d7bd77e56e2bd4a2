package modules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// away is a file changed by another daemon, until its change is in force here. Calls of its names
// fail.
type away struct {
	why    string
	names  []string
	failed bool // it cannot be loaded; a person may change it here
}

// ErrElsewhere is a change of a file that another daemon has just changed.
var ErrElsewhere = errors.New("another daemon changed the module, and its change is being loaded here; try again")

func (a away) pin(file string) pin {
	return pin{away: true, why: a.why, rights: Rights{Names: a.names}, claims: append(slices.Clone(a.names), file[:len(file)-len(".wasm")])}
}

// refuseAway is an error for a file whose change by another daemon is being loaded: the person has
// not seen it. The caller holds mu.
func (c *Catalog) refuseAway(file string) error {
	if a, ok := c.away[file]; ok && !a.failed {
		return fmt.Errorf("%s: %w", file, ErrElsewhere)
	}
	return nil
}

// putAway puts a file out of force until the shared entry is loaded. The caller holds mu.
func (c *Catalog) putAway(ctx context.Context, file string, a away) error {
	c.away[file] = a
	err := c.replaceAway(ctx)
	c.bring()
	return err
}

// replaceAway is replace, also where the directory of modules cannot be read: then nothing of it is
// in force. The caller holds mu.
func (c *Catalog) replaceAway(ctx context.Context) error {
	_, _, err := c.replace(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	p := pins{required: true, byFile: map[string]pin{}}
	for file, a := range c.away {
		p.byFile[file] = a.pin(file)
	}
	_, _, err = c.replaceWith(ctx, nil, []Problem{{c.opts.Dir, err}}, p, err)
	return err
}

// outdated reports whether a module in use is not the pinned version, although this daemon is not
// changing its file: another daemon pinned the new one, and the old one must not be used any more.
func (c *Catalog) outdated(f file, p pin, old *module) bool {
	return c.shares() && c.changing != f.file && old.digest != p.digest && (!p.dev || f.digest == p.digest)
}

// Follow takes changes of shared modules by other daemons over; of all modules for no file. When it
// returns without an error, no snapshot has another version of a changed module: until the new one
// is loaded, in the background, calls of its names fail. store.ErrBusy means: call again.
func (c *Catalog) Follow(ctx context.Context, files ...string) error {
	if !c.shares() {
		return nil
	}
	if !c.mu.TryLock() {
		return store.ErrBusy
	}
	defer c.mu.Unlock()
	every := len(files) == 0
	if every {
		var err error
		if files, err = c.allFiles(ctx); err != nil {
			return err
		}
	}
	changed := false
	for _, file := range files {
		if every && file == c.changing {
			continue // it is shared, or withdrawn, at its end
		}
		differs, err := c.withhold(ctx, file)
		if err != nil {
			return err
		}
		changed = changed || differs
	}
	if !changed {
		return nil
	}
	err := c.replaceAway(ctx)
	c.bring()
	return err
}

// allFiles are the files with a shared entry, and those of this machine's lock.
func (c *Catalog) allFiles(ctx context.Context) ([]string, error) {
	files, err := c.sharedFiles(ctx)
	if err != nil {
		return nil, err
	}
	granted, _ := c.place.Load() // an unreadable lock has nothing in force
	for _, e := range granted.Entries {
		files = append(files, e.File)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// withhold puts a file out of force when this machine's entry is not the shared one. The caller
// holds mu.
func (c *Catalog) withhold(ctx context.Context, file string) (bool, error) {
	e, err := c.shared(ctx, file)
	if err != nil && !errors.Is(err, store.ErrForged) {
		return false, err
	}
	if err == nil && c.sameAsShared(e, file) {
		return false, nil
	}
	a := away{why: "another daemon changed it; it is being loaded", names: c.namesOf(file)}
	if e != nil {
		a.names = append(slices.Clone(a.names), e.Names...)
	}
	c.away[file] = a
	return true, nil
}

// Pauses before another try to bring a change of another daemon.
const (
	bringAgain     = 500 * time.Millisecond
	bringAgainMost = 30 * time.Second
)

// bring loads the withheld files in the background. The caller holds mu.
func (c *Catalog) bring() {
	if c.bringing || len(c.away) == 0 {
		return
	}
	c.bringing = true
	c.others.Go(func() {
		for pause := bringAgain; c.bringAll(); pause = min(2*pause, bringAgainMost) {
			select {
			case <-c.ending.Done():
				return
			case <-time.After(pause):
			}
		}
	})
}

// bringAll tries each withheld file once. It reports whether some are left; without one the
// goroutine of bring has ended.
func (c *Catalog) bringAll() (left bool) {
	for _, file := range c.awayFiles() {
		if c.ending.Err() == nil {
			_, _ = c.tell(func() (Outcome, error) { return c.bringOne(c.ending, file) }) // its away says why
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.away) == 0 && c.ending.Err() == nil {
		c.bringing = false
	}
	return len(c.away) > 0
}

func (c *Catalog) awayFiles() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return sortedKeys(c.away)
}

// bringOne puts the shared entry of a file in force here. The caller holds mu.
func (c *Catalog) bringOne(ctx context.Context, file string) (Outcome, error) {
	if err := c.takeTurn(ctx, ofAnother); err != nil {
		return Outcome{}, err
	}
	defer c.endTurn()
	reading, cancel := context.WithTimeout(ctx, fetchMost)
	changed, err := c.fetch(reading, file)
	cancel()
	if err != nil {
		before := c.away[file]
		c.away[file] = away{why: err.Error(), names: before.names, failed: true}
		if ctx.Err() == nil && before.why != err.Error() {
			c.opts.Report(fmt.Errorf("%s: a change of another daemon cannot be loaded here: %w", file, err))
		}
		return Outcome{}, c.replaceAway(ctx) // the reason has changed
	}
	if changed {
		delete(c.refused, id{file: file}) // a person wants it
	}
	delete(c.away, file)
	return c.settle(ctx, true)
}

// ofAnother is Catalog.changing during a change of another daemon: it is no file's name.
const ofAnother = "of another daemon"

// fetchMost bounds reading a module from the database.
const fetchMost = 20 * time.Second

// fetch makes this machine's lock and file of a name the shared ones, and reports whether it changed
// anything. The caller holds mu.
func (c *Catalog) fetch(ctx context.Context, file string) (changed bool, err error) {
	e, err := c.shared(ctx, file)
	switch {
	case errors.Is(err, store.ErrForged):
		return false, errors.New("its grant in the database was changed outside Callgate; grant it again: callgate tool add " + file)
	case err != nil:
		return false, err
	case c.sameAsShared(e, file) && (e == nil || c.hasBytes(e)):
		return false, nil
	case e == nil:
		_, err := c.place.Remove(file)
		return true, err
	}
	now, err := c.download(ctx, e.Digest, e.Description)
	if err != nil {
		return false, fmt.Errorf("its bytes cannot be read from the database: %w", err)
	}
	var before *version
	if e.Previous != nil {
		if v, err := c.download(ctx, e.Previous.Digest, e.Previous.Description); err == nil {
			before = &v // without it there is no rollback
		}
	}
	_, err = c.place.Take(*e, now, before)
	return true, err
}

// hasBytes reports whether the file has the pinned bytes, or may have others.
func (c *Catalog) hasBytes(e *LockEntry) bool {
	v := Verdict{File: e.File}
	return v.read(c.place) == nil && (v.Digest == e.Digest || e.Dev)
}

// download reads a version from the database and checks both of its digests.
func (c *Catalog) download(ctx context.Context, digest, description string) (v version, err error) {
	if v.wasm, v.description, err = c.opts.Audit.Module(ctx, digest); err != nil {
		return version{}, err
	}
	if got, err := DescriptionDigest(v.description); err != nil || got != description {
		return version{}, fmt.Errorf("the declaration of module %.12s is another than the granted one", digest)
	}
	return v, nil
}
