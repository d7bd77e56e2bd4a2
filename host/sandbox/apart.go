package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/sandbox/internal/apart"
	"github.com/callgate/callgate/host/sandbox/internal/codecache"
	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

// order is what a process that compiles is told, beside the module.
type order struct {
	Limits     Limits `json:"limits"`
	Processors int    `json:"processors"`
}

// verdict is what it answers, before the parts of an entry: which module it made
// them of, or why it made none.
type verdict struct {
	ID    codecache.ID `json:"id"`
	Limit string       `json:"limit,omitempty"`
	Error string       `json:"error,omitempty"`
}

// parts is how many parts an answer has: the verdict, and those of an entry.
const parts = 4

// apart tells whether modules are compiled in another process.
func (r *Runtime) apart() bool { return len(r.compiler.argv) > 0 && r.carrier != nil }

// makeApart has another process rewrite and compile a module, and keeps the code.
//
// That process reads hostile bytes with the same compiler as this one would, and
// what it answers is run here: a mistake of the compiler that makes wrong code of a
// module makes it there as well. What being apart does away with is all else that
// compiling could do to this process. The answer is taken for the module that was asked
// for only, and when it has the form of one.
func (r *Runtime) makeApart(ctx context.Context, digest string, wasm []byte) (wazero.CompiledModule, *wasmbin.Result, error) {
	id := r.codeID(digest)
	var answer []byte
	err := r.compiler.alone(ctx, func(ctx context.Context, abandon context.CancelCauseFunc) (err error) {
		most := r.limits.CompileTime
		defer time.AfterFunc(most, func() { abandon(late(most)) }).Stop()
		answer, err = r.order(ctx, wasm)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	e, err := readAnswer(answer, id)
	if err != nil {
		return nil, nil, err
	}
	compiled, binary, err := r.take(ctx, e)
	if err != nil {
		return nil, nil, compilerFailed(err)
	}
	if r.kept != nil && len(e.Code) > 0 {
		r.kept.store.Put(id, e)
	}
	return compiled, binary, nil
}

// order runs the other process.
func (r *Runtime) order(ctx context.Context, wasm []byte) ([]byte, error) {
	what, err := json.Marshal(order{r.limits, workers()})
	if err != nil {
		return nil, err
	}
	// What it answers it had in memory twice.
	answer, err := apart.Run(ctx, r.compiler.argv, r.limits.CompileBytes/2, what, wasm)
	var failed *apart.Failure
	if errors.As(err, &failed) {
		return nil, r.died(failed)
	}
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("start the compiler: %w", err)
	}
	return answer, err
}

// died tells a limit that the system held the process to from what else may have
// ended it.
func (r *Runtime) died(f *apart.Failure) error {
	switch said := strings.ToLower(f.Said); {
	case strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"),
		strings.Contains(said, "pthread_create failed"), strings.Contains(said, "failed to create new os thread"): // no room for a thread's stack
		return exceed("compile_mib", "compiling takes more than %d MiB of memory", r.limits.CompileBytes>>20)
	case strings.Contains(said, "sigxcpu"):
		return late(r.limits.CompileTime)
	}
	return compilerFailed(f)
}

func compilerFailed(err error) error {
	return fmt.Errorf("not a module this host compiles: the compiler failed: %s", Clean(err.Error(), maxMessage))
}

// readAnswer returns the entry that an answer holds, if it is one for that module.
func readAnswer(answer []byte, id codecache.ID) (*codecache.Entry, error) {
	got, err := apart.Unpack(answer, parts)
	if err != nil {
		return nil, compilerFailed(err)
	}
	var v verdict
	decoder := json.NewDecoder(bytes.NewReader(got[0]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&v); err != nil {
		return nil, compilerFailed(apart.ErrAnswer)
	}
	switch said := Clean(v.Error, 2*maxMessage); {
	case v.Limit != "" && settable(v.Limit):
		return nil, &exceeded{v.Limit, said}
	case v.Error != "":
		return nil, errors.New(said)
	case v.ID != id:
		return nil, compilerFailed(errors.New("it answers for another module, or is of another version"))
	}
	e := &codecache.Entry{Facts: got[1], Stub: got[2], Code: got[3]}
	if err := checkEntry(e); err != nil {
		return nil, compilerFailed(err)
	}
	return e, nil
}

// checkEntry makes sure of what the engine trusts its own files in.
func checkEntry(e *codecache.Entry) error {
	if err := wasmbin.CheckWork(e.Stub, wasmbin.MostWork); err != nil {
		return err
	}
	n, err := wasmbin.Defined(e.Stub)
	if err != nil {
		return err
	}
	if n == 0 { // the engine does not read what it wrote then
		e.Code = nil
		return nil
	}
	return codecache.CheckCode(e.Code, n)
}

// CompileModule is what the program of Config.Compiler does: it reads from in what
// another process orders, confines this one to the limits that are told, and writes
// to out what it compiled, or why it did not. The error tells that it could do
// neither. The process must do nothing else, before or after.
func CompileModule(in io.Reader, out io.Writer) error {
	ordered, err := apart.Receive(in, 2)
	if err != nil {
		return err
	}
	var o order
	if err := json.Unmarshal(ordered[0], &o); err != nil {
		return fmt.Errorf("read what to compile: %w", err)
	}
	l := o.Limits
	if err := apart.Confine(apart.Limits{Time: l.CompileTime, Bytes: l.CompileBytes, Processors: o.Processors}); err != nil {
		return err
	}
	id, e, err := compileHere(context.Background(), l, ordered[1])
	v := verdict{ID: id}
	if err != nil {
		e, v.Limit, v.Error = &codecache.Entry{}, LimitOf(err), err.Error()
	}
	head, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return apart.Pack(out, head, e.Facts, e.Stub, e.Code)
}

// compileHere makes the entry of a module, in a process that is for that only.
func compileHere(ctx context.Context, l Limits, wasm []byte) (id codecache.ID, _ *codecache.Entry, err error) {
	r := &Runtime{limits: l, compiler: newCompiler(nil)}
	if err := r.openEngine(ctx, true); err != nil {
		return id, nil, err
	}
	id = r.codeID(Digest(wasm))
	binary, err := r.rewrite(wasm)
	if err != nil {
		return id, nil, err
	}
	e, err := entry(id, binary, nil)
	if err != nil {
		return id, nil, notRunnable(err)
	}
	// What the engine that takes the code does for the types, it does uninterrupted.
	if err := wasmbin.CheckWork(e.Stub, wasmbin.MostWork); err != nil {
		return id, nil, notRunnable(err)
	}
	_, e.Code, err = r.compile(ctx, binary.Wasm)
	if err != nil {
		return id, nil, notRunnable(err)
	}
	return id, e, nil
}
