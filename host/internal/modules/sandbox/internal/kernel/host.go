package kernel

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// The modules a guest may import.
const (
	// EnvModule is the host's module for Extism guests.
	EnvModule = "extism:host/env"
	// WASIModule is the module of WASI preview 1.
	WASIModule = "wasi_snapshot_preview1"
)

// hostModule is kernel.wat's import of the Go side. No guest may import it.
const hostModule = "callgate:host"

// kernelWasm is kernel.wat, built by testdata/modules/build.sh (make wasm).
//
//go:embed kernel.wasm
var kernelWasm []byte

// Limits are a call's limits enforced by the kernel; see sandbox.Limits. None is zero.
type Limits struct {
	Fuel        int64
	Timeout     time.Duration
	StackBytes  int
	ArenaBytes  int // the host memory of a call
	OutputBytes int
	LogLines    int
	LogBytes    int
	ErrorBytes  int
}

// Host is shared by all kernels in an engine. It is safe for concurrent use.
type Host struct {
	engine  wazero.Runtime
	kernel  wazero.CompiledModule
	modules map[string]api.Module
	logger  *slog.Logger
	budget  *memory.Budget
}

// Link compiles the kernel and registers the guests' imports with an engine. Kernels count
// memory lent to guests in budget. logger gets the guests' warnings and errors; nil drops them.
// All of it ends with the engine.
func Link(ctx context.Context, engine wazero.Runtime, budget *memory.Budget, logger *slog.Logger) (*Host, error) {
	h := &Host{engine: engine, modules: map[string]api.Module{}, logger: logger, budget: budget}
	if err := h.linkEnv(ctx); err != nil {
		return nil, fmt.Errorf("link %s: %w", EnvModule, err)
	}
	wasi, err := linkHost(ctx, engine, WASIModule, wasiFunctions)
	if err != nil {
		return nil, fmt.Errorf("link %s: %w", WASIModule, err)
	}
	h.modules[WASIModule] = wasi
	if err := linkFuel(ctx, engine); err != nil {
		return nil, fmt.Errorf("link %s: %w", wasmbin.FuelModule, err)
	}
	return h, nil
}

// linkEnv compiles the kernel, and registers its exports.
func (h *Host) linkEnv(ctx context.Context) (err error) {
	if _, err = linkHost(ctx, h.engine, hostModule, envFunctions); err != nil {
		return err
	}
	if h.kernel, err = h.engine.CompileModule(ctx, kernelWasm); err != nil {
		return err
	}
	h.modules[EnvModule], err = h.engine.InstantiateModule(ctx, h.kernel, unnamed)
	return err
}

// Functions returns a module's functions for guests, by name; false when guests may not import
// it.
func (h *Host) Functions(module string) (map[string]api.FunctionDefinition, bool) {
	m, ok := h.modules[module]
	if !ok {
		return nil, false
	}
	return m.ExportedFunctionDefinitions(), true
}

// unnamed is the configuration of kernels and guests: any number of the same, nothing run
// automatically, nothing of wazero's own WASI. Without a source of random numbers wazero would
// seed one, slower than all the rest.
var unnamed = wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(strings.NewReader(""))
