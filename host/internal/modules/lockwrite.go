package modules

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// keptDir holds bytes and descriptions by digest: DIGEST.wasm, DIGEST.json.
const keptDir = "kept"

// The errors of changes.
var (
	// ErrNotPinned is a file without an entry in force.
	ErrNotPinned = errors.New("the module is not pinned")
	// ErrNoPrevious is a module without a version to go back to.
	ErrNoPrevious = errors.New("there is no previous version")
)

// Undo reverts a change, unless there are newer changes. It is for the author of the change, before
// the next one.
type Undo func() error

// Put pins a file: it writes the bytes, with g's digest, keeps them and their declaration, and
// notes the version before for a rollback, itself a Put of the earlier version. On an error nothing
// changed.
func (p Place) Put(file string, g wire.GrantedModule, wasm, description []byte) (Undo, error) {
	if sandbox.Digest(wasm) != g.Digest {
		return nil, fmt.Errorf("%s: the bytes do not match the digest", file)
	}
	return p.change(file, func(c *changing) (*LockEntry, []byte, error) {
		e := &LockEntry{File: file, GrantedModule: g}
		if was := c.was; was != nil {
			e.Previous = was.Previous
			if was.Digest != g.Digest {
				e.Previous = &was.GrantedModule
			}
		}
		return e, wasm, c.keepVersion(g.Digest, version{wasm, description})
	})
}

// version is the bytes of one version of a module, and its declaration.
type version struct{ wasm, description []byte }

// Take pins a file as another daemon did: with its entry, the bytes of the entry's version, and
// those of the one before where they are known.
func (p Place) Take(e LockEntry, now version, before *version) (Undo, error) {
	if sandbox.Digest(now.wasm) != e.Digest {
		return nil, fmt.Errorf("%s: the bytes do not match the digest", e.File)
	}
	return p.change(e.File, func(c *changing) (*LockEntry, []byte, error) {
		errs := []error{c.keepVersion(e.Digest, now)}
		if before != nil && e.Previous != nil {
			errs = append(errs, c.keepVersion(e.Previous.Digest, *before))
		}
		return &e, now.wasm, errors.Join(errs...)
	})
}

func (c *changing) keepVersion(digest string, v version) error {
	return errors.Join(c.keep(digest+".wasm", v.wasm), c.keep(digest+".json", v.description))
}

// Remove takes a file's entry out of the lock, whether it is in force or not, and the
// file away. ErrNotPinned when there is neither.
func (p Place) Remove(file string) (Undo, error) {
	return p.change(file, func(c *changing) (*LockEntry, []byte, error) {
		if c.lock.find(file) == nil && c.seals.inForce[file] == nil && !c.modules.Exists(file) {
			return nil, nil, fmt.Errorf("%s: %w", file, ErrNotPinned)
		}
		return nil, nil, nil
	})
}

// changing is one change under way.
type changing struct {
	modules, kept *securedir.Dir
	seals         *seals
	lock          lock
	file          string
	was           *LockEntry // the file's entry in force
}

func (c *changing) close() {
	c.seals.close()
	for _, dir := range []*securedir.Dir{c.modules, c.kept} {
		if dir != nil {
			_ = dir.Close() // each file was written and synced by itself
		}
	}
}

func (p Place) begin(file string) (_ *changing, err error) {
	if err := CheckFile(file); err != nil {
		return nil, err
	}
	c := &changing{file: file}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if c.modules, err = securedir.Open(p.Modules); err != nil {
		return nil, fmt.Errorf("modules directory: %w", err)
	}
	if c.kept, err = c.modules.Sub(keptDir); err != nil {
		return nil, fmt.Errorf("kept versions of tool modules: %w", err)
	}
	if c.lock, err = readLock(c.modules); err != nil {
		return nil, err
	}
	if c.seals, err = openSeals(p.State, true); err != nil {
		return nil, fmt.Errorf("seals of the module lock: %w", err)
	}
	if e := c.lock.find(file); e != nil && c.seals.judge(*e) == nil {
		c.was = new(*e)
	}
	return c, nil
}

// keep keeps bytes under a name derived from them.
func (c *changing) keep(name string, data []byte) error {
	if err := c.kept.Write(name, true, data); err != nil {
		return fmt.Errorf("keep %s: %w", c.kept.Path(name), err)
	}
	return nil
}

