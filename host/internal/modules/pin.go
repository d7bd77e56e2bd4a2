package modules

import (
	"errors"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/wire"
)

// pin are the operator's permissions for one file of the directory.
type pin struct {
	// digest is the sha256, in hex, of the granted bytes.
	digest string
	// description is the DescriptionDigest at the grant.
	description string
	// previous is the digest of the formerly pinned bytes; their compiled code is kept for a
	// rollback; empty for none.
	previous string
	// dev lets other bytes than the pinned ones be loaded: under the same rights when
	// they describe themselves in the same words, else under its names alone.
	dev bool
	// rights are the module's permissions, complete. Nil Names are none.
	rights Rights
	// why says, without a digest, why the file is not loaded. Calls of rights.Names fail
	// then.
	why string
	// away means that another daemon changed the file, and its change is not in force here yet.
	away bool
	// claims are names in an entry without a grant: calls of the unanswered ones fail.
	claims []string
}

// pins are the permissions of the directory's files, as far as files must be pinned. The zero value
// is none: then Settings.Grants hold.
type pins struct {
	required bool
	unpinned bool // files without a pin load as well, by Settings.Grants
	byFile   map[string]pin
}

// locked reports whether files of the directory load as the lock grants alone.
func (c *Catalog) locked() bool { return c.opts.State != "" || c.opts.Audit != nil }

// readPins reads the lock. The caller holds mu.
func (c *Catalog) readPins() (p pins, err error) {
	if !c.locked() {
		return p, nil
	}
	p = pins{required: true, unpinned: c.settings.Unpinned, byFile: map[string]pin{}}
	granted, err := c.readGrants()
	if err != nil {
		return pins{required: true}, fmt.Errorf("grants of tool modules: %w", err)
	}
	for _, r := range granted.Refused {
		one := pin{why: r.Why.Error()}
		if r.Entry != nil {
			one.claims = r.Entry.Names
		}
		p.byFile[r.File] = one
	}
	for _, e := range granted.Entries {
		p.byFile[e.File] = c.pinOf(e)
	}
	for file, a := range c.away {
		p.byFile[file] = a.pin(file)
	}
	return p, nil
}

// readGrants are the lock's grants. Where files without a pin load, every account with write access
// to the directory could bring modules.
func (c *Catalog) readGrants() (Grants, error) {
	if c.opts.Audit != nil {
		if err := c.place.Recover(); err != nil {
			return Grants{}, err
		}
	}
	granted, err := c.place.Load()
	if err == nil && c.settings.Unpinned {
		err = c.place.safe()
	}
	return granted, err
}

// pinOf is the pin of an entry. Where a signature is needed, or the module was signed, no
// other bytes than the signed ones are loaded: a version by another signer, or by none,
// wants a new decision. No other bytes than granted ones replace a built-in module.
func (c *Catalog) pinOf(e LockEntry) pin {
	policy := c.settings.Signatures
	if err := policy.Holds(e); err != nil {
		return pin{why: err.Error(), rights: Rights{Names: e.Names}}
	}
	one := pin{
		digest: e.Digest, description: e.Description, rights: c.settings.rights(e.File, e.Name, e.Grant),
		dev: e.Dev && e.Signature == nil && !policy.Requires(e.File, e.Name) && !c.replaceable(e.File),
	}
	if e.Previous != nil {
		one.previous = e.Previous.Digest
	}
	return one
}

// rights are a module's permissions by a grant of the lock: its limits are those of the
// configuration's grant, else of the lock's, else those of all modules.
func (s Settings) rights(file, name string, g wire.Grant) Rights {
	_, own, _ := GrantOf(s.Grants, file, name)
	return Rights{Names: g.Names, MayAllow: g.MayAllow, MayReadOnly: g.MayReadOnly, Config: own.Config, Limits: overlay(own.Limits, SandboxLimits(g))}
}

// of is the pin of a file; false when Settings.Grants stand for it.
func (p pins) of(f id) (one pin, ok bool) {
	if f.embedded || !p.required {
		return pin{}, false
	}
	one, ok = p.byFile[f.file]
	return one, ok || !p.unpinned
}

// needed reports whether a pin speaks of a digest.
func (p pins) needed(digest string) bool {
	for _, pin := range p.byFile {
		if pin.digest == digest || pin.previous == digest {
			return true
		}
	}
	return false
}

var errUnpinned = errors.New("it has no grant")

// admits refuses bytes not chosen by the operator.
func (p pins) admits(f file) error {
	pin, ok := p.of(f.id)
	switch {
	case !ok:
		return nil
	case pin.away:
		return fmt.Errorf("not loaded: %s", pin.why)
	case pin.digest == "" && pin.why != "":
		return fmt.Errorf("not loaded: %s; grant it: callgate tool add %s", pin.why, f.file)
	case pin.digest == "" && !pin.dev:
		return fmt.Errorf("not loaded: %w; grant it: callgate tool add %s", errUnpinned, f.file)
	case pin.digest != f.digest && !pin.dev:
		return fmt.Errorf("not loaded: its bytes differ from the pinned ones (%.12s, not %.12s); to accept them: callgate tool pin %s", f.digest, pin.digest, f.file)
	}
	return nil
}

// under are the permissions of a file's module with the description digest declared: never more
// than this description was granted. The note lists the removed ones.
func (p pin) under(file, declared string) (g Rights, note, err error) {
	g = p.rights
	if g.Names == nil {
		g.Names = []string{}
	}
	switch {
	case declared == p.description && declared != "":
		return g, nil, nil
	case !p.dev:
		return Rights{}, nil, fmt.Errorf("not loaded: its declarations changed since the grant; to accept them: callgate tool pin %s", file)
	}
	g.MayAllow, g.MayReadOnly = false, false
	return g, fmt.Errorf("its declarations changed since the grant: it keeps its names, but its own allow and read-only answers are ignored; to accept them: callgate tool pin %s", file), nil
}

// narrowed are the permissions of a module still in use although its file has a new grant: those in
// both grants.
func narrowed(old, now Rights, d *Described) Rights {
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
