package catalog

import (
	"errors"
	"fmt"
	"slices"
)

// Pin is what the operator granted one file of the directory.
type Pin struct {
	// Digest is the sha256, in hex, of the bytes that were granted.
	Digest string
	// Description is the DescriptionDigest of what was granted.
	Description string
	// Previous is the digest of the bytes that were pinned before, whose compiled
	// code is kept for going back to them; empty for none.
	Previous string
	// Dev lets other bytes than the pinned ones be loaded: under the same Grant when
	// they describe themselves in the same words, else under its Names alone.
	Dev bool
	// Grant is what the module may do, complete. Nil Names are none.
	Grant Grant
	// Why says, without a Digest, why the file is not loaded.
	Why string
}

// pins are what the files of the directory were granted, as far as files have to be
// pinned. The zero value is none, for which Options.Grants stand.
type pins struct {
	required bool
	unpinned bool // files without a pin load as well, by Options.Grants
	byFile   map[string]Pin
}

func (c *Catalog) readPins() (p pins, err error) {
	if c.opts.Pins == nil {
		return p, nil
	}
	p.required = true
	p.unpinned = c.opts.Unpinned != nil && c.opts.Unpinned()
	if p.byFile, err = c.opts.Pins(); err != nil {
		return pins{required: true}, fmt.Errorf("what tool modules were granted: %w", err)
	}
	return p, nil
}

// of is the pin of a file; false when Options.Grants stand for it.
func (p pins) of(f file) (pin Pin, ok bool) {
	if f.embedded || !p.required {
		return Pin{}, false
	}
	pin, ok = p.byFile[f.name]
	return pin, ok || !p.unpinned
}

// needed reports whether a pin speaks of a digest.
func (p pins) needed(digest string) bool {
	for _, pin := range p.byFile {
		if pin.Digest == digest || pin.Previous == digest {
			return true
		}
	}
	return false
}

var errUnpinned = errors.New("it was granted nothing")

// admits refuses bytes that the operator did not choose.
func (p pins) admits(f file) error {
	pin, ok := p.of(f)
	switch {
	case !ok:
		return nil
	case pin.Digest == "" && pin.Why != "":
		return fmt.Errorf("not loaded: %s: callgate tool add %s", pin.Why, f.name)
	case pin.Digest == "" && !pin.Dev:
		return fmt.Errorf("not loaded: %w: callgate tool add %s", errUnpinned, f.name)
	case pin.Digest != f.digest && !pin.Dev:
		return fmt.Errorf("not loaded: its bytes are not those that are pinned (%.12s, not %.12s): callgate tool pin %s", f.digest, pin.Digest, f.name)
	}
	return nil
}

// under is what a module of a file may do that says of itself what declared is the
// digest of: never more than was granted to those words. The note says what was
// taken away.
func (pin Pin) under(f file, declared string) (g Grant, note, err error) {
	g = pin.Grant
	if g.Names == nil {
		g.Names = []string{}
	}
	switch {
	case declared == pin.Description && declared != "":
		return g, nil, nil
	case !pin.Dev:
		return Grant{}, nil, fmt.Errorf("not loaded: it describes itself otherwise than when it was granted: callgate tool pin %s", f.name)
	}
	g.MayAllow, g.MayReadOnly = false, false
	return g, fmt.Errorf("it describes itself otherwise than when it was granted: it keeps its names, and what it allows and calls read-only does not count: callgate tool pin %s", f.name), nil
}

// narrowed is what a module may do that stays in use although its file was granted
// something else: what both grants give it.
func narrowed(old, now Grant, d *Described) Grant {
	both := old
	both.MayAllow, both.MayReadOnly = old.MayAllow && now.MayAllow, old.MayReadOnly && now.MayReadOnly
	if now.Names == nil {
		return both
	}
	both.Names = []string{}
	for _, t := range d.Tools {
		for _, name := range t.Names() {
			if approved(name, old.Names, false) && approved(name, now.Names, false) && !slices.Contains(both.Names, name) {
				both.Names = append(both.Names, name)
			}
		}
	}
	return both
}
