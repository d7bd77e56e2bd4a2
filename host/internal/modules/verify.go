package modules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// The words for a signature in a Verdict.
const (
	Unsigned      = "none"
	SignatureGood = "good"
	// SignatureTrusted is good by a key outside modules.keys, trusted for this module at its grant.
	SignatureTrusted = "trusted"
	SignatureBad     = "bad"
	SignatureKey     = "unknown_key"
)

// How a file stands against the lock, for Verify alone. With wire.ModulePinned,
// wire.ModuleMissing and wire.ModuleRefused (its entry grants nothing) these are all.
const (
	// Changed: its bytes are not those of the lock.
	Changed wire.ModuleState = "changed"
	// Unpinned: the directory has it and the lock does not.
	Unpinned wire.ModuleState = "unpinned"
	// Unread: it cannot be read.
	Unread wire.ModuleState = "unread"
)

// Verdict is how one file stands against the lock.
type Verdict struct {
	File  string           `json:"file"`
	State wire.ModuleState `json:"state"`
	// Digest is of the present bytes, Pinned the lock's.
	Digest string `json:"digest,omitempty"`
	Pinned string `json:"pinned,omitempty"`
	// Signature is none, good, trusted, bad or unknown_key; Key the key's name and
	// fingerprint.
	Signature string `json:"signature"`
	Key       string `json:"key,omitempty"`
	// Required means modules.require_signature requires one.
	Required bool `json:"signature_required,omitempty"`
	Dev      bool `json:"dev,omitempty"`
	// Problem is the problem and its fix; empty without one.
	Problem string `json:"problem,omitempty"`
}

// Policy is the configuration of signatures. The zero value trusts no key and requires none.
type Policy struct {
	Keys Keys
	// All requires a signature of every module, Modules of those with such a name or
	// file.
	All     bool
	Modules []string
}

// Requires reports whether a module needs a signature.
func (p Policy) Requires(file, name string) bool {
	return p.All || slices.ContainsFunc(p.Modules, func(m string) bool {
		return m == name || m == file || m == strings.TrimSuffix(file, ".wasm")
	})
}

// Judge evaluates the signature of a module before a grant: the effective signature, nil for none,
// and why an existing one does not count. An ineffective signature equals none: signing must not
// make adding harder. The error is for a module with a required signature.
func (p Policy) Judge(file, name, digest string, s *wire.ModuleSignature) (counts *wire.ModuleSignature, doubt string, err error) {
	required := p.Requires(file, name)
	if s == nil && !required {
		return nil, "", nil
	}
	verified, err := p.Keys.Verify(digest, s)
	switch {
	case errors.Is(err, ErrUnsigned):
		return nil, "", fmt.Errorf("%w, but modules.require_signature requires a signature; add one: callgate tool add FILE --signature FILE", err)
	case required && err == nil && verified.Trusted:
		return nil, "", unlisted(verified)
	case required && err != nil:
		return nil, "", err
	case err != nil:
		return nil, err.Error(), nil
	}
	return &verified, "", nil
}

func unlisted(s wire.ModuleSignature) error {
	name := s.Key
	if name == "" {
		name = "NAME"
	}
	return fmt.Errorf("%w: %s; modules.require_signature requires a known key; add it to modules.keys as %s: %s", ErrUnknownKey, s.Signer(), name, s.Public)
}

// Holds is why the signature of an entry in force no longer lets its module load; nil when it does.
// A formerly listed key must still be listed; one trusted for the module counts as long as no
// signature is required.
func (p Policy) Holds(e LockEntry) error {
	s := e.Signature
	if s != nil && !s.Trusted {
		listed := *s
		listed.Public = ""
		s = &listed
	}
	if s == nil && !p.Requires(e.File, e.Name) {
		return nil
	}
	verified, err := p.Keys.Verify(e.Digest, s)
	switch {
	case errors.Is(err, ErrUnsigned):
		return fmt.Errorf("%w, but modules.require_signature requires a signature", err)
	case err == nil && verified.Trusted && p.Requires(e.File, e.Name):
		return unlisted(verified)
	}
	return err
}

