package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/codecache"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/compileproc"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// order is the job of a compiling process, beside the module.
type order struct {
	Limits     Limits `json:"limits"`
	Processors int    `json:"processors"`
}

// verdict begins its answer, before the parts of an entry: the module they belong to, or the
// reason for a refusal.
type verdict struct {
	ID    codecache.ID `json:"id"`
	Limit string       `json:"limit,omitempty"`
	Error string       `json:"error,omitempty"`
}

// wallFactor is how many times compile_time may pass on the clock: on a busy machine a process
// waits through no fault of the module.
const wallFactor = 10

// parts is how many parts an answer has: the verdict, and those of an entry.
const parts = 4

// apart tells whether modules are compiled in another process.
func (r *Runtime) apart() bool { return len(r.compiler.argv) > 0 && r.carrier != nil }

// makeApart has another process rewrite and compile a module, and keeps the code.
//
// That process reads hostile bytes with the same compiler as this one would, and its answer
// runs here: a bug of the compiler produces the same wrong code there. Separation removes all
// other effects of compiling on this process. The answer is accepted only for the requested
// module, and only in the right form. RATIONALE.md, "Why is a module compiled in another
// process?".
func (r *Runtime) makeApart(ctx context.Context, digest string, wasm []byte) (*made, error) {
	id := r.codeID(digest)
	var answer []byte
	err := r.compiler.turn(ctx, func(ctx context.Context, abandon context.CancelCauseFunc) (err error) {
		most := wallFactor * r.limits.CompileTime
		defer time.AfterFunc(most, func() { abandon(late(most)) }).Stop()
		answer, err = r.order(ctx, wasm)
		return err
	})
	if err != nil {
		return nil, err
	}
	e, err := readAnswer(answer, id)
	if err != nil {
		return nil, err
	}
	m, err := r.take(ctx, e)
	switch {
	case LimitOf(err) != "":
		return nil, err
	case err != nil:
		return nil, compilerFailed(err)
	}
	if r.kept != nil && len(e.Code) > 0 {
		r.kept.store.Put(id, e)
	}
	return m, nil
}

// order runs the other process.
func (r *Runtime) order(ctx context.Context, wasm []byte) ([]byte, error) {
	what, err := json.Marshal(order{r.limits, workers()})
	if err != nil {
		return nil, err
	}
	// It had the answer in memory twice.
	answer, err := compileproc.Run(ctx, r.compiler.argv, r.limits.CompileBytes/2, what, wasm)
	var failed *compileproc.Failure
	if errors.As(err, &failed) {
		return nil, r.died(failed)
	}
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("start the compiler: %w", err)
	}
	return answer, err
}

// died distinguishes a limit enforced by the system from other causes of death.
func (r *Runtime) died(f *compileproc.Failure) error {
	switch said := strings.ToLower(f.Said); {
	case strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"),
		strings.Contains(said, "pthread_create failed"), strings.Contains(said, "failed to create new os thread"): // no room for a thread's stack
		return exceed("compile_mib", "compiling takes more than %d MiB of memory", r.limits.CompileBytes>>20)
	case strings.Contains(said, "sigxcpu"), f.Spent >= time.Duration(workers())*r.limits.CompileTime: // it may be killed before it has said so
		return exceed("compile_time", "compiling takes more than %s of the processors", r.limits.CompileTime)
	}
	return compilerFailed(f)
}

func compilerFailed(err error) error {
	return fmt.Errorf("not a module this host compiles: the compiler failed: %s", Clean(err.Error(), maxMessage))
}

// readAnswer returns the entry in an answer, if it belongs to that module.
func readAnswer(answer []byte, id codecache.ID) (*codecache.Entry, error) {
	got, err := compileproc.Unpack(answer, parts)
	if err != nil {
		return nil, compilerFailed(err)
	}
	var v verdict
	decoder := json.NewDecoder(bytes.NewReader(got[0]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&v); err != nil {
		return nil, compilerFailed(compileproc.ErrAnswer)
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

// checkEntry checks everything the engine trusts in its own files.
func checkEntry(e *codecache.Entry) error {
	if err := wasmbin.CheckWork(e.Stub, wasmbin.MostWork); err != nil {
		return err
	}
	n, err := wasmbin.Defined(e.Stub)
	if err != nil {
		return err
	}
	if n == 0 { // the engine does not read its own file then
		e.Code = nil
		return nil
	}
	return codecache.CheckCode(e.Code, n)
}

// CompileModule is the main function of Config.Compiler's program: it reads another process's
// job from in, confines this process to the limits in it, and writes to out the compiled code,
// or the reason for a refusal. The error means: neither was possible. The process must do
// nothing else, before or after.
func CompileModule(in io.Reader, out io.Writer) error {
	ordered, err := compileproc.Receive(in, 2)
	if err != nil {
		return err
	}
	var o order
	if err := json.Unmarshal(ordered[0], &o); err != nil {
		return fmt.Errorf("read what to compile: %w", err)
	}
	l := o.Limits
	if err := compileproc.Confine(compileproc.Limits{Time: l.CompileTime, Bytes: l.CompileBytes, Processors: o.Processors}); err != nil {
		return err
	}
	id, e, err := compileHere(context.Background(), l, ordered[1], rand.Text())
	v := verdict{ID: id}
	if err != nil {
		e, v.Limit, v.Error = &codecache.Entry{}, LimitOf(err), err.Error()
	}
	head, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return compileproc.Pack(out, head, e.Facts, e.Stub, e.Code)
}

// compileHere makes the entry of a module, in a process for this job alone.
func compileHere(ctx context.Context, l Limits, wasm []byte, tag string) (id codecache.ID, _ *codecache.Entry, err error) {
	r := &Runtime{limits: l, compiler: newCompiler(nil)}
	if err := r.openEngine(ctx, true); err != nil {
		return id, nil, err
	}
	id = r.codeID(Digest(wasm))
	binary, err := r.rewrite(wasm)
	if err != nil {
		return id, nil, err
	}
	e, err := entry(id, binary, nil, tag)
	if err != nil {
		return id, nil, notRunnable(err)
	}
	// The engine processes the types of such code without interruption.
	if err := wasmbin.CheckWork(e.Stub, wasmbin.MostWork); err != nil {
		return id, nil, notRunnable(err)
	}
	_, e.Code, err = r.compile(ctx, binary.Wasm)
	if err != nil {
		return id, nil, notRunnable(err)
	}
	return id, e, nil
}
