package modules

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/store"
)

// Daemons that share a store share its pinned modules: the entry of each file is a setting, the bytes
// are rows of their own. The daemon of a change writes the setting when the module is in force in
// its own process. RATIONALE.md, "How does a module reach the other daemons?".

// sharedPrefix begins the names of those settings, before the file.
const sharedPrefix = "module "

// shares reports whether other daemons can have the same modules.
func (c *Catalog) shares() bool { return c.opts.Audit != nil && c.opts.Audit.Node() != "" }

// SharedFile is the file of a setting about a shared module; false for another setting.
func SharedFile(setting string) (string, bool) { return strings.CutPrefix(setting, sharedPrefix) }

// shared is the entry of a file that counts on every daemon; nil for none.
func (c *Catalog) shared(ctx context.Context, file string) (*LockEntry, error) {
	text, err := c.opts.Audit.Setting(ctx, sharedPrefix+file)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case len(text) == 0: // removed
		return nil, nil
	}
	found, err := parseUnsealed(text)
	if err == nil && found.File != file {
		err = fmt.Errorf("it is about %s", found.File)
	}
	if err != nil {
		return nil, fmt.Errorf("shared entry of %s: %w", file, err)
	}
	return &found, nil
}

// share puts the present entry of a file in force on every daemon, after its change here. The caller
// holds mu. On an error the database counts, whatever it says, and this daemon takes that over.
func (c *Catalog) share(ctx context.Context, file string, change store.Row) error {
	if !c.shares() {
		return nil
	}
	err := c.saveShared(ctx, file, change)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: the change could not be put in force on the other daemons: %w", file, err)
	c.undone(ctx, change, err)
	return errors.Join(err, c.putAway(ctx, file, away{why: "its change could not be put in force on every daemon", names: c.namesOf(file)}))
}

// saveShared stores the entry of a file and its bytes.
func (c *Catalog) saveShared(ctx context.Context, file string, row store.Row) error {
	granted, err := c.place.Load()
	if err != nil {
		return err
	}
	text := []byte{} // removed
	e := granted.Find(file)
	if e != nil {
		if err := c.keepBytes(ctx, e); err != nil {
			return err
		}
		if text, err = e.unsealed(); err != nil {
			return err
		}
	}
	row.Event, row.Detail = store.EventModuleShared, "in force on every daemon: "+row.Detail
	if err := c.opts.Audit.SaveSetting(ctx, sharedPrefix+file, text, row); err != nil {
		return err
	}
	if err := c.dropBytes(ctx); err != nil {
		c.opts.Report(err) // they cost space only
	}
	return nil
}

// keepBytes stores the bytes of an entry's versions; the one before as far as it is known.
func (c *Catalog) keepBytes(ctx context.Context, e *LockEntry) error {
	now, err := c.place.version(e.Digest)
	if err == nil {
		err = c.opts.Audit.KeepModule(ctx, now.wasm, now.description)
	}
	if err != nil || e.Previous == nil {
		return err
	}
	before, err := c.place.version(e.Previous.Digest)
	if err != nil {
		return nil // a rollback says so
	}
	return c.opts.Audit.KeepModule(ctx, before.wasm, before.description)
}

// version returns the kept bytes and declaration of a version in the lock.
func (p Place) version(digest string) (v version, err error) {
	if v.wasm, err = p.ReadBackup(digest); err == nil {
		v.description, err = p.Description(digest)
	}
	return v, err
}

// dropBytes removes the bytes of versions that no shared entry names.
func (c *Catalog) dropBytes(ctx context.Context) error {
	files, err := c.sharedFiles(ctx)
	if err != nil {
		return err
	}
	var needed []string
	for _, file := range files {
		e, err := c.shared(ctx, file)
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		if needed = append(needed, e.Digest); e.Previous != nil {
			needed = append(needed, e.Previous.Digest)
		}
	}
	return c.opts.Audit.DropModules(ctx, needed)
}

// sharedFiles are the files with a shared entry or its removal.
func (c *Catalog) sharedFiles(ctx context.Context) (files []string, err error) {
	names, err := c.opts.Audit.SettingNames(ctx, sharedPrefix)
	for _, name := range names {
		if file, _ := SharedFile(name); CheckFile(file) == nil {
			files = append(files, file)
		}
	}
	return files, err
}

// join makes the lock of this machine the shared one, at the start: entries of other daemons are
// taken over, and own ones that were never shared are shared. The caller holds mu.
func (c *Catalog) join(ctx context.Context) error {
	if !c.shares() {
		return nil
	}
	if err := c.place.Recover(); err != nil {
		return nil //nolint:nilerr // nothing of the lock counts, and Open says so
	}
	files, err := c.sharedFiles(ctx)
	if err != nil {
		return err
	}
	granted, err := c.place.Load()
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	for _, e := range granted.Entries {
		if slices.Contains(files, e.File) {
			continue
		}
		if err := c.firstShare(ctx, e); err != nil {
			c.opts.Report(fmt.Errorf("%s: it is not shared with the other daemons: %w", e.File, err))
			continue
		}
		files = append(files, e.File)
	}
	for _, file := range files {
		if err := c.joinFile(ctx, file); err != nil {
			c.away[file] = away{why: err.Error(), names: c.namesOf(file), failed: true}
			c.opts.Report(fmt.Errorf("%s: %w", file, err))
		}
	}
	c.bring()
	return nil
}

// firstShare shares an entry of this machine, unless another daemon is first.
func (c *Catalog) firstShare(ctx context.Context, e LockEntry) error {
	if _, err := c.shared(ctx, e.File); err != nil { // it is missing, and may not come meanwhile
		return err
	}
	row := c.row(store.EventModuleShared, e.GrantedBy, e.File, &e.GrantedModule, nil)
	if err := c.saveShared(ctx, e.File, row); !errors.Is(err, store.ErrStale) {
		return err
	}
	return nil
}

// joinFile takes the shared entry of a file over, and stores its bytes where they are missing, such
// as after a copy of the store.
func (c *Catalog) joinFile(ctx context.Context, file string) error {
	e, err := c.shared(ctx, file)
	if err == nil && e != nil && c.sameAsShared(e, file) {
		known, err := c.opts.Audit.HasModule(ctx, e.Digest)
		if err != nil || !known {
			err = errors.Join(err, c.keepBytes(ctx, e))
		}
		if err != nil {
			return err
		}
	}
	_, err = c.fetch(ctx, file)
	return err
}

// sameAsShared reports whether this machine has the shared entry of a file, or its absence.
func (c *Catalog) sameAsShared(e *LockEntry, file string) bool {
	granted, err := c.place.Load()
	if err != nil {
		return false
	}
	own := granted.Find(file)
	if own == nil || e == nil {
		return own == nil && e == nil && !slices.ContainsFunc(granted.Refused, func(r refusedEntry) bool { return r.File == file })
	}
	a, errA := own.unsealed()
	b, errB := e.unsealed()
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// namesOf are the names of a file's entry on this machine.
func (c *Catalog) namesOf(file string) []string {
	granted, _ := c.place.Load() // without a lock nothing of it is in force
	if e := granted.Find(file); e != nil {
		return e.Names
	}
	return nil
}
