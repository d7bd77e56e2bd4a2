package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/store"
)

// canary is one way the hook is tried.
type canary struct {
	name string
	// what describes the test, as half a sentence.
	what string
	try  func(context.Context, settings.Hook) runner.Outcome
}

// canaries tries the installed hook: as it should be, and with every kind of failure. Threat T09.
func (d *examination) canaries(ctx context.Context) {
	own := d.Settings.Own(settings.PreToolUse)
	if len(own) == 0 {
		d.skip("canary", "no hook is installed, so there is nothing to test", installCommand)
		return
	}
	h := own[0] // of the strongest file
	list := []canary{
		{"canary.normal", "a call that Callgate denies", d.normal},
		{"canary.missing", "hook program missing", d.missing},
		{"canary.killed", "hook killed while it runs", d.killed},
		{"canary.slow_hook", "hook stopped, until the client's time-out", d.stopped},
		{"canary.slow_daemon", "daemon that never answers", d.slowDaemon},
		{"canary.garbage_input", "garbage instead of a call", d.garbageInput},
		{"canary.garbage_daemon", "daemon that answers garbage", d.garbageDaemon},
	}
	for _, c := range list {
		d.Progress("testing the hook: " + c.what)
		f := judge(c, h, c.try(ctx, h))
		if c.name == "canary.normal" && f.State == finding.Passed && !d.judged(ctx) {
			f.State, f.Fix = finding.Error, "The call was blocked, but only because the daemon did not decide it: every call is blocked. Start the daemon (callgate serve), then run "+installCommand
		}
		d.add(f)
	}
	d.add(d.switchedOff(h))
}

// judge describes the client's reaction to an outcome.
func judge(c canary, h settings.Hook, o runner.Outcome) finding.Finding {
	effect := claudecode.Verdict(claudecode.PreToolUse, o, h.OnFailure == "block")
	f := finding.Finding{Check: c.name, State: finding.Passed, Effect: effect.String()}
	if effect != runner.Blocked {
		f.State, f.Fix = finding.Error, installCommand+`, which sets "onFailure": "block"`
	}
	f.Text = fmt.Sprintf("%s: the hook %s; Claude Code %s", c.what, ending(o), consequence(effect, o))
	if c.name != "canary.normal" || effect != runner.Blocked {
		return f
	}
	switch {
	case o.TimedOut:
		f.State, f.Fix = finding.Error, "Callgate did not deny the call at once. Read callgate asks list and the daemon's log"
	case o.Exit != claudecode.ExitDenied || o.NotStarted || o.Signal:
		f.State, f.Fix = finding.Error, "The call was blocked only because the hook failed: every call is blocked. Fix the other findings, then run "+installCommand
	}
	return f
}

// judged reports whether the gate has decided the canary call, rather than the
// hook in its stead.
func (d *examination) judged(ctx context.Context) bool {
	if d.client == nil {
		return d.answered // an agent's token cannot learn more
	}
	page, err := d.client.Audit(ctx, store.Filter{Session: d.session, Limit: 1})
	return err == nil && len(page.Rows) > 0
}

// ending says how the hook's process ended.
func ending(o runner.Outcome) string {
	switch {
	case o.NotStarted:
		return "cannot be started"
	case o.TimedOut:
		return "takes too long"
	case o.Signal:
		return "ends with a signal"
	}
	text := fmt.Sprintf("exits with code %d", o.Exit)
	if line, _, _ := strings.Cut(strings.TrimSpace(string(o.Stderr)), "\n"); line != "" {
		text += fmt.Sprintf(" and prints %q", shortened(line))
	}
	return text
}

func shortened(line string) string {
	const most = 240
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}

func consequence(e runner.Effect, o runner.Outcome) string {
	denied := o.Exit == claudecode.ExitDenied && !o.NotStarted && !o.Signal && !o.TimedOut
	switch {
	case e == runner.Blocked && denied:
		return "blocks the call"
	case e == runner.Blocked:
		return `blocks the call because of "onFailure": "block"`
	case e == runner.Runs:
		return "RUNS the call, as if no hook were installed"
	}
	return "does not block the call: " + e.String()
}

// switchedOff finds the fate of a call when settings switch the hook off.
func (d *examination) switchedOff(h settings.Hook) finding.Finding {
	f := finding.Finding{Check: "canary.switched_off", Effect: runner.Runs.String()}
	if off := d.Settings.Off(h.Scope); len(off) > 0 {
		f.State = finding.Error
		f.Text = fmt.Sprintf("The hook is switched off by %s in %s. Every call RUNS.", off[0].Text, off[0].File)
		f.Fix = "remove that setting, or install the hook in managed settings: " + d.managedCommand()
		return f
	}
	if h.Scope == settings.Managed {
		f.State, f.Effect = finding.Passed, runner.Blocked.String()
		f.Text = "The hook is in managed settings; no project and no flag (--bare, --safe-mode, --setting-sources) can switch it off."
		return f
	}
	f.State = finding.Warning
	f.Text = fmt.Sprintf(`The hook is on, but "disableAllHooks" in %s or %s, or starting claude with --bare, --safe-mode or --setting-sources project, would switch it off. Then every call RUNS.`,
		settings.ProjectFile("PROJECT"), settings.LocalFile("PROJECT"))
	f.Fix = "install the hook in managed settings, where it cannot be switched off: " + d.managedCommand()
	return f
}

