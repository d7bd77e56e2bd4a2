package pin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/sandbox"
)

// The states of a Verdict.
const (
	Pinned     = "pinned"   // its bytes are those of the lock
	Changed    = "changed"  // its bytes are others
	Missing    = "missing"  // the lock has it, the directory does not
	Unpinned   = "unpinned" // the directory has it, the lock does not
	Distrusted = "refused"  // its entry grants nothing
	Unread     = "unread"   // it cannot be read
)

// The words for a signature in a Verdict.
const (
	Unsigned      = "none"
	SignatureGood = "good"
	SignatureBad  = "bad"
	SignatureKey  = "unknown_key"
)

// Verdict is how one file stands against the lock.
type Verdict struct {
	File  string `json:"file"`
	State string `json:"state"`
	// Digest is of the bytes that are there, Pinned what the lock says.
	Digest string `json:"digest,omitempty"`
	Pinned string `json:"pinned,omitempty"`
	// Signature is none, good, bad or unknown_key; Key the key's name.
	Signature string `json:"signature"`
	Key       string `json:"key,omitempty"`
	// Required tells that modules.require_signature wants one.
	Required bool `json:"signature_required,omitempty"`
	Dev      bool `json:"dev,omitempty"`
	// Problem says what is wrong and what to do; empty when all is well.
	Problem string `json:"problem,omitempty"`
}

// Policy is what the configuration says of signatures. The zero value believes no key
// and requires none.
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

// Check verifies a signature, if there is one; without one it must not be required.
// The signature that comes back names its key.
func (p Policy) Check(file, name, digest string, s *Signature) (*Signature, error) {
	if s == nil && !p.Requires(file, name) {
		return nil, nil
	}
	verified, err := p.Keys.Verify(digest, s)
	if errors.Is(err, ErrUnsigned) {
		return nil, fmt.Errorf("%w, and modules.require_signature wants a signature: callgate tool add FILE --signature FILE", err)
	}
	if err != nil {
		return nil, err
	}
	return &verified, nil
}

// Verify looks at every file of the directory and every entry of the lock. Problems
// are what is wrong with the lock as a whole.
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

func (p Place) verdict(e Entry, policy Policy) Verdict {
	v := Verdict{File: e.File, Pinned: e.Digest, Dev: e.Dev, State: Pinned}
	v.sign(e, policy)
	data, err := p.Module(e.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.State, v.Problem = Missing, "the file is gone: callgate tool add it again, or callgate tool remove "+e.File
		return v
	case err != nil:
		v.State, v.Problem = Unread, err.Error()
		return v
	}
	if v.Digest = sandbox.Digest(data); v.Digest != e.Digest {
		v.State, v.Problem = Changed, "its bytes are not those that are pinned: callgate tool pin "+e.File+" accepts them, callgate tool rollback and callgate tool add put others there"
	}
	return v
}

// sign judges the signature of what is pinned.
func (v *Verdict) sign(e Entry, policy Policy) {
	v.Signature, v.Required = Unsigned, policy.Requires(e.File, e.Name)
	if e.Signature != nil {
		v.Key = e.Signature.Key
	}
	_, err := policy.Check(e.File, e.Name, e.Digest, e.Signature)
	switch {
	case errors.Is(err, ErrUnknownKey):
		v.Signature = SignatureKey
	case err != nil && !errors.Is(err, ErrUnsigned):
		v.Signature = SignatureBad
	case err == nil && e.Signature != nil:
		v.Signature = SignatureGood
	}
	if err != nil {
		v.Problem = err.Error()
	}
}

func (p Place) refused(r Refused) Verdict {
	v := Verdict{File: r.File, State: Distrusted, Signature: Unsigned, Problem: r.Why.Error() + ": it grants nothing: callgate tool add " + r.File}
	if r.Entry != nil {
		v.Pinned = r.Entry.Digest
	}
	if data, err := p.Module(r.File); err == nil {
		v.Digest = sandbox.Digest(data)
	}
	return v
}

func (p Place) unpinned(file string) Verdict {
	v := Verdict{File: file, State: Unpinned, Signature: Unsigned, Problem: "it was granted nothing: callgate tool add " + file}
	data, err := p.Module(file)
	if err != nil {
		v.State, v.Problem = Unread, err.Error()
		return v
	}
	v.Digest = sandbox.Digest(data)
	return v
}
