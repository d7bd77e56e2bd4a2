package catalog

import (
	"encoding/json"
	"time"
)

// Outcome is what came of reading the directory.
type Outcome struct {
	// Swaps are the modules that came, went or were refused; a refusal that was
	// told before is not told again.
	Swaps []Swap `json:"swaps"`
	// Problems is all that is wrong with the modules now.
	Problems []Problem `json:"problems"`
	// Took is from the begin of reading to the moment the new set was in force.
	Took time.Duration `json:"took_ns"`
}

// What says what became of a file.
type What string

// What becomes of a file.
const (
	// Loaded: it has a module now, and had none.
	Loaded What = "loaded"
	// Swapped: its module was replaced.
	Swapped What = "swapped"
	// Removed: its module is no longer there, and the file is gone.
	Removed What = "removed"
	// Refused: it has no module in use; calls of its names fail.
	Refused What = "refused"
	// Kept: its bytes are not used; the module that it had stays in use.
	Kept What = "kept"
)

// Swap is what became of one file.
type Swap struct {
	File    string `json:"file"`
	Module  string `json:"module,omitempty"`
	Version string `json:"version,omitempty"`
	// Was and Is are the digests of the modules in use before and now, empty for
	// none. Found is that of the file's bytes where those are not in use.
	Was   string `json:"was,omitempty"`
	Is    string `json:"is,omitempty"`
	Found string `json:"found,omitempty"`
	What  What   `json:"what"`
	// Why says what is wrong; Again is when that is tried again by itself.
	Why   string    `json:"why,omitempty"`
	Again time.Time `json:"again,omitzero"`
	// Suspended are the texts of the stored allow rules that are not used, because
	// the new module reads them otherwise.
	Suspended []string `json:"suspended,omitempty"`
	// Compiled is how long compiling took, Tried all that came before the swap.
	Compiled time.Duration `json:"compiled_ns,omitempty"`
	Tried    time.Duration `json:"tried_ns,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (p Problem) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		File  string `json:"file"`
		Error string `json:"error"`
	}{p.File, p.Err.Error()})
}

// Standing says how a file stands. Without a daemon it is how the file would stand.
type Standing string

// How a file stands.
const (
	// BuiltIn: its module answers, and comes with Callgate.
	BuiltIn Standing = "built_in"
	// Pinned: its module answers, and has the bytes that were granted something.
	Pinned Standing = "pinned"
	// Dev: its module answers without being the bytes of a grant.
	Dev Standing = "dev"
	// StandsKept: the module that it had before answers.
	StandsKept Standing = "kept"
	// StandsRefused: it is there and not used; calls of its names fail.
	StandsRefused Standing = "refused"
	// Missing: it is expected and not there; calls of its names fail.
	Missing Standing = "missing"
)

// StandsInUse says how a file stands whose bytes, with this digest, are in use; pinned
// is the digest that it is pinned to, empty for none.
func StandsInUse(embedded bool, digest, pinned string) Standing {
	switch {
	case embedded:
		return BuiltIn
	case digest == pinned:
		return Pinned
	}
	return Dev
}

// InUse reports whether the bytes of the file are in use.
func (s Standing) InUse() bool { return s == BuiltIn || s == Pinned || s == Dev }

// ModuleInfo is one module file for lists and inspection.
type ModuleInfo struct {
	File     string `json:"file"`
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	Summary  string `json:"summary,omitempty"`
	Embedded bool   `json:"embedded"`
	// Digest is that of the module in use, else the one that it had last; Found
	// that of the file's bytes where those are not in use.
	Digest string `json:"digest,omitempty"`
	Found  string `json:"found,omitempty"`
	Size   int    `json:"size,omitempty"`
	// Declared is the DescriptionDigest of what the module says of itself.
	Declared string `json:"declared,omitempty"`
	// Pinned is the digest that the file is pinned to; empty for none.
	Pinned string  `json:"pinned,omitempty"`
	Dev    bool    `json:"dev,omitempty"`
	Grant  Granted `json:"grant"`
	// Limits are what the module may use; none when it cannot run.
	Limits []Limit  `json:"limits,omitempty"`
	State  Standing `json:"state"`
	// Problem says what is wrong; empty when all is well. Again is when a file that was
	// refused for want of time is tried again by itself.
	Problem string    `json:"problem,omitempty"`
	Again   time.Time `json:"again,omitzero"`
	// Since is since when the file stands as it does, as this process knows it.
	Since time.Time `json:"since"`
}

// Granted is what a module may do.
type Granted struct {
	// Names are those it may answer to; null means the exact names it gives itself.
	Names       []string `json:"names"`
	MayAllow    bool     `json:"may_allow"`
	MayReadOnly bool     `json:"may_read_only"`
}
