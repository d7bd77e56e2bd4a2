package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/kernel"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// The exports of a tool module. Source: docs/abi.md.
const (
	Describe            = "describe"
	CheckPermissions    = "check_permissions"
	CheckReadOnly       = "check_read_only"
	MatchRule           = "match_rule"
	GenerateSuggestions = "generate_suggestions"
	DescribeCall        = "describe_call"
)

var (
	requiredExports = []string{Describe, CheckPermissions, CheckReadOnly, MatchRule, GenerateSuggestions}
	optionalExports = []string{DescribeCall}
	// initialisers are called by a starting instance; see initialise.
	initialisers = []string{"_initialize", "__wasm_call_ctors", "hs_init"}
)

// Load checks and compiles a module. name is for messages. The errors name the module, the
// import or export, and the requirement; nothing of the module has run by then. Compiling takes
// about a second for a large Go guest, some milliseconds from the cache.
func (r *Runtime) Load(ctx context.Context, name string, wasm []byte) (*Module, error) {
	return r.LoadKnown(ctx, name, Source{Digest: Digest(wasm), Size: len(wasm), Read: func() ([]byte, error) { return wasm, nil }})
}

// Source is a module by its digest. Read is called only when there is no code of the module; it
// must then return bytes of that digest.
type Source struct {
	Digest string
	Size   int
	Read   func() ([]byte, error)
	// Shipped opens a file by the name that Precompile gave it; nil without it. It is trusted as
	// this program is. Optional.
	Shipped func(name string) *io.SectionReader
}

// bytes reads the module.
func (s Source) bytes() ([]byte, error) {
	wasm, err := s.Read()
	if err == nil && (len(wasm) != s.Size || Digest(wasm) != s.Digest) {
		err = errors.New("the module's bytes do not have the digest it was loaded by")
	}
	return wasm, err
}

// LoadKnown is Load of a module with a known digest. RATIONALE.md, "What did not make a start
// faster?".
func (r *Runtime) LoadKnown(ctx context.Context, name string, from Source) (*Module, error) {
	m, err := r.load(ctx, name, from)
	if err != nil {
		return nil, fmt.Errorf("load tool %s: %w", name, err)
	}
	return m, nil
}

var errClosed = errors.New("the runtime is closed")

func (r *Runtime) load(ctx context.Context, name string, from Source) (*Module, error) {
	if !r.use.begin() {
		return nil, errClosed
	}
	defer r.use.end()
	if from.Size > r.limits.ModuleBytes {
		return nil, exceed("module_kib", "%d bytes, at most %d", from.Size, r.limits.ModuleBytes)
	}
	got, err := r.unpack(ctx, from)
	if got == nil && err == nil {
		got, err = r.recall(ctx, from.Digest)
	}
	if got == nil && err == nil {
		var wasm []byte
		if wasm, err = from.bytes(); err == nil {
			got, err = r.make(ctx, from.Digest, wasm)
		}
	}
	if err != nil {
		return nil, err
	}
	verbs, err := r.check(got.compiled)
	if err != nil {
		got.close(ctx)
		return nil, err
	}
	return newModule(r, name, got, verbs, from), nil
}

// Digest is the sha256 of a module's bytes, in hex, its identity everywhere.
func Digest(wasm []byte) string {
	sum := sha256.Sum256(wasm)
	return hex.EncodeToString(sum[:])
}

// make rewrites and compiles a module, and keeps the code.
func (r *Runtime) make(ctx context.Context, digest string, wasm []byte) (*made, error) {
	if r.apart() {
		return r.makeApart(ctx, digest, wasm)
	}
	binary, err := r.rewrite(wasm)
	if err != nil {
		return nil, err
	}
	if err := wasmbin.CheckWork(binary.Wasm, wasmbin.MostWork); err != nil {
		return nil, notRunnable(err)
	}
	m, err := r.hold(binary.Wasm, 0)
	if err != nil {
		return nil, notRunnable(err)
	}
	var code []byte
	if m.compiled, code, err = r.compile(ctx, binary.Wasm); err == nil {
		err = m.more(int64(len(code)))
	}
	if err != nil {
		m.close(ctx)
		return nil, notRunnable(err)
	}
	r.keep(digest, binary, code)
	binary.Wasm = nil
	m.binary = binary
	return m, nil
}

// growth is how much larger fuel may make a module.
const growth = 4