// signer is the signature of an entry with its public key; older locks leave the key to
// modules.keys.
func (p Policy) signer(s *wire.ModuleSignature) *wire.ModuleSignature {
	if s == nil || s.Public != "" {
		return s
	}
	with := *s
	if key := p.Keys[s.Key]; key != nil {
		with.Public = PublicText(key)
	}
	return &with
}

// Resigned describes a change of signer since the version before: another key, or none any more.
// Both are empty without a change, also for a module without a signature before.
func (p Policy) Resigned(before, now *wire.ModuleSignature) (was, will string) {
	before, now = p.signer(before), p.signer(now)
	if before == nil || now != nil && now.Public != "" && now.Public == before.Public {
		return "", ""
	}
	return before.Signer(), now.Signer()
}

// Verify checks every file of the directory and every entry of the lock. Problems are those of the
// lock as a whole.
func (p Place) Verify(policy Policy) (verdicts []Verdict, problems []string) {
	loaded, err := p.Load()
	if err != nil {
		problems = append(problems, err.Error())
	}
	seen := map[string]bool{}
	for _, e := range loaded.Entries {
		seen[e.File] = true
		verdicts = append(verdicts, p.verdict(e, policy))
	}
	for _, r := range loaded.Refused {
		seen[r.File] = true
		verdicts = append(verdicts, p.refused(r))
	}
	files, err := p.files()
	if err != nil {
		problems = append(problems, err.Error())
	}
	for _, file := range files {
		if !seen[file] {
			verdicts = append(verdicts, p.unpinned(file))
		}
	}
	slices.SortFunc(verdicts, func(a, b Verdict) int { return strings.Compare(a.File, b.File) })
	return verdicts, problems
}

// files lists the modules of the directory.
func (p Place) files() ([]string, error) {
	entries, err := os.ReadDir(p.Modules)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var files []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".wasm" {
			files = append(files, e.Name())
		}
	}
	return files, err
}

func (p Place) verdict(e LockEntry, policy Policy) Verdict {
	v := Verdict{File: e.File, Pinned: e.Digest, Dev: e.Dev && e.Signature == nil, State: wire.ModulePinned}
	v.sign(e, policy)
	switch err := v.read(p); {
	case errors.Is(err, fs.ErrNotExist):
		v.State, v.Problem = wire.ModuleMissing, "the file is missing. Add it again: callgate tool add; or drop it: callgate tool remove "+e.File
	case err != nil:
		v.State, v.Problem = Unread, err.Error()
	case v.Digest != e.Digest:
		v.State, v.Problem = Changed, "its bytes differ from the pinned ones. To accept them: callgate tool pin "+e.File+"; to restore or replace them: callgate tool rollback, callgate tool add"
	}
	return v
}

// sign judges the signature of the pinned version.
func (v *Verdict) sign(e LockEntry, policy Policy) {
	v.Signature, v.Required = Unsigned, policy.Requires(e.File, e.Name)
	if e.Signature != nil {
		v.Key = policy.signer(e.Signature).Signer()
	}
	err := policy.Holds(e)
	switch {
	case errors.Is(err, ErrUnknownKey):
		v.Signature = SignatureKey
	case err != nil && !errors.Is(err, ErrUnsigned):
		v.Signature = SignatureBad
	case err == nil && e.Signature != nil && e.Signature.Trusted:
		v.Signature = SignatureTrusted
	case err == nil && e.Signature != nil:
		v.Signature = SignatureGood
	}
	if err != nil {
		v.Problem = err.Error()
	}
}

func (p Place) refused(r refusedEntry) Verdict {
	v := Verdict{File: r.File, State: wire.ModuleRefused, Signature: Unsigned, Problem: r.Why.Error() + "; it is not used. Grant it: callgate tool add " + r.File}
	if r.Entry != nil {
		v.Pinned = r.Entry.Digest
	}
	_ = v.read(p) // its entry is the problem
	return v
}

func (p Place) unpinned(file string) Verdict {
	v := Verdict{File: file, State: Unpinned, Signature: Unsigned, Problem: "it has no grant; add one: callgate tool add " + file}
	if err := v.read(p); err != nil {
		v.State, v.Problem = Unread, err.Error()
	}
	return v
}

// read notes the digest of the file.
func (v *Verdict) read(p Place) error {
	data, err := p.Module(v.File)
	if err == nil {
		v.Digest = sandbox.Digest(data)
	}
	return err
}
