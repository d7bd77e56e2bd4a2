package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/hook/canary"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/wire"
)

// Client is a client besides Claude Code, as its files tell.
type Client struct {
	canary.Client
	// Program is on PATH; empty for none. Installed says that Hook is Callgate's.
	Program   string
	Installed bool
	Hook      settings.Hook
	// Problems are what the files show against the hook; Off says that one switches it off.
	Problems []string
	Off      bool
}

// clients tries the hooks of the other clients.
func (d *examination) clients(ctx context.Context) {
	for _, c := range d.Clients {
		name := string(c.Word)
		install := "callgate hook " + name + " --install"
		if !c.Installed {
			if c.Program != "" {
				d.warn(name+".installed", fmt.Sprintf("%s is on this machine (%s) without Callgate's hook. Its calls are NOT checked.", c.Title, c.Program), install)
			}
			continue
		}
		for _, problem := range c.Problems {
			state := finding.Warning
			if c.Off {
				state = finding.Error
			}
			d.add(finding.Finding{Check: name + ".installed", State: state, Text: problem, Fix: install})
		}
		if len(c.Problems) == 0 {
			d.ok(name+".installed", fmt.Sprintf("%s (%s): %s", c.Hook.File, c.Hook.Scope, c.Hook))
		}
		d.attempts(ctx, c, install)
	}
}

// attempts are the canaries of one client.
func (d *examination) attempts(ctx context.Context, c Client, install string) {
	name := string(c.Word)
	words := c.Hook.Program()
	if len(words) == 0 {
		d.bad(name+".denied", "The hook's command is not in Callgate's form, so its failures cannot be tried.", install)
		return
	}
	d.Progress("testing the hook of " + c.Title)
	d.probe(ctx, c, install)
	gone := "unix:" + d.Dirs.Socket() + ".gone"
	for _, a := range []struct {
		check, what string
		words       []string
	}{
		{"missing", "hook program missing", append([]string{words[0] + "-gone"}, words[1:]...)},
		{"killed", "hook killed while it runs", []string{"sh", "-c", "kill -KILL $$"}},
		{"garbage", "hook that prints something else", []string{"echo", "ready"}},
		{"silent", "hook that ends without an answer", []string{"true"}},
		{"no_daemon", "daemon that is down", setFlag(words, "endpoint", gone)},
	} {
		h, _ := c.Hook.With(a.words) // words says that it is in our form
		o := c.Start(ctx, h, d.project(), c.Harmless(c.Session(), d.project()), d.Patience)
		d.reacts(c, a.check, a.what, h, o, install)
	}
	o := c.Start(ctx, c.Hook, d.project(), []byte("\x00{garbage"), d.Patience)
	d.reacts(c, "garbage_input", "garbage instead of a call", c.Hook, o, install)
	d.add(finding.Finding{Check: name + ".unproven", State: finding.Warning, Text: "No test outside " + c.Title + " can prove: " + c.Unproven + ".", Fix: "see docs/client-" + name + ".md"})
}

// reacts adds the client's reaction to a failure of its hook.
func (d *examination) reacts(c Client, check, what string, h settings.Hook, o runner.Outcome, fix string) {
	effect := c.Verdict(h, o)
	f := finding.Finding{Check: string(c.Word) + "." + check, State: finding.Passed, Effect: effect.String()}
	f.Text = fmt.Sprintf("%s: the hook %s; %s", what, canary.Ending(o), c.Reaction(effect))
	if effect != runner.Blocked {
		f.State, f.Fix = finding.Error, fix
	}
	d.add(f)
}

// probe tries a call that every mode denies, and a harmless one.
func (d *examination) probe(ctx context.Context, c Client, install string) {
	var find canary.Decision
	if d.client != nil || !d.answered {
		find = d.decision
	}
	for _, r := range c.Probe(ctx, c.Hook, d.project(), d.Dirs.State, d.Patience, find) {
		f := finding.Finding{Check: string(c.Word) + "." + r.Canary, State: finding.Passed, Effect: r.Effect, Text: r.Text}
		switch r.State {
		case canary.Unseen:
			f.State, f.Fix = finding.Error, "Start the daemon (callgate serve), then run "+install
		case canary.Unjudged:
			f.State, f.Fix = finding.Error, install
		case canary.Unread:
			f.State, f.Fix = finding.Skipped, "read the daemon's decision with an approver's token: callgate doctor --endpoint ... --token-file ..."
		case canary.Judged, canary.Held:
		}
		d.add(f)
	}
}

// decision is the daemon's decision of a canary's call.
func (d *examination) decision(ctx context.Context, session string) (wire.Outcome, bool) {
	row, found := d.row(ctx, session)
	return row.Decision, found
}

// protectedElsewhere are the other clients with a hook in force.
func (d *examination) protectedElsewhere() string {
	var out []string
	for _, c := range d.Clients {
		if c.Installed && !c.Off {
			out = append(out, c.Title)
		}
	}
	return strings.Join(out, ", ")
}
