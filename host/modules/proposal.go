package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/sandbox"
)

// Proposal is what a person is shown before a module is granted anything: what it
// says of itself, what it would be granted, and what it would replace.
type Proposal struct {
	File string `json:"file"`
	// Name, Version and Summary are the module's own words.
	Name    string `json:"name"`
	Version string `json:"version"`
	Summary string `json:"summary,omitempty"`
	Digest  string `json:"digest"`
	Size    int    `json:"size"`
	// Description is the digest of what it declares, without the version.
	Description string         `json:"description"`
	Tools       []DeclaredTool `json:"tools"`
	// Grant is what it would be granted, its names complete.
	Grant pin.Grant `json:"grant"`
	// NotGranted are the names that it declares and does not get.
	NotGranted []string `json:"not_granted,omitempty"`
	// Signature is the one that was verified, with its key; absent for none.
	Signature *pin.Signature `json:"signature,omitempty"`
	// Replaces is what is pinned now.
	Replaces *pin.Granted `json:"replaces,omitempty"`
	// Changes are how it describes itself otherwise than what it replaces, member by
	// member; GrantChanges how its grant differs.
	Changes      []pin.Change `json:"changes,omitempty"`
	GrantChanges []pin.Change `json:"grant_changes,omitempty"`
	// NeedsGrant tells that Pin refuses it without a new grant.
	NeedsGrant bool `json:"needs_grant,omitempty"`
	// Suspends are the stored allow rules that would no longer be used, because the
	// module reads them otherwise.
	Suspends []string `json:"suspends,omitempty"`
	// Notes are further things to know, one sentence each.
	Notes []string `json:"notes,omitempty"`

	raw []byte
}

// DeclaredTool is a tool that a module declares.
type DeclaredTool struct {
	Name       string   `json:"name"`
	Aliases    []string `json:"aliases,omitempty"`
	ReadOnly   bool     `json:"read_only"`
	EditsFiles bool     `json:"edits_files"`
	RuleHelp   string   `json:"rule_help,omitempty"`
	Examples   int      `json:"rule_examples"`
}

// ProposeAdd is what Add would do.
func (m *Manager) ProposeAdd(ctx context.Context, r Request) (Proposal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.proposeAdd(ctx, r)
}

// ProposePin is what Pin would do.
func (m *Manager) ProposePin(ctx context.Context, r Request) (Proposal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.proposePin(ctx, &r)
}

// ProposeRollback is what Rollback would do.
func (m *Manager) ProposeRollback(ctx context.Context, r Request) (Proposal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.proposeRollback(ctx, r)
}

func (m *Manager) proposeAdd(ctx context.Context, r Request) (Proposal, error) {
	e, err := m.entry(r)
	if err != nil {
		return Proposal{}, err
	}
	var g pin.Grant
	if r.Grant != nil {
		g = *r.Grant
	}
	return m.propose(ctx, r, g, e)
}

// proposePin takes the bytes from the directory.
func (m *Manager) proposePin(ctx context.Context, r *Request) (Proposal, error) {
	e, err := m.entry(*r)
	if err != nil {
		return Proposal{}, err
	}
	if r.Wasm, err = m.c.Place.Module(r.File); errors.Is(err, fs.ErrNotExist) {
		return Proposal{}, fmt.Errorf("%s: %w: there is no such file in the directory of modules: callgate tool add", r.File, pin.ErrNotPinned)
	} else if err != nil {
		return Proposal{}, err
	}
	if e == nil && r.Grant == nil {
		return Proposal{}, fmt.Errorf("%s: %w: it has no grant yet: callgate tool add %[1]s", r.File, pin.ErrNotPinned)
	}
	g := r.Grant
	if g == nil {
		g = &e.Grant
		if r.Signature == nil && e.Signature != nil && sandbox.Digest(r.Wasm) == e.Digest {
			r.Signature = e.Signature
		}
	}
	p, err := m.propose(ctx, *r, *g, e)
	p.NeedsGrant = err == nil && r.Grant == nil && p.Description != e.Description
	return p, err
}

func (m *Manager) proposeRollback(ctx context.Context, r Request) (Proposal, error) {
	e, err := m.entry(r)
	switch {
	case err != nil:
		return Proposal{}, err
	case e == nil:
		return Proposal{}, fmt.Errorf("%s: %w", r.File, pin.ErrNotPinned)
	case e.Previous == nil:
		return Proposal{}, fmt.Errorf("%s: %w", r.File, pin.ErrNoPrevious)
	}
	if r.Wasm, err = m.c.Place.Kept(e.Previous.Digest); err != nil {
		return Proposal{}, fmt.Errorf("%s: %w: %w", r.File, pin.ErrNoPrevious, err)
	}
	r.Signature = e.Previous.Signature
	p, err := m.propose(ctx, r, e.Previous.Grant, e)
	if err == nil && p.Description != e.Previous.Description {
		err = fmt.Errorf("%s: %w: callgate tool add", r.File, ErrNeedsGrant)
	}
	return p, err
}

