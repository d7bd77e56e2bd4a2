package compileproc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Failure is the end of a worker without an answer.
type Failure struct {
	// Said is the first line of its standard error: untrusted text.
	Said string
	// Spent is its processor time.
	Spent time.Duration
	err   error
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Said == "" {
		return f.err.Error()
	}
	return fmt.Sprintf("%s: %s", f.err, f.Said)
}

// Unwrap returns the system's error.
func (f *Failure) Unwrap() error { return f.err }

// maxSaid caps the kept part of a worker's standard error.
const maxSaid = 4096

// lateness is how long a dead worker's pipes may stay open.
const lateness = time.Second

// Run starts the program named by argv, by its absolute path, gives it the parts and returns
// its answer, at most so many bytes. The worker is gone when Run returns; it is killed when ctx
// ends, which is then the error. Any other error is a *Failure, or means: no worker could be
// started.
func Run(ctx context.Context, argv []string, most int64, parts ...[]byte) ([]byte, error) {
	// On some systems the worker dies with the thread of its starter.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out, said := &capped{most: most}, &capped{most: maxSaid, rest: true}
	cmd := exec.CommandContext(ctx, program(argv[0]), argv[1:]...)
	cmd.Args[0] = argv[0]
	cmd.Env = []string{} // not nil: that would be our environment
	cmd.Dir = filepath.VolumeName(argv[0]) + string(filepath.Separator)
	cmd.Stdout, cmd.Stderr = out, said
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return kill(cmd.Process) }
	cmd.WaitDelay = lateness
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		_ = in.Close() // it has no reader
		return nil, err
	}
	given := give(in, parts)
	err = cmd.Wait() // it closes in
	<-given
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case out.over:
		return nil, &Failure{err: errMuch}
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimLeft(said.held.String(), "\r\n"), "\n")
		spent := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		return nil, &Failure{Said: line, Spent: spent, err: err}
	}
	return out.held.Bytes(), nil
}

// give writes the parts, and leaves the pipe open. A worker that does not read them gives no
// answer.
func give(in io.Writer, parts [][]byte) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = Pack(in, parts...)
	}()
	return done
}

// capped is a buffer with a bound. Anything beyond it is an error, or dropped when the rest
// does not matter.
type capped struct {
	held bytes.Buffer // not embedded: it would read by itself
	most int64
	rest bool
	over bool // there was more
}

var errMuch = errors.New("it answers too much")

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	room := c.most - int64(c.held.Len())
	if int64(len(p)) <= room {
		return c.held.Write(p)
	}
	c.over = true
	if !c.rest {
		return 0, errMuch
	}
	_, _ = c.held.Write(p[:max(0, room)]) // a buffer takes everything
	return len(p), nil
}
