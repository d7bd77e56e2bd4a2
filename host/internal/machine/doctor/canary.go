package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/hook/canary"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/store"
)

// claude is Claude Code, whose hook gets every attempt.
var claude, _ = canary.Find(settings.ClaudeCode)

// attempt is one way the hook is tried.
type attempt struct {
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
	list := []attempt{
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
func judge(c attempt, h settings.Hook, o runner.Outcome) finding.Finding {
	effect := claude.Verdict(h, o)
	f := finding.Finding{Check: c.name, State: finding.Passed, Effect: effect.String()}
	if effect != runner.Blocked {
		f.State, f.Fix = finding.Error, installCommand+`, which sets "onFailure": "block"`
	}
	f.Text = fmt.Sprintf("%s: the hook %s; Claude Code %s", c.what, canary.Ending(o), consequence(effect, o))
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
	_, found := d.row(ctx, d.session)
	return found
}

// row is the audit's row of a canary's session.
func (d *examination) row(ctx context.Context, session string) (store.Row, bool) {
	if d.client == nil {
		return store.Row{}, false
	}
	page, err := d.client.Audit(ctx, store.Filter{Session: session, Limit: 1})
	if err != nil || len(page.Rows) == 0 {
		return store.Row{}, false
	}
	return page.Rows[0], true
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
	return claude.Interrupt(ctx, h, d.Settings.Places.Project, func(p *os.Process) runner.Outcome {
		return runner.Outcome{Signal: p.Kill() == nil}
	})
}

// stopped keeps the hook from answering until the client loses patience.
func (d *examination) stopped(ctx context.Context, h settings.Hook) runner.Outcome {
	return claude.Interrupt(ctx, h, d.Settings.Places.Project, func(p *os.Process) runner.Outcome {
		err := canary.Suspend(p)
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

// payload is the client's input for the hook before a call that every mode denies.
func (d *examination) payload(h settings.Hook) []byte {
	file, _ := h.Flag("token-file")
	if file == "" {
		file = d.Dirs.State
	}
	d.session = claude.Session()
	return claude.Write(d.session, d.project(), file)
}

// project is the directory of the canaries' session.
func (d *examination) project() string {
	return cmp.Or(d.Settings.Places.Project, d.Dirs.Home)
}

// start runs the hook on a whole payload.
func (d *examination) start(ctx context.Context, h settings.Hook, payload []byte, wait time.Duration) runner.Outcome {
	return claude.Start(ctx, h, d.Settings.Places.Project, payload, wait)
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