// change gives the file the entry and the bytes returned by decide; a nil entry removes both.
func (p Place) change(file string, decide func(c *changing) (*LockEntry, []byte, error)) (Undo, error) {
	c, err := p.begin(file)
	if err != nil {
		return nil, err
	}
	defer c.close()
	c.prune()
	e, wasm, err := decide(c)
	if err != nil {
		return nil, err
	}
	if e != nil {
		if e.Seal, err = c.seals.seal(*e); err == nil {
			err = e.check()
		}
		if err != nil {
			return nil, err
		}
	}
	before, err := c.present()
	if err != nil {
		return nil, err
	}
	after := fileState{entry: e, wasm: wasm}
	if err := c.replace(before, after); err != nil {
		return nil, errors.Join(err, c.replace(after, before))
	}
	return func() error { return p.restore(file, after, before) }, nil
}

// fileState is a file's state: its entry and its bytes, nil for none; ignored means the entry's
// seal does not count.
type fileState struct {
	entry   *LockEntry
	wasm    []byte
	ignored bool
}

func (s fileState) seal() []string {
	switch {
	case s.ignored:
		return nil
	case s.entry == nil:
		return []string{noEntry}
	}
	return []string{s.entry.Seal}
}

// present is the file's state. Unjudgeable bytes, such as those behind a link, are none.
func (c *changing) present() (fileState, error) {
	var now fileState
	if e := c.lock.find(c.file); e != nil {
		now.entry, now.ignored = new(*e), c.was == nil
	}
	data, err := c.modules.Read(c.file, sandbox.MaxModuleBytes)
	switch {
	case errors.Is(err, securedir.ErrUnsafe), errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return now, err
	default:
		now.wasm = data
	}
	return now, nil
}

// replace brings a file from one standing to another.
func (c *changing) replace(from, to fileState) error {
	for _, step := range c.steps(from, to) {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// steps are the steps of replace. Both seals count while the lock is written, and a crash there
// leaves them to [Place.Recover]; a crash between two of the steps loses no other module, and this
// one is not loaded unless its entry and its bytes belong together.
func (c *changing) steps(from, to fileState) []func() error {
	return []func() error{
		func() error { return c.seals.put(c.file, slices.Concat(from.seal(), to.seal())...) },
		func() error { return c.writeLock(to.entry) },
		func() error { return c.seals.put(c.file, to.seal()...) },
		func() error { return c.writeModule(to.wasm) },
	}
}

// writeLock writes the lock with an entry in place of the file's own.
func (c *changing) writeLock(e *LockEntry) error {
	next := c.lock.with(c.file, e)
	text, err := next.text()
	if err == nil {
		_, err = parseLock(text) // an unreadable one is not written again
	}
	if err == nil {
		err = c.modules.Write(LockFile, true, text)
	}
	if err != nil {
		return fmt.Errorf("write the lock of tool modules: %w", err)
	}
	c.lock = next
	return nil
}

// writeModule writes the file's bytes, or takes it away for nil.
func (c *changing) writeModule(wasm []byte) (err error) {
	if wasm == nil {
		err = c.modules.Remove(c.file)
	} else {
		err = c.modules.Write(c.file, true, wasm)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", c.modules.Path(c.file), err)
	}
	return nil
}

// restore undoes a change.
func (p Place) restore(file string, from, to fileState) error {
	c, err := p.begin(file)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.replace(from, to); err != nil {
		return fmt.Errorf("undo the change of %s: %w", file, err)
	}
	return nil
}

// prune removes files without an entry. It runs before the next change and not after one, so a
// change can be undone as a whole. A failed removal is repeated another time.
func (c *changing) prune() {
	wanted := map[string]bool{}
	for _, e := range c.lock.Modules {
		wanted[e.Digest] = true
		if e.Previous != nil {
			wanted[e.Previous.Digest] = true
		}
	}
	files, err := c.kept.Files()
	if err != nil {
		return
	}
	for _, f := range files {
		digest, _, _ := strings.Cut(f.Name(), ".")
		if !wanted[digest] {
			_ = c.kept.Remove(f.Name())
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