// normal sends a call denied in every mode: writing the file of the hook's own token. The gate's
// decision is in the audit.
func (d *examination) normal(ctx context.Context, h settings.Hook) runner.Outcome {
	return d.start(ctx, h, d.payload(h), d.Patience)
}

func (d *examination) garbageInput(ctx context.Context, h settings.Hook) runner.Outcome {
	return d.start(ctx, h, []byte("\x00{\"hook_event_name\": \"PreToolUse\", garbage"), d.Patience)
}

// missing starts the program under a name without a file.
func (d *examination) missing(ctx context.Context, h settings.Hook) runner.Outcome {
	program := h.Command
	if !h.Exec { // a shell's line has its arguments behind the program
		program, _, _ = strings.Cut(h.Command, " hook")
	}
	at := strings.LastIndex(program, "callgate") + len("callgate")
	h.Command = h.Command[:at] + "-gone" + h.Command[at:]
	return d.start(ctx, h, d.payload(h), d.Patience)
}

// killed ends the hook while it waits for the rest of its input.
func (d *examination) killed(ctx context.Context, h settings.Hook) runner.Outcome {
	return d.interrupt(ctx, h, func(p *os.Process) runner.Outcome {
		return runner.Outcome{Signal: p.Kill() == nil}
	})
}

// stopped keeps the hook from answering until the client loses patience.
func (d *examination) stopped(ctx context.Context, h settings.Hook) runner.Outcome {
	return d.interrupt(ctx, h, func(p *os.Process) runner.Outcome {
		err := suspend(p)
		_ = p.Kill() // it cannot answer any more, so the client's time-out has the same outcome at once
		return runner.Outcome{TimedOut: err == nil}
	})
}

func (d *examination) slowDaemon(ctx context.Context, h settings.Hook) runner.Outcome {
	return d.withFake(h, silent, func(h settings.Hook) runner.Outcome {
		h.Args = setFlag(h.Args, "timeout", d.Slow.String())
		return d.start(ctx, h, d.payload(h), d.Slow)
	})
}

func (d *examination) garbageDaemon(ctx context.Context, h settings.Hook) runner.Outcome {
	return d.withFake(h, babbling, func(h settings.Hook) runner.Outcome {
		return d.start(ctx, h, d.payload(h), d.Patience)
	})
}

// payload is the client's input for the hook before a call.
func (d *examination) payload(h settings.Hook) []byte {
	file, _ := h.Flag("token-file")
	if file == "" {
		file = d.Dirs.State
	}
	dir := d.Settings.Places.Project
	if dir == "" {
		dir = d.Dirs.Home
	}
	id := rand.Text()
	d.session = "callgate-doctor-" + id
	text, err := json.Marshal(map[string]any{
		"session_id": d.session, "transcript_path": "", "cwd": dir, "permission_mode": "default",
		"hook_event_name": settings.PreToolUse, "tool_name": "Write", "tool_use_id": "toolu_doctor_" + id,
		"tool_input": map[string]string{"file_path": file, "content": "callgate doctor: a canary that must be denied\n"},
	})
	if err != nil {
		panic("doctor: a payload is not JSON: " + err.Error()) // our own bug: strings are
	}
	return text
}

// command is the hook's process as the client starts it.
func (d *examination) command(ctx context.Context, h settings.Hook) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.Command, h.Args...)
	if !h.Exec {
		cmd = exec.CommandContext(ctx, "sh", "-c", h.Command)
	}
	apart(cmd)
	cmd.Dir = d.Settings.Places.Project
	cmd.Env = append(os.Environ(), "CLAUDE_PROJECT_DIR="+d.Settings.Places.Project)
	return cmd
}

// start runs the hook on a whole payload, for the client's time limit. A late hook gets a signal to
// end first, so its ask is withdrawn.
func (d *examination) start(ctx context.Context, h settings.Hook, payload []byte, wait time.Duration) runner.Outcome {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	cmd := d.command(ctx, h)
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

// interrupt starts the hook with an endless input and does something to it.
func (d *examination) interrupt(ctx context.Context, h settings.Hook, do func(*os.Process) runner.Outcome) runner.Outcome {
	cmd := d.command(ctx, h)
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

// setFlag gives an argument another value.
func setFlag(args []string, name, value string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--"+name:
			i++
		case strings.HasPrefix(args[i], "--"+name+"="):
		default:
			out = append(out, args[i])
		}
	}
	return append(out, "--"+name, value)
}

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
