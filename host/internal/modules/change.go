package modules

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// The errors of changes, besides ErrRefused, ErrNameTaken, and those of the lock and of
// signatures.
var (
	// ErrChangedSince means the module has changed since the person saw it.
	ErrChangedSince = errors.New("the module changed after it was shown")
	// ErrNeedsGrant means the module's declaration or signer differs from its grant's.
	ErrNeedsGrant = errors.New("the module differs from what was granted")
	// ErrBadGrant is an impossible grant.
	ErrBadGrant = errors.New("the grant is invalid")
	// ErrNotInForce is a withdrawn change, because the module was not taken into use.
	ErrNotInForce = errors.New("the module cannot be used; nothing was changed")
)

// Request is a wanted change of one module.
type Request struct {
	// File is its name in the directory of modules.
	File string
	// Wasm are its bytes; for Pin and Rollback they are where the file or the kept
	// version is.
	Wasm []byte
	// Grant are the operator's permissions for it. Nil Names are the exact names it declares. For
	// Pin a nil Grant is its present one, valid only while it declares the same.
	Grant *wire.Grant
	// Signature is the module's; nil for none.
	Signature *wire.ModuleSignature
	// Digest is the digest of the shown bytes, Replaces of the shown pin; empty for not shown,
	// ReplacesNothing for none.
	Digest, Replaces string
	// By is who wants it.
	By string
}

// ReplacesNothing is Request.Replaces of a file shown as not pinned.
const ReplacesNothing = "none"

// Add puts a module into the directory and pins it, with its grant.
func (c *Catalog) Add(ctx context.Context, r Request) (wire.ModuleChange, error) {
	return c.apply(ctx, r, c.proposeAdd)
}

// Pin pins the bytes in the directory.
func (c *Catalog) Pin(ctx context.Context, r Request) (wire.ModuleChange, error) {
	return c.apply(ctx, r, c.proposePin)
}

// Rollback goes back to the version before.
func (c *Catalog) Rollback(ctx context.Context, r Request) (wire.ModuleChange, error) {
	return c.apply(ctx, r, c.proposeRollback)
}

// apply puts the proposal in force, or leaves everything as it was.
func (c *Catalog) apply(ctx context.Context, r Request, propose proposing) (done wire.ModuleChange, err error) {
	_, err = c.tell(func() (Outcome, error) {
		if err := c.takeTurn(ctx, r.File); err != nil {
			return Outcome{}, err
		}
		defer c.endTurn()
		p, err := propose(ctx, r)
		if err != nil {
			return Outcome{}, err
		}
		if p.NeedsGrant {
			return Outcome{}, fmt.Errorf("%w: %s; grant it again: callgate tool pin %s --same-grant, or with grant flags", ErrNeedsGrant, p.otherwise(), r.File)
		}
		out, err := c.put(ctx, p, r.By)
		done = wire.ModuleChange{ModuleProposal: p.ModuleProposal, Took: out.Took, Changed: true}
		for _, s := range out.Swaps {
			if s.File == p.File {
				done.Suspended = s.Suspended
			}
		}
		return out, err
	})
	if err != nil {
		return wire.ModuleChange{}, err
	}
	return done, nil
}

// takeTurn waits for the present change. The caller holds mu, and calls endTurn.
func (c *Catalog) takeTurn(ctx context.Context, file string) error {
	for c.changing != "" {
		if err := c.wait(ctx); err != nil {
			return err
		}
	}
	if err := c.refuseAway(file); err != nil {
		return err
	}
	c.changing = file
	return nil
}

func (c *Catalog) endTurn() {
	c.changing = ""
	c.wake()
}

// put pins the proposal. It goes on even if its caller goes away.
func (c *Catalog) put(ctx context.Context, p proposal, by string) (Outcome, error) {
	g := wire.GrantedModule{
		Name: p.Name, Version: p.Version, Digest: p.Digest, Description: p.Description, Signature: p.Signature,
		Grant: p.Grant, GrantedBy: by, GrantedAt: c.opts.Now().UTC(),
	}
	row := c.row(p.event, by, p.File, &g, p.Replaces)
	if p.ReplacesBuiltIn != "" && p.event == store.EventModuleGranted {
		row.Detail += "; replaces the built-in module " + p.ReplacesBuiltIn
	}
	return c.audited(context.WithoutCancel(ctx), p.File, row, p.Digest, func() (Undo, error) { return c.place.Put(p.File, g, p.wasm, p.raw) })
}

