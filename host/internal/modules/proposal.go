package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// proposal is a change as shown to a person, with everything needed to make it.
type proposal struct {
	wire.ModuleProposal

	event store.Event // of the change
	wasm  []byte
	raw   []byte // the answer of describe
}

// ProposeAdd proposes an Add. Proposals do not wait for each other, nor do changes for them: a slow
// test delays no other.
func (c *Catalog) ProposeAdd(ctx context.Context, r Request) (wire.ModuleChange, error) {
	return c.proposed(ctx, r, c.proposeAdd)
}

// ProposePin proposes a Pin.
func (c *Catalog) ProposePin(ctx context.Context, r Request) (wire.ModuleChange, error) {
	return c.proposed(ctx, r, c.proposePin)
}

// ProposeRollback proposes a Rollback.
func (c *Catalog) ProposeRollback(ctx context.Context, r Request) (wire.ModuleChange, error) {
	return c.proposed(ctx, r, c.proposeRollback)
}

// proposing makes a proposal of a request. The caller holds mu.
type proposing func(context.Context, Request) (proposal, error)

func (c *Catalog) proposed(ctx context.Context, r Request, propose proposing) (wire.ModuleChange, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, err := propose(ctx, r)
	return wire.ModuleChange{ModuleProposal: p.ModuleProposal}, err
}

func (c *Catalog) proposeAdd(ctx context.Context, r Request) (proposal, error) {
	e, err := c.entry(r)
	if err != nil {
		return proposal{}, err
	}
	var g wire.Grant
	if r.Grant != nil {
		g = *r.Grant
	}
	return c.propose(ctx, r, g, e)
}

// proposePin takes the bytes from the directory.
func (c *Catalog) proposePin(ctx context.Context, r Request) (proposal, error) {
	e, err := c.entry(r)
	if err != nil {
		return proposal{}, err
	}
	if r.Wasm, err = c.place.Module(r.File); errors.Is(err, fs.ErrNotExist) {
		return proposal{}, fmt.Errorf("%s: %w: no such file in the modules directory; add it: callgate tool add", r.File, ErrNotPinned)
	} else if err != nil {
		return proposal{}, err
	}
	if e == nil && r.Grant == nil {
		return proposal{}, fmt.Errorf("%s: %w: it has no grant yet; grant it: callgate tool add %[1]s", r.File, ErrNotPinned)
	}
	g := r.Grant
	if g == nil {
		g = &e.Grant
	}
	if r.Signature == nil && r.Digest == "" { // later it is the shown one
		if r.Signature, err = c.lying(r, e); err != nil {
			return proposal{}, err
		}
	}
	p, err := c.propose(ctx, r, *g, e)
	p.NeedsGrant = err == nil && r.Grant == nil && (p.Description != e.Description || p.SignerWas != "")
	return p, err
}

// lying is the signature of the bytes in the directory: the one at their grant, or the file beside
// them; nil for none.
func (c *Catalog) lying(r Request, e *LockEntry) (*wire.ModuleSignature, error) {
	if e != nil && e.Signature != nil && sandbox.Digest(r.Wasm) == e.Digest {
		return e.Signature, nil
	}
	s, err := c.place.signatureFile(r.File)
	if err != nil {
		return nil, fmt.Errorf("%s.sig: %w", r.File, err)
	}
	return s, nil
}

func (c *Catalog) proposeRollback(ctx context.Context, r Request) (proposal, error) {
	e, err := c.entry(r)
	switch {
	case err != nil:
		return proposal{}, err
	case e == nil:
		return proposal{}, fmt.Errorf("%s: %w", r.File, ErrNotPinned)
	case e.Previous == nil:
		return proposal{}, fmt.Errorf("%s: %w (to remove it: callgate tool remove %[1]s; a built-in module that it replaces is then used again)", r.File, ErrNoPrevious)
	}
	if r.Wasm, err = c.place.ReadBackup(e.Previous.Digest); err != nil {
		return proposal{}, fmt.Errorf("%s: %w: %w", r.File, ErrNoPrevious, err)
	}
	r.Signature = e.Previous.Signature
	p, err := c.propose(ctx, r, e.Previous.Grant, e)
	if err == nil && p.Description != e.Previous.Description {
		err = fmt.Errorf("%s: %w; grant it: callgate tool add", r.File, ErrNeedsGrant)
	}
	p.event = store.EventModuleRolledBack
	return p, err
}

// entry is the file's entry in force, and the person's view of it.
func (c *Catalog) entry(r Request) (*LockEntry, error) {
	if err := CheckFile(r.File); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadGrant, err)
	}
	loaded, err := c.place.Load()
	if err != nil {
		return nil, err
	}
	e := loaded.Find(r.File)
	switch {
	case r.Replaces == "":
	case r.Replaces == ReplacesNothing && e == nil:
	case e == nil || r.Replaces != e.Digest:
		return nil, fmt.Errorf("%s: %w: its lock entry changed meanwhile; show it again", r.File, ErrChangedSince)
	}
	return e, nil
}

