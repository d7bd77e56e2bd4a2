package doctor

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/finding"
	"github.com/callgate/callgate/host/hook/claudecode/settings"
)

// installCommand is the cure of most that is wrong with the hook.
const installCommand = "callgate hook claude-code --install"

// settingsFiles tells which files were read.
func (d *examination) settingsFiles(context.Context) {
	for _, err := range d.Settings.Faults() {
		d.bad("settings.readable", err.Error()+": Claude Code skips what it cannot read, hooks included", "correct the file at that place")
	}
	var found []string
	for _, f := range d.Settings.Files {
		if f.Found && f.Err == nil && f.Above == "" {
			found = append(found, fmt.Sprintf("%s (%s)", f.Path, f.Scope))
		}
	}
	if len(found) == 0 {
		found = []string{"none"}
	}
	d.ok("settings.files", "Claude Code's settings here: "+strings.Join(found, ", "))
}

// hooks looks at our own entries.
func (d *examination) hooks(context.Context) {
	if len(d.Settings.Own(settings.PreToolUse)) == 0 {
		d.bad("hook.installed", "no hook is installed for Claude Code here: no call is judged, every call RUNS", installCommand)
		return
	}
	var programs []string
	for _, event := range settings.Events() {
		own := d.Settings.Own(event)
		switch {
		case len(own) == 0:
			d.warn("hook.installed", "the hook does not stand at "+event+": "+lost[event], installCommand)
		case len(own) > 1:
			d.warn("hook.installed", fmt.Sprintf("the hook stands at %s %d times: each call is judged as often", event, len(own)), "remove one: callgate hook claude-code --uninstall --settings FILE")
		}
		for _, h := range own {
			d.hook(h)
			if h.Exec {
				programs = append(programs, h.Command)
			}
		}
	}
	slices.Sort(programs)
	for _, path := range slices.Compact(programs) {
		d.preload(path, runtime.GOOS)
	}
}

// lost is what is missing without the hook at an event.
var lost = map[string]string{
	settings.PermissionRequest:  "the client's own prompts are not answered, and ask a second time",
	settings.PostToolUse:        "what ran is not compared with what was judged",
	settings.PostToolUseFailure: "what ran is not compared with what was judged",
	settings.UserPromptSubmit:   "after a call that was interrupted, calls with relative paths ask for ten minutes",
}

// hook looks at one entry.
func (d *examination) hook(h settings.Hook) {
	where := fmt.Sprintf("%s:%d (%s, %s)", h.File, h.Line, h.Scope, h.Event)
	before := len(d.findings)
	complain := func(state finding.State, text string) {
		d.add(finding.Finding{Check: "hook.entry", State: state, Text: where + ": " + text, Cure: installCommand})
	}
	if !h.All() {
		complain(finding.Bad, fmt.Sprintf("it does not run for every call (matcher %q, if %q, async %t, once %t)", h.Matcher, h.If, h.Async, h.Once))
	}
	switch {
	case h.Event == settings.UserPromptSubmit && h.OnFailure == "block":
		complain(finding.Warn, `with "onFailure": "block" the person's prompts are lost whenever the hook fails`)
	case h.Event != settings.UserPromptSubmit && h.OnFailure != "block":
		complain(finding.Bad, `without "onFailure": "block" a call RUNS whenever the hook fails`)
	}
	if !h.Exec {
		complain(finding.Warn, "it is started through a shell, whose set-up files then run first")
	}
	d.deadlines(h, complain)
	d.program(h, complain)
	d.reach(h, complain)
	if len(d.findings) == before {
		d.ok("hook.entry", where+": "+h.Command)
	}
}

// clientDefault is the client's patience with a hook that names none.
const clientDefault = 10 * time.Minute

// deadlines compares the client's patience with what the hook believes of it.
func (d *examination) deadlines(h settings.Hook, complain func(finding.State, string)) {
	client := h.Timeout
	if client == 0 {
		client = clientDefault
	}
	value, given := h.Flag("timeout")
	hook, err := time.ParseDuration(value)
	switch {
	case !given:
	case err != nil || hook <= 0:
		complain(finding.Bad, fmt.Sprintf("--timeout %q is no time", value))
	case hook > client:
		complain(finding.Bad, fmt.Sprintf("the hook believes it has %s, but the client gives it up after %s", hook, client))
	}
}

// program looks at the file that is started.
func (d *examination) program(h settings.Hook, complain func(finding.State, string)) {
	if !h.Exec {
		return
	}
	info, err := os.Stat(h.Command)
	if err != nil {
		complain(finding.Bad, fmt.Sprintf("the program is not there: %v", err))
		return
	}
	if mine, err := os.Stat(d.Binary); err == nil && !os.SameFile(info, mine) {
		complain(finding.Warn, fmt.Sprintf("%s is another file than this program, %s", h.Command, d.Binary))
	}
	if checksModes && info.Mode().Perm()&0o022 != 0 {
		complain(finding.Bad, fmt.Sprintf("others can write the program (mode %04o): whoever does is asked about every call", info.Mode().Perm()))
	}
}

// reach looks at the endpoint and the token.
func (d *examination) reach(h settings.Hook, complain func(finding.State, string)) {
	if path, given := h.Flag("token-file"); given {
		if _, err := api.ReadToken(path); err != nil {
			complain(finding.Bad, err.Error())
		}
	}
	endpoint, given := h.Flag("endpoint")
	if !given || d.Config == nil {
		return
	}
	if want := Endpoint(d.Config.Endpoint()); endpoint != want && h.Scope != settings.Managed {
		complain(finding.Warn, fmt.Sprintf("it asks at %s, and the configuration says %s", endpoint, want))
	}
}

// managedCommand is what installs the hook for the whole machine: the one that is
// installed here, and for what it does not say, that of this account's default agent.
func (d *examination) managedCommand() string {
	e := settings.Entry{Endpoint: Endpoint("unix", d.Dirs.Socket()), TokenFile: api.CheckTokenFile(d.Dirs.State, api.DefaultAgent)}
	if d.Config != nil {
		e.Endpoint = Endpoint(d.Config.Endpoint())
	}
	args := e.Args()
	if own := d.Settings.Own(settings.PreToolUse); len(own) > 0 {
		args = append(slices.Clone(own[0].Args), args...) // the first of a name counts
	}
	return "sudo " + settings.ManagedCommand(d.Binary, args)
}

// Endpoint writes what config.Config.Endpoint returns as the hook's --endpoint.
func Endpoint(network, address string) string {
	if network == "unix" {
		return "unix:" + address
	}
	return "http://" + address
}

// otherHooks lists what may rewrite a call after our answer. Threat T08.
func (d *examination) otherHooks(context.Context) {
	cure := `remove it, or allow only the machine's hooks: "allowManagedHooksOnly": true in managed settings (` + d.managedCommand() + ")"
	for _, h := range d.Settings.Others() {
		d.warn("hook.others", fmt.Sprintf("%s:%d (%s, %s): another hook, which may change a call after Callgate has judged it: %s", h.File, h.Line, h.Scope, h.Event, h), cure)
	}
	if plugins := d.Settings.Plugins(); len(plugins) > 0 {
		d.warn("hook.plugins", "these plugins are enabled and may bring hooks of their own: "+strings.Join(plugins, ", "), "look at their hooks/hooks.json, or disable them")
	}
	if len(d.Settings.Others()) == 0 {
		d.ok("hook.others", "no other PreToolUse or PermissionRequest hook is in these files")
	}
}