// Remove takes a module away: its file, its grant and the version before.
func (c *Catalog) Remove(ctx context.Context, file, by string) (Outcome, error) {
	ctx = context.WithoutCancel(ctx)
	return c.tell(func() (Outcome, error) {
		if err := c.takeTurn(ctx, file); err != nil {
			return Outcome{}, err
		}
		defer c.endTurn()
		granted, err := c.place.Load()
		if err != nil {
			return Outcome{}, err
		}
		var was *wire.GrantedModule
		if e := granted.Find(file); e != nil {
			was = &e.GrantedModule
		}
		row := c.row(store.EventModuleRemoved, by, file, nil, was)
		return c.audited(ctx, file, row, "", func() (Undo, error) { return c.place.Remove(file) })
	})
}

// audited writes the row of a change and makes the change: without its row there is no change. It
// is undone when it fails, or when the file is not in use with the digest afterwards, empty for
// any. Afterwards it is in force on every daemon of the store.
func (c *Catalog) audited(ctx context.Context, file string, row store.Row, digest string, do func() (Undo, error)) (Outcome, error) {
	held, wasAway := c.away[file]
	delete(c.away, file)
	out, err := c.auditedHere(ctx, file, row, digest, do)
	switch {
	case err == nil:
		err = c.share(ctx, file, row)
	case wasAway:
		err = errors.Join(err, c.putAway(ctx, file, held))
	}
	return out, err
}

// auditedHere is audited for this daemon alone.
func (c *Catalog) auditedHere(ctx context.Context, file string, row store.Row, digest string, do func() (Undo, error)) (Outcome, error) {
	var undo Undo
	out, err := c.change(ctx, func() (err error) {
		if _, err := c.opts.Audit.Append(ctx, row); err != nil {
			return err
		}
		if undo, err = do(); err != nil {
			c.undone(ctx, row, err)
		}
		return err
	})
	if err == nil && digest != "" {
		err = c.inForce(file, digest)
	}
	if err == nil || undo == nil {
		return out, err
	}
	c.undone(ctx, row, err)
	if _, undoErr := c.change(ctx, undo); undoErr != nil {
		return out, errors.Join(err, fmt.Errorf("%s: the change could not be undone; check the state with callgate tool verify: %w", file, undoErr))
	}
	return out, err
}

// inForce requires the bytes to be in use: an unusable module is no change.
func (c *Catalog) inForce(file, digest string) error {
	i, there := c.current.Load().info(id{file: file})
	switch {
	case !there:
		return fmt.Errorf("%w: not found", ErrNotInForce)
	case !i.State.InUse() || i.Digest != digest:
		return fmt.Errorf("%w: %s", ErrNotInForce, i.Problem)
	}
	return nil
}

// undone records that an audited change failed. Without the row the result is the same.
func (c *Catalog) undone(ctx context.Context, row store.Row, err error) {
	row.Event, row.Detail = store.EventModuleUndone, string(row.Event)+" failed: "+err.Error()
	_, _ = c.opts.Audit.Append(ctx, row)
}

// row is the audit's word on a change.
func (c *Catalog) row(event store.Event, by, file string, g, was *wire.GrantedModule) store.Row {
	row := store.Row{Event: event, Time: c.opts.Now(), DecidedBy: by}
	text := []string{file}
	if g != nil {
		row.Module, row.ModuleDigest = g.Name+" "+g.Version, g.Digest
		text = append(text, grantText(g.Grant))
		if g.Signature != nil {
			text = append(text, "signed by "+g.Signature.Signer())
		}
	}
	if was != nil {
		text = append(text, fmt.Sprintf("replaces %s %s, sha256 %s", was.Name, was.Version, was.Digest))
		if g == nil {
			row.Module, row.ModuleDigest = was.Name+" "+was.Version, was.Digest
			text[len(text)-1] = "removed its grant: " + grantText(was.Grant)
		}
	}
	row.Detail = strings.Join(text, "; ")
	return row
}

func grantText(g wire.Grant) string {
	text := fmt.Sprintf("names %s, may_allow %t, may_read_only %t", strings.Join(g.Names, " "), g.MayAllow, g.MayReadOnly)
	for _, c := range grantChanges(wire.Grant{}, wire.Grant{Limits: g.Limits}) {
		text += ", " + c.Where + " " + c.Will
	}
	if g.Dev {
		text += ", dev"
	}
	return text
}

// otherwise says why a module needs another grant.
func (p proposal) otherwise() string {
	if p.SignerWas == "" {
		return "its declarations changed since the grant (" + whereOf(p.Changes) + ")"
	}
	text := "signed by " + p.SignerWill + ", not by " + p.SignerWas
	if where := whereOf(p.Changes); where != "" {
		text += "; its declarations changed: " + where
	}
	return text
}

func whereOf(changes []wire.MemberChange) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Where)
	}
	return strings.Join(all, ", ")
}