// propose tests the module and returns its would-be permissions.
func (c *Catalog) propose(ctx context.Context, r Request, g wire.Grant, e *LockEntry) (proposal, error) {
	if err := CheckGrant(g); err != nil {
		return proposal{}, fmt.Errorf("%w: %w", ErrBadGrant, err)
	}
	digest := sandbox.Digest(r.Wasm)
	if r.Digest != "" && r.Digest != digest {
		return proposal{}, fmt.Errorf("%s: %w: its bytes changed; show it again", r.File, ErrChangedSince)
	}
	tested, err := c.test(ctx, r.File, r.Wasm, c.settings.rights(r.File, strings.TrimSuffix(r.File, ".wasm"), g))
	if err != nil {
		return proposal{}, err
	}
	switch {
	case tested.Replaces != "" && g.Dev:
		return proposal{}, fmt.Errorf("%w: dev: %s replaces the built-in module %s, which only pinned bytes may do; leave out --dev", ErrBadGrant, r.File, tested.Replaces)
	case g.Names == nil && tested.Replaces != "":
		g.Names = tested.names()
	case g.Names == nil:
		g.Names = without(tested.names(), isGlob)
	}
	p := proposal{event: store.EventModuleGranted, wasm: r.Wasm, raw: tested.Raw, ModuleProposal: wire.ModuleProposal{
		File: r.File, Name: tested.Name, Version: tested.Version, Summary: tested.Summary, Digest: digest, Size: len(r.Wasm),
		Description: tested.Declared, Grant: g, Suspends: tested.Suspends, ReplacesBuiltIn: tested.Replaces,
	}}
	p.declare(tested.Described)
	// For a grant of another description, the difference is shown instead.
	if err := p.names(tested.Described); err != nil && (r.Grant != nil || e == nil || e.Description == p.Description) {
		return proposal{}, err
	}
	if err := c.sign(&p, r.Signature, e); err != nil {
		return proposal{}, err
	}
	c.compare(&p, e)
	return p, nil
}

// sign judges the signature, and compares the signer with the pinned version's.
func (c *Catalog) sign(p *proposal, s *wire.ModuleSignature, e *LockEntry) (err error) {
	policy := c.settings.Signatures
	if p.Signature, p.Unsigned, err = policy.Judge(p.File, p.Name, p.Digest, s); err != nil {
		return err
	}
	if p.Signature != nil {
		p.Signer = p.Signature.Signer()
	}
	if e != nil {
		p.SignerWas, p.SignerWill = policy.Resigned(e.Signature, p.Signature)
	}
	if p.Grant.Dev && (p.Signature != nil || policy.Requires(p.File, p.Name)) {
		p.Notes = append(p.Notes, "dev is ignored: the module is signed, or modules.require_signature demands it, and changed bytes would not match the signature")
	}
	return nil
}

// compare lists the module's differences from the pinned version.
func (c *Catalog) compare(p *proposal, e *LockEntry) {
	if e == nil {
		return
	}
	p.Replaces, p.GrantChanges = &e.GrantedModule, grantChanges(e.Grant, p.Grant)
	if e.Description == p.Description && e.Version == p.Version {
		return
	}
	was, err := c.place.Description(e.Digest)
	if err == nil {
		if got, bad := DescriptionDigest(was); bad != nil || got != e.Description {
			err = errors.New("it was changed outside Callgate") // a false one would hide the changes
		}
	}
	if err != nil {
		p.Notes = append(p.Notes, "the declarations of the previous version cannot be compared: "+err.Error())
		return
	}
	p.Changes = Changes(was, p.raw)
}

func (p *proposal) declare(d Described) {
	for _, t := range d.Tools {
		p.Tools = append(p.Tools, wire.DeclaredTool{
			Name: t.Name, Aliases: t.Aliases, ReadOnly: t.ReadOnly, EditsFiles: t.EditsFiles, RuleHelp: t.RuleHelp, Examples: len(t.RuleExamples),
		})
	}
}

// names holds the granted names against the declared ones.
func (p *proposal) names(d Described) error {
	declared := d.names()
	var got []string // a tool without its own name has none
	for _, t := range d.Tools {
		for _, name := range t.Names() {
			if covers(p.Grant.Names, t.Name) && covers(p.Grant.Names, name) {
				got = append(got, name)
				continue
			}
			p.NotGranted = append(p.NotGranted, name)
		}
	}
	for _, g := range p.Grant.Names {
		by := func(name string) bool { return covers([]string{g}, name) }
		if !slices.ContainsFunc(declared, by) {
			return fmt.Errorf("%w: names: %q: the module declares no such tool, only %s", ErrBadGrant, g, strings.Join(declared, ", "))
		}
		if !slices.ContainsFunc(got, by) {
			return fmt.Errorf("%w: names: %q is an alias of a tool that is not granted; grant the tool as well", ErrBadGrant, g)
		}
	}
	if len(p.Grant.Names) == 0 {
		return fmt.Errorf("%w: names: no name is left for the module; grant some of %s", ErrBadGrant, strings.Join(declared, ", "))
	}
	return nil
}
