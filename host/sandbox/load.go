package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The exports of a tool module. Source: sdk/ABI.md.
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
)

// Load checks and compiles a module. name is for messages. The errors name the
// module, the import or export, and what was wanted; nothing of the module has
// run by then. Compiling takes about a second for a large Go guest, some
// milliseconds when the cache knows it.
func (r *Runtime) Load(ctx context.Context, name string, wasm []byte) (*Module, error) {
	m, err := r.load(ctx, name, wasm)
	if err != nil {
		return nil, fmt.Errorf("load tool %s: %w", name, err)
	}
	return m, nil
}

func (r *Runtime) load(ctx context.Context, name string, wasm []byte) (*Module, error) {
	if len(wasm) > r.limits.ModuleBytes {
		return nil, fmt.Errorf("%d bytes: at most %d", len(wasm), r.limits.ModuleBytes)
	}
	compiled, err := r.compile(ctx, wasm)
	if err != nil {
		return nil, err
	}
	verbs, err := r.check(compiled)
	if err != nil {
		_ = compiled.Close(ctx) // err says more
		return nil, err
	}
	digest := sha256.Sum256(wasm)
	return newModule(r, name, compiled, verbs, hex.EncodeToString(digest[:]), len(wasm)), nil
}

func (r *Runtime) compile(ctx context.Context, wasm []byte) (wazero.CompiledModule, error) {
	compiled, err := r.engine.CompileModule(ctx, wasm)
	if err != nil {
		return nil, fmt.Errorf("not a module this host runs: %s", Clean(err.Error(), maxMessage))
	}
	return compiled, nil
}

// check refuses what sdk/ABI.md does not allow, and returns the verbs the
// module exports.
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
	shown := Clean(module, 80) + "." + Clean(name, 80)
	host, ok := r.hosts[module]
	if !ok {
		return fmt.Errorf("import %s: a tool module may import only %s and %s", shown, envModule, wasiModule)
	}
	have, ok := host.ExportedFunctionDefinitions()[name]
	if !ok {
		return fmt.Errorf("import %s: this host has no such function", shown)
	}
	if !sameSignature(have, f) {
		return fmt.Errorf("import %s: want %s, got %s", shown, signature(have), signature(f))
	}
	return nil
}

func checkExports(exports map[string]api.FunctionDefinition) ([]string, error) {
	var verbs []string
	for _, name := range slices.Concat(requiredExports, optionalExports) {
		f, ok := exports[name]
		if !ok {
			if slices.Contains(optionalExports, name) {
				continue
			}
			return nil, fmt.Errorf("export %s: missing", name)
		}
		if len(f.ParamTypes()) != 0 || !slices.Equal(f.ResultTypes(), sig(i32)) {
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
