package canary

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
)

// Command is the hook's process as its client starts it: in the session's directory, through the
// client's shell when the hook is a line.
func (c Client) Command(ctx context.Context, h settings.Hook, dir string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.Command, h.Args...)
	if !h.Exec {
		cmd = exec.CommandContext(ctx, c.shell(), "-c", h.Command)
	}
	apart(cmd)
	if cmd.Dir, cmd.Env = dir, slices.Clone(c.Env); c.Env == nil {
		cmd.Env = os.Environ()
	}
	if c.Word == settings.ClaudeCode {
		cmd.Env = append(cmd.Env, "CLAUDE_PROJECT_DIR="+dir)
	}
	return cmd
}

// Start runs the hook on a whole payload, for the client's time limit. A late hook gets a signal to
// end first, so its ask is withdrawn.
func (c Client) Start(ctx context.Context, h settings.Hook, dir string, payload []byte, wait time.Duration) runner.Outcome {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	cmd := c.Command(ctx, h, dir)
	var out, errOut bounded
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(payload), &out, &errOut
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	o := runner.Outcome{Stdout: out.text, Stderr: errOut.text, TimedOut: ctx.Err() != nil}
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		o.Exit, o.Signal = ended.ExitCode(), ended.ExitCode() < 0
	case err != nil:
		o.NotStarted = cmd.Process == nil
		o.Signal = cmd.Process != nil
	}
	return o
}

// Interrupt starts the hook with an endless input and does something to it.
func (c Client) Interrupt(ctx context.Context, h settings.Hook, dir string, do func(*os.Process) runner.Outcome) runner.Outcome {
	cmd := c.Command(ctx, h, dir)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return runner.Outcome{NotStarted: true}
	}
	o := do(cmd.Process)
	_ = errors.Join(in.Close(), cmd.Wait()) // it was ended on purpose
	return o
}

// Suspend stops a process as it is, where the system can.
func Suspend(p *os.Process) error { return suspend(p) }

// bounded keeps the beginning of a process's output.
type bounded struct{ text []byte }

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if room := 64<<10 - len(b.text); room > 0 {
		b.text = append(b.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

var _ io.Writer = (*bounded)(nil)
