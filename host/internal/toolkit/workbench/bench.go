package workbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
)

// Options say how a Bench works. The zero value compiles in this process and keeps
// nothing.
type Options struct {
	// CacheDir is where compiled code is kept between processes; empty keeps none.
	CacheDir string
	// Compiler is the command for compiling a module in another process, as
	// sandbox.Config.Compiler; empty compiles in this one.
	Compiler []string
	// Limits are a module's limits. A zero field means the daemon's default for an operator's
	// module.
	Limits sandbox.Limits
	// Compiling hears of each module missing in the cache; nil is silence.
	Compiling func(name string)
	// Log gets the modules' logs and errors of the cache; nil drops them.
	Log *slog.Logger
}

// Bench loads modules. It is safe for concurrent use.
type Bench struct {
	runtime   *sandbox.Runtime
	compiling func(name string)
}

// Open returns a Bench. Close it when all its modules are done with.
func Open(ctx context.Context, o Options) (*Bench, error) {
	report := func(error) {}
	if o.Log != nil {
		report = func(err error) { o.Log.Warn("the cache of compiled modules cannot be used", "error", err) }
	}
	runtime, err := sandbox.New(ctx, sandbox.Config{CacheDir: o.CacheDir, Compiler: o.Compiler, Limits: o.Limits, Logger: o.Log, Report: report})
	if err != nil {
		return nil, fmt.Errorf("workbench: %w", err)
	}
	if o.Compiling == nil {
		o.Compiling = func(string) {}
	}
	return &Bench{runtime, o.Compiling}, nil
}

// Close frees the Bench's modules, after the running calls.
func (b *Bench) Close() error { return b.runtime.Close(context.Background()) }

// Limits are the limits of the Bench's modules; no field is zero.
func (b *Bench) Limits() sandbox.Limits { return b.runtime.Limits() }

// Step is a step of loading a module.
type Step string

// The steps, in their order.
const (
	StepRead     Step = "read the file"
	StepLoad     Step = "check and compile"
	StepDescribe Step = "call describe"
	StepParse    Step = "read the answer of describe"
)

// StepError is a module's failure at a step.
type StepError struct {
	Step Step
	Err  error
}

// Error implements error.
func (e *StepError) Error() string { return fmt.Sprintf("%s: %v", e.Step, e.Err) }

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

// Load reads a module's file, compiles it and has it describe itself. It does not run its rule
// examples: see Module.Examples. Every error is a *StepError; with it comes the Module as far
// as it is known, nil where there are no bytes. Of such a Module only the members named by
// Module's comments may be used, and Run if it was compiled.
func (b *Bench) Load(ctx context.Context, path string) (*Module, error) {
	wasm, err := readFile(path)
	if err != nil {
		return nil, &StepError{StepRead, err}
	}
	m, err := b.LoadBytes(ctx, filepath.Base(path), wasm)
	m.Path = path
	return m, err
}

func readFile(path string) (wasm []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a file", path))
	}
	if wasm, err = io.ReadAll(io.LimitReader(f, sandbox.MaxModuleBytes+1)); err != nil {
		return nil, err
	}
	if len(wasm) > sandbox.MaxModuleBytes {
		return nil, fmt.Errorf("%s has more than %d MiB", path, sandbox.MaxModuleBytes>>20)
	}
	return wasm, nil
}

// LoadBytes is Load of bytes. name is for messages.
func (b *Bench) LoadBytes(ctx context.Context, name string, wasm []byte) (*Module, error) {
	m := &Module{Module: trial.Module{Digest: sandbox.Digest(wasm)}, Path: name, Size: len(wasm), name: name, wasm: wasm}
	if !b.runtime.Compiled(m.Digest) {
		b.compiling(name)
	}
	start := time.Now()
	loaded, err := b.runtime.Load(ctx, name, wasm)
	m.Compile = time.Since(start)
	if err != nil {
		return m, &StepError{StepLoad, err}
	}
	m.Loaded = loaded
	first := m.Run(ctx, sandbox.Describe, nil)
	m.First = first
	if first.Err != nil {
		return m, &StepError{StepDescribe, first.Err}
	}
	m.RawDescription = first.Output
	if m.Description, err = modules.ParseDescription(first.Output); err != nil {
		return m, &StepError{StepParse, err}
	}
	return m, nil
}

// Fresh loads the same bytes again, in instances of their own.
func (b *Bench) Fresh(ctx context.Context, m *Module) (*Module, error) {
	again, err := b.LoadBytes(ctx, m.name, m.wasm)
	again.Path = m.Path
	return again, err
}
