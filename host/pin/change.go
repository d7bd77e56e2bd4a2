package pin

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/private"
	"github.com/callgate/callgate/host/sandbox"
)

// keptDir holds bytes and descriptions by digest: DIGEST.wasm, DIGEST.json.
const keptDir = "kept"

// The errors of changes.
var (
	// ErrNotPinned is a file that has no entry in force.
	ErrNotPinned = errors.New("the module is not pinned")
	// ErrNoPrevious is a module without a version to go back to.
	ErrNoPrevious = errors.New("there is no version before this one to go back to")
)

// Undo takes a change back, as far as nobody changed more since. It is for the one
// who made the change, before the next.
type Undo func() error

// Put pins a file: writes the bytes, which have g's digest, keeps them and what they
// declare, and notes the version before for a rollback. On an error nothing changed.
func (p Place) Put(file string, g Granted, wasm, description []byte) (Undo, error) {
	if sandbox.Digest(wasm) != g.Digest {
		return nil, fmt.Errorf("%s: the bytes are not those of the digest", file)
	}
	return p.change(file, func(c *changing) (*Entry, []byte, error) {
		e := &Entry{File: file, Granted: g}
		if was := c.was; was != nil {
			e.Previous = was.Previous
			if was.Digest != g.Digest {
				e.Previous = &was.Granted
			}
		}
		return e, wasm, errors.Join(c.keep(g.Digest+".wasm", wasm), c.keep(g.Digest+".json", description))
	})
}

// Rollback puts the version before back, bytes and grant, as stamp signs it;
// that one may be rolled back to in turn.
func (p Place) Rollback(file string, stamp func(g Granted) Granted) (Undo, error) {
	return p.change(file, func(c *changing) (*Entry, []byte, error) {
		if c.was == nil {
			return nil, nil, fmt.Errorf("%s: %w", file, ErrNotPinned)
		}
		if c.was.Previous == nil {
			return nil, nil, fmt.Errorf("%s: %w", file, ErrNoPrevious)
		}
		back := *c.was.Previous
		wasm, err := c.kept.Read(back.Digest+".wasm", sandbox.MaxModuleBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%s: %w: its bytes are no longer kept", file, ErrNoPrevious)
		}
		if err == nil && sandbox.Digest(wasm) != back.Digest {
			err = fmt.Errorf("%s was changed outside Callgate: %w", c.kept.Path(back.Digest+".wasm"), ErrNoPrevious)
		}
		return &Entry{File: file, Granted: stamp(back), Previous: &c.was.Granted}, wasm, err
	})
}

// Remove takes a file's entry out of the lock, whether it is in force or not, and the
// file away. ErrNotPinned when there is neither.
func (p Place) Remove(file string) (Undo, error) {
	return p.change(file, func(c *changing) (*Entry, []byte, error) {
		if c.lock.find(file) == nil && c.seals.inForce[file] == nil && !c.modules.Exists(file) {
			return nil, nil, fmt.Errorf("%s: %w", file, ErrNotPinned)
		}
		return nil, nil, nil
	})
}

// changing is one change under way.
type changing struct {
	modules, kept *private.Dir
	seals         *seals
	lock          lock
	file          string
	was           *Entry // the file's entry in force
}

func (c *changing) close() {
	c.seals.close()
	for _, dir := range []*private.Dir{c.modules, c.kept} {
		if dir != nil {
			_ = dir.Close() // each file was written and synced by itself
		}
	}
}

func (p Place) begin(file string) (c *changing, err error) {
	if err := CheckFile(file); err != nil {
		return nil, err
	}
	c = &changing{file: file}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if c.modules, err = private.Open(p.Modules); err != nil {
		return nil, fmt.Errorf("directory of tool modules: %w", err)
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

// keep keeps bytes under a name that says what they are.
func (c *changing) keep(name string, data []byte) error {
	if err := c.kept.Write(name, true, data); err != nil {
		return fmt.Errorf("keep %s: %w", c.kept.Path(name), err)
	}
	return nil
}

// change makes the entry and the bytes that decide says those of the file; a nil entry
// takes both away.
func (p Place) change(file string, decide func(c *changing) (*Entry, []byte, error)) (Undo, error) {
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
	after := standing{entry: e, wasm: wasm}
	if err := c.replace(before, after); err != nil {
		return nil, errors.Join(err, c.replace(after, before))
	}
	return func() error { return p.restore(file, after, before) }, nil
}

// standing is a file as it stands: its entry and its bytes, nil for none; ignored tells
// that the entry's seal does not count.
type standing struct {
	entry   *Entry
	wasm    []byte
	ignored bool
}

func (s standing) seal() []string {
	switch {
	case s.ignored:
		return nil
	case s.entry == nil:
		return []string{noEntry}
	}
	return []string{s.entry.Seal}
}

// present is how the file stands. Bytes that nobody could have judged, such as those
// behind a link, are none.
func (c *changing) present() (standing, error) {
	var now standing
	if e := c.lock.find(c.file); e != nil {
		now.entry, now.ignored = new(*e), c.was == nil
	}
	data, err := c.modules.Read(c.file, sandbox.MaxModuleBytes)
	switch {
	case errors.Is(err, private.ErrUnsafe), errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return now, err
	default:
		now.wasm = data
	}
	return now, nil
}

// replace brings a file from one standing to another.
func (c *changing) replace(from, to standing) error {
	for _, step := range c.steps(from, to) {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// steps are what replace does. Both seals count while the lock is written, and a crash
// there leaves them to [Place.Settle]; a crash between two of the steps loses no other
// module, and this one is not loaded unless its entry and its bytes belong together.
func (c *changing) steps(from, to standing) []func() error {
	return []func() error{
		func() error { return c.seals.put(c.file, slices.Concat(from.seal(), to.seal())...) },
		func() error { return c.writeLock(to.entry) },
		func() error { return c.seals.put(c.file, to.seal()...) },
		func() error { return c.writeModule(to.wasm) },
	}
}

// writeLock writes the lock with an entry in place of the file's own.
func (c *changing) writeLock(e *Entry) error {
	next := c.lock.with(c.file, e)
	text, err := next.text()
	if err == nil {
		_, err = parseLock(text) // what could not be read again is not written
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
func (p Place) restore(file string, from, to standing) error {
	c, err := p.begin(file)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.replace(from, to); err != nil {
		return fmt.Errorf("take the change of %s back: %w", file, err)
	}
	return nil
}

// prune removes what no entry speaks of any more. It runs before the next change and
// not after one, so that a change can be taken back whole. What cannot be removed now
// is another time.
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