func (r *Runtime) rewrite(wasm []byte) (*wasmbin.Result, error) {
	imports, err := wasmbin.Imports(wasm)
	if err != nil {
		return nil, notRunnable(err)
	}
	for _, i := range imports {
		if i.Kind != "function" {
			return nil, fmt.Errorf("import %s: a tool module may import functions only, got a %s", shownImport(i.Module, i.Name), i.Kind)
		}
		if i.Module != kernel.EnvModule && i.Module != kernel.WASIModule {
			return nil, fmt.Errorf("import %s: a tool module may import only %s and %s", shownImport(i.Module, i.Name), kernel.EnvModule, kernel.WASIModule)
		}
	}
	binary, err := wasmbin.Rewrite(wasm, r.options())
	if err != nil {
		return nil, notRunnable(err)
	}
	return binary, nil
}

// options are the limits with influence on the rewritten code.
func (r *Runtime) options() wasmbin.Options {
	return wasmbin.Options{
		MemoryPages: r.limits.MemoryPages, TableEntries: r.limits.TableEntries,
		Functions: r.limits.Functions, Globals: r.limits.Globals, StackBytes: r.limits.StackBytes,
		Bytes: growth * r.limits.ModuleBytes,
	}
}

// notRunnable is the reason for not loading a module: a limit of the operator's, or a defect.
func notRunnable(err error) error {
	var limit *wasmbin.LimitError
	switch {
	case LimitOf(err) != "":
		return err
	case errors.As(err, &limit) && settable(limit.Limit):
		return exceed(limit.Limit, "%d, at most %d", limit.Got, limit.Most)
	}
	return fmt.Errorf("not a module this host runs: %s", Clean(err.Error(), maxMessage))
}

func settable(limit string) bool {
	return slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == limit })
}

func shownImport(module, name string) string { return Clean(module, 80) + "." + Clean(name, 80) }

// check refuses anything docs/abi.md does not allow, and returns the module's exported verbs.
func (r *Runtime) check(compiled wazero.CompiledModule) ([]string, error) {
	for _, f := range compiled.ImportedFunctions() {
		if err := r.checkImport(f); err != nil {
			return nil, err
		}
	}
	return checkExports(compiled.ExportedFunctions())
}

func (r *Runtime) checkImport(f api.FunctionDefinition) error {
	module, name, _ := f.Import()
	if module == wasmbin.FuelModule {
		return nil // rewrite's own; a guest naming it is refused there
	}
	functions, _ := r.host.Functions(module)
	have, ok := functions[name]
	if !ok {
		return fmt.Errorf("import %s: this host has no such function", shownImport(module, name))
	}
	if !sameSignature(have, f) {
		return fmt.Errorf("import %s: want %s, got %s", shownImport(module, name), signature(have), signature(f))
	}
	return nil
}

// checkExports returns the verbs. The functions called by the host must be the module's own:
// called directly, a host function has no guest in wazero, and its trap would end the process.
func checkExports(exports map[string]api.FunctionDefinition) ([]string, error) {
	for _, name := range slices.Concat(requiredExports, optionalExports, initialisers) {
		if f, ok := exports[name]; ok {
			if module, function, imported := f.Import(); imported {
				return nil, fmt.Errorf("export %s: is the import %s: a tool module must define it", name, shownImport(module, function))
			}
		}
	}
	var verbs []string
	for _, name := range slices.Concat(requiredExports, optionalExports) {
		f, ok := exports[name]
		if !ok {
			if slices.Contains(optionalExports, name) {
				continue
			}
			return nil, fmt.Errorf("export %s: missing", name)
		}
		if len(f.ParamTypes()) != 0 || !slices.Equal(f.ResultTypes(), []api.ValueType{api.ValueTypeI32}) {
			return nil, fmt.Errorf("export %s: want () -> i32, got %s", name, signature(f))
		}
		verbs = append(verbs, name)
	}
	return verbs, nil
}

func sameSignature(a, b api.FunctionDefinition) bool {
	return slices.Equal(a.ParamTypes(), b.ParamTypes()) && slices.Equal(a.ResultTypes(), b.ResultTypes())
}

// signature renders a function type: "() -> i32", "(i32, i64) -> ()".
func signature(f api.FunctionDefinition) string {
	results := typeNames(f.ResultTypes())
	if len(f.ResultTypes()) != 1 {
		results = "(" + results + ")"
	}
	return "(" + typeNames(f.ParamTypes()) + ") -> " + results
}

func typeNames(types []api.ValueType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = api.ValueTypeName(t)
	}
	return strings.Join(names, ", ")
}
