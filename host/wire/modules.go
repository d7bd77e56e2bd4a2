package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// Tool is one tool for lists and inspection.
type Tool struct {
	Name         string          `json:"name"`
	Aliases      []string        `json:"aliases,omitempty"`
	Module       string          `json:"module"`
	Version      string          `json:"version"`
	File         string          `json:"file"`
	Embedded     bool            `json:"embedded"`
	Digest       string          `json:"digest"`
	Size         int             `json:"size"`
	Summary      string          `json:"summary,omitempty"`
	RuleHelp     string          `json:"rule_help,omitempty"`
	RuleExamples []RuleExample   `json:"rule_examples,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	ReadOnly     bool            `json:"read_only"`
	EditsFiles   bool            `json:"edits_files"`
	MayAllow     bool            `json:"may_allow"`
	MayReadOnly  bool            `json:"may_read_only"`
	// Limits are the limits of the tool's module; none when it cannot run.
	Limits []Limit `json:"limits,omitempty"`
	// State says how its module's file stands.
	State ModuleState `json:"state,omitempty"`
	// Fallback marks the tool for all unclaimed names.
	Fallback bool `json:"fallback,omitempty"`
	// Error says why calls of this name fail; empty when all is well.
	Error string `json:"error,omitempty"`
}

// Names are the tool's own name, then its aliases.
func (t Tool) Names() []string { return append([]string{t.Name}, t.Aliases...) }

// RuleExample is one rule example of a tool: whether the rule matches the input.
type RuleExample struct {
	Content  string          `json:"content"`
	Behavior string          `json:"behavior"`
	Input    json.RawMessage `json:"input"`
	Match    bool            `json:"match"`
	// CWD is the only working directory of the example; empty means /project.
	CWD string `json:"cwd,omitempty"`
}

// Limit is one limit of a module, spelled as the operator's configuration does.
type Limit struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
}

// ModuleState says how a module's file stands. Without a daemon it is how the file
// would stand.
type ModuleState string

// How a module's file stands.
const (
	// ModuleBuiltIn: its module answers, and comes with Callgate.
	ModuleBuiltIn ModuleState = "built_in"
	// ModulePinned: its module answers, with the bytes its permissions are for.
	ModulePinned ModuleState = "pinned"
	// ModuleDev: its module answers without being the bytes of a grant.
	ModuleDev ModuleState = "dev"
	// ModuleKept: its previous module answers.
	ModuleKept ModuleState = "kept"
	// ModuleRefused: it is there and not used; calls of its names fail.
	ModuleRefused ModuleState = "refused"
	// ModuleTrying: it is being compiled and tested. Its previous module answers; without one,
	// calls of its names fail until the test ends.
	ModuleTrying ModuleState = "trying"
	// ModuleMissing: it is expected and not there; calls of its names fail.
	ModuleMissing ModuleState = "missing"
)

// InUse reports whether the bytes of the file are in use.
func (s ModuleState) InUse() bool {
	return s == ModuleBuiltIn || s == ModulePinned || s == ModuleDev
}

// ModuleList is the module files of a daemon.
type ModuleList struct {
	Modules []Module `json:"modules"`
	// Lock is where the lock is; Problem why nothing of it is believed, empty when it
	// is.
	Lock    string `json:"lock"`
	Problem string `json:"problem,omitempty"`
}

// Module is one module file, as it stands and as it was granted.
type Module struct {
	ModuleInfo
	// Granted is the pinned version, Previous the one for a rollback; nil for none.
	Granted  *GrantedModule `json:"granted,omitempty"`
	Previous *GrantedModule `json:"previous,omitempty"`
}

// ModuleInfo is how one module file stands.
type ModuleInfo struct {
	File     string `json:"file"`
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	Summary  string `json:"summary,omitempty"`
	Embedded bool   `json:"embedded"`
	// Replaces means the file takes the place of the built-in module of this name.
	Replaces bool `json:"replaces_built_in,omitempty"`
	// Digest is the module's in use, else its last one; Found the digest of the file's bytes where
	// those are not in use.
	Digest string `json:"digest,omitempty"`
	Found  string `json:"found,omitempty"`
	Size   int    `json:"size,omitempty"`
	// Declared is the digest of the module's description of itself.
	Declared string `json:"declared,omitempty"`
	// Pinned is the digest in the file's pin; empty for none.
	Pinned string       `json:"pinned,omitempty"`
	Dev    bool         `json:"dev,omitempty"`
	Grant  ModuleRights `json:"grant"`
	// Limits are the module's limits; none when it cannot run.
	Limits []Limit     `json:"limits,omitempty"`
	State  ModuleState `json:"state"`
	// Problem is the present problem; empty without one. Again is the time of the next automatic
	// try after a refusal for want of time.
	Problem string    `json:"problem,omitempty"`
	Again   time.Time `json:"again,omitzero"`
	// Since is since when the file stands as it does, as the daemon knows it.
	Since time.Time `json:"since"`
}

// ModuleRights are a module's present permissions.
type ModuleRights struct {
	// Names are those it may answer to; null means the exact names it gives itself.
	Names       []string `json:"names"`
	MayAllow    bool     `json:"may_allow"`
	MayReadOnly bool     `json:"may_read_only"`
}

// Grant are the operator's permissions for one module. The zero value grants nothing.
type Grant struct {
	// Names are the exact tool names and globs it may answer for.
	Names []string `json:"names"`
	// MayAllow and MayReadOnly make its own allow and read_only count.
	MayAllow    bool `json:"may_allow"`
	MayReadOnly bool `json:"may_read_only"`
	// Limits are those other than the configuration's, as modules.limits spells them: "fuel":
	// "2000000000".
	Limits map[string]string `json:"limits,omitzero"`
	// Dev lets other bytes in the file take over the grant: all of it while they
	// declare the same, else its names alone.
	Dev bool `json:"dev,omitzero"`
}

// GrantedModule is one version of a module with its permissions.
type GrantedModule struct {
	// Name and Version are the module's own words.
	Name    string `json:"name"`
	Version string `json:"version"`
	// Digest is of its bytes, Description of its declaration; SHA-256 in hex.
	Digest      string           `json:"digest"`
	Description string           `json:"description"`
	Signature   *ModuleSignature `json:"signature,omitzero"`
	Grant
	GrantedBy string    `json:"granted_by"`
	GrantedAt time.Time `json:"granted_at"`
}

// ModuleSignature is an Ed25519 signature of a module.
type ModuleSignature struct {
	// Key is the name of the key, as modules.keys of the configuration has it. A
	// signature may leave it out.
	Key string `json:"key,omitzero"`
	// Value is the signature in base64.
	Value string `json:"value"`
	// Public is the public key in base64, for an operator who checks the signature without listing
	// the key; a signature may leave it out.
	Public string `json:"public,omitzero"`
	// Trusted means the key is not in modules.keys, and believed for this one module since a person
	// granted it a permission. Only the daemon sets it.
	Trusted bool `json:"trusted,omitzero"`
}

// Signer names the key for people: its name, chosen by its owner, and its fingerprint.
func (s *ModuleSignature) Signer() string {
	switch {
	case s == nil:
		return "nobody"
	case s.Public == "":
		return s.Key
	}
	raw, _ := base64.StdEncoding.DecodeString(s.Public) // it was checked when it was read
	sum := sha256.Sum256(raw)
	return strings.TrimSpace(s.Key + " SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:]))
}

// Text is the signature as a file: JSON when it says anything of its key, else base64
// alone.
func (s ModuleSignature) Text() []byte {
	s.Trusted = false
	if data, err := json.Marshal(s); err == nil && (s.Key != "" || s.Public != "") {
		return append(data, '\n')
	}
	return []byte(s.Value + "\n")
}

// ModuleProposal is shown to a person before a module gets permissions: its description of itself,
// its permissions, and the module it would replace.
type ModuleProposal struct {
	File string `json:"file"`
	// Name, Version and Summary are the module's own words.
	Name    string `json:"name"`
	Version string `json:"version"`
	Summary string `json:"summary,omitempty"`
	Digest  string `json:"digest"`
	Size    int    `json:"size"`
	// Description is the digest of its declaration, without the version.
	Description string         `json:"description"`
	Tools       []DeclaredTool `json:"tools"`
	// Grant are its proposed permissions, its names complete.
	Grant Grant `json:"grant"`
	// NotGranted are the declared names it does not get.
	NotGranted []string `json:"not_granted,omitempty"`
	// Signature is the effective one, with its key; absent for none. One by a key outside
	// modules.keys is Trusted: granting the module trusts the key for it.
	Signature *ModuleSignature `json:"signature,omitempty"`
	// Signer names the key and its fingerprint; Unsigned says why an existing signature counts as
	// none.
	Signer   string `json:"signer,omitempty"`
	Unsigned string `json:"signature_problem,omitempty"`
	// SignerWas and SignerWill describe a changed signer: another key signed the version before, or
	// this one is not signed any more; empty otherwise.
	SignerWas  string `json:"signer_was,omitempty"`
	SignerWill string `json:"signer_will,omitempty"`
	// ReplacesBuiltIn is the name of the replaced built-in module; empty for none. Removing the
	// module brings it back.
	ReplacesBuiltIn string `json:"replaces_built_in,omitempty"`
	// Replaces is the present pin.
	Replaces *GrantedModule `json:"replaces,omitempty"`
	// Changes are differences from the replaced module's description, member by member;
	// GrantChanges those of its grant.
	Changes      []MemberChange `json:"changes,omitempty"`
	GrantChanges []MemberChange `json:"grant_changes,omitempty"`
	// NeedsGrant means pinning it requires a new grant: its description or its signer has changed.
	NeedsGrant bool `json:"needs_grant,omitempty"`
	// Suspends are stored allow rules out of use after the change, because the module reads them
	// otherwise.
	Suspends []string `json:"suspends,omitempty"`
	// Notes are further things to know, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// DeclaredTool is a tool declared by a module.
type DeclaredTool struct {
	Name       string   `json:"name"`
	Aliases    []string `json:"aliases,omitempty"`
	ReadOnly   bool     `json:"read_only"`
	EditsFiles bool     `json:"edits_files"`
	RuleHelp   string   `json:"rule_help,omitempty"`
	Examples   int      `json:"rule_examples"`
}

// MemberChange is one different member of a description, or of a grant.
type MemberChange struct {
	// Where is the path to the member, as tools.Deploy.aliases; tools are told by
	// their names.
	Where string `json:"where"`
	// Was and Will are its values in JSON; empty for a missing member.
	Was  string `json:"was"`
	Will string `json:"will"`
}

// ModuleChange is the result of a change of a module, or with Changed false the expected one.
type ModuleChange struct {
	ModuleProposal
	// Suspended are the stored allow rules now out of use.
	Suspended []string `json:"suspended,omitempty"`
	// Took is how long it took until the module was in force.
	Took    time.Duration `json:"took_ns"`
	Changed bool          `json:"changed"`
}

// ModuleOutcome is the result of reading the directory of modules.
type ModuleOutcome struct {
	// Swaps are new, removed and refused modules; a refusal is reported only once.
	Swaps []ModuleSwap `json:"swaps"`
	// Problems are all present problems of the modules.
	Problems []ModuleProblem `json:"problems"`
	// Trying is how many modules are being compiled and tried beside everything else.
	Trying int `json:"trying,omitempty"`
	// Took is from the begin of reading to the moment the new set was in force.
	Took time.Duration `json:"took_ns"`
}

// ModuleProblem is something wrong with a module's file, or with the directory.
type ModuleProblem struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// SwapKind is the outcome for a module's file.
type SwapKind string

// The outcomes for a module's file.
const (
	// SwapLoaded: it has a module now, and had none.
	SwapLoaded SwapKind = "loaded"
	// SwapSwapped: its module was replaced.
	SwapSwapped SwapKind = "swapped"
	// SwapRemoved: its module is no longer there, and the file is gone.
	SwapRemoved SwapKind = "removed"
	// SwapRefused: it has no module in use; calls of its names fail.
	SwapRefused SwapKind = "refused"
	// SwapKept: its bytes are not used; its previous module stays in use.
	SwapKept SwapKind = "kept"
)

// ModuleSwap is the outcome for one module's file.
type ModuleSwap struct {
	File    string `json:"file"`
	Module  string `json:"module,omitempty"`
	Version string `json:"version,omitempty"`
	// Was and Is are the digests of the modules in use before and now, empty for none. Found is the
	// digest of the file's bytes where those are not in use.
	Was   string   `json:"was,omitempty"`
	Is    string   `json:"is,omitempty"`
	Found string   `json:"found,omitempty"`
	What  SwapKind `json:"what"`
	// Why is the problem; Again is the time of the next automatic try.
	Why   string    `json:"why,omitempty"`
	Again time.Time `json:"again,omitzero"`
	// Suspended are the texts of the unused stored allow rules, because the new module reads them
	// otherwise.
	Suspended []string `json:"suspended,omitempty"`
	// Compiled is the time for compiling, Tried the time of everything else before the swap.
	Compiled time.Duration `json:"compiled_ns,omitempty"`
	Tried    time.Duration `json:"tried_ns,omitempty"`
}

// Sandbox are the system's features for the sandbox of modules.
type Sandbox struct {
	// Tracking means the system reports the pages written by a call, so only these are reset;
	// without it an instance's whole memory is. Instances then share unwritten pages.
	Tracking bool `json:"tracking"`
	// Kept means compiled code is kept for the next start.
	Kept bool `json:"kept"`
	// CacheMiB is the limit of kept code, CacheUsedMiB the code of the modules in use; it is kept
	// also beyond the limit.
	CacheMiB     int64 `json:"cache_mib,omitempty"`
	CacheUsedMiB int64 `json:"cache_used_mib,omitempty"`
	// Apart means modules are compiled in another process.
	Apart bool `json:"apart"`
	// MemoryMiB is the memory limit of all modules together, UsedMiB their present use.
	MemoryMiB int64 `json:"memory_mib"`
	UsedMiB   int64 `json:"used_mib"`
	// AnswersRun counts the questions to modules that ran one, AnswersRemembered those with an
	// answer in memory, since the start.
	AnswersRun        int64 `json:"answers_run"`
	AnswersRemembered int64 `json:"answers_remembered"`
}