// entry is the file's entry in force, and what the person was shown of it.
func (m *Manager) entry(r Request) (*pin.Entry, error) {
	if err := pin.CheckFile(r.File); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadGrant, err)
	}
	loaded, err := m.c.Place.Load()
	if err != nil {
		return nil, err
	}
	e := loaded.Find(r.File)
	switch {
	case r.Replaces == "":
	case r.Replaces == ReplacesNothing && e == nil:
	case e == nil || r.Replaces != e.Digest:
		return nil, fmt.Errorf("%s: %w: its lock changed meanwhile; look at it again", r.File, ErrChangedSince)
	}
	return e, nil
}

// propose tries the module and says what it would get.
func (m *Manager) propose(ctx context.Context, r Request, g pin.Grant, e *pin.Entry) (Proposal, error) {
	if err := g.Check(); err != nil {
		return Proposal{}, fmt.Errorf("%w: %w", ErrBadGrant, err)
	}
	digest := sandbox.Digest(r.Wasm)
	if r.Digest != "" && r.Digest != digest {
		return Proposal{}, fmt.Errorf("%s: %w: its bytes are others; look at it again", r.File, ErrChangedSince)
	}
	tried, err := m.c.Catalog.Try(ctx, r.File, r.Wasm, m.c.Complete(r.File, strings.TrimSuffix(r.File, ".wasm"), g))
	if err != nil {
		return Proposal{}, err
	}
	if g.Names == nil {
		g.Names = plainNames(tried.Described)
	}
	p := Proposal{
		File: r.File, Name: tried.Name, Version: tried.Version, Summary: tried.Summary, Digest: digest, Size: len(r.Wasm),
		Description: tried.Declared, Grant: g, Suspends: tried.Suspends, raw: tried.Raw,
	}
	p.declare(tried.Described)
	// Of a grant that was for another description, the difference is told instead.
	if err := p.names(tried.Described); err != nil && (r.Grant != nil || e == nil || e.Description == p.Description) {
		return Proposal{}, err
	}
	if p.Signature, err = m.c.Policy().Check(r.File, tried.Name, digest, r.Signature); err != nil {
		return Proposal{}, err
	}
	if g.Dev && m.c.Policy().Requires(r.File, tried.Name) {
		p.Notes = append(p.Notes, "dev does not hold: modules.require_signature wants a signature of the module, which other bytes would not have")
	}
	m.compare(&p, e)
	return p, nil
}

// compare tells how the module differs from what is pinned.
func (m *Manager) compare(p *Proposal, e *pin.Entry) {
	if e == nil {
		return
	}
	p.Replaces, p.GrantChanges = &e.Granted, pin.GrantChanges(e.Grant, p.Grant)
	if e.Description == p.Description && e.Version == p.Version {
		return
	}
	was, err := m.c.Place.Description(e.Digest)
	if err == nil {
		err = declared(was, e.Description)
	}
	if err != nil {
		p.Notes = append(p.Notes, "what the version before said of itself cannot be compared: "+err.Error())
		return
	}
	p.Changes = pin.Changes(was, p.raw)
}

// declared wants a kept description to be the one that was granted: a false one would
// hide what changed.
func declared(kept []byte, digest string) error {
	if got, err := catalog.DescriptionDigest(kept); err != nil || got != digest {
		return errors.New("it was changed outside Callgate")
	}
	return nil
}

func (p *Proposal) declare(d catalog.Described) {
	for _, t := range d.Tools {
		p.Tools = append(p.Tools, DeclaredTool{
			Name: t.Name, Aliases: t.Aliases, ReadOnly: t.ReadOnly, EditsFiles: t.EditsFiles, RuleHelp: t.RuleHelp, Examples: len(t.RuleExamples),
		})
	}
}

// names holds the granted names against the declared ones.
func (p *Proposal) names(d catalog.Described) error {
	declared := allNames(d)
	var got []string // a tool that has not its own name has none
	for _, t := range d.Tools {
		for _, name := range t.Names() {
			if catalog.Covered(p.Grant.Names, t.Name) && catalog.Covered(p.Grant.Names, name) {
				got = append(got, name)
				continue
			}
			p.NotGranted = append(p.NotGranted, name)
		}
	}
	for _, g := range p.Grant.Names {
		by := func(name string) bool { return catalog.Covered([]string{g}, name) }
		if !slices.ContainsFunc(declared, by) {
			return fmt.Errorf("%w: names: %q: the module declares no such tool: %s", ErrBadGrant, g, strings.Join(declared, ", "))
		}
		if !slices.ContainsFunc(got, by) {
			return fmt.Errorf("%w: names: %q is another name of a tool whose own name is not granted: grant that as well", ErrBadGrant, g)
		}
	}
	if len(p.Grant.Names) == 0 {
		return fmt.Errorf("%w: names: none is left for the module to answer for: name some of %s", ErrBadGrant, strings.Join(declared, ", "))
	}
	return nil
}

func allNames(d catalog.Described) (names []string) {
	for _, t := range d.Tools {
		names = append(names, t.Names()...)
	}
	return names
}

// plainNames are the exact names that a module declares.
func plainNames(d catalog.Described) []string {
	return slices.DeleteFunc(allNames(d), func(name string) bool { return strings.ContainsAny(name, "*?") })
}
