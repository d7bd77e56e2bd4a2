package doctor

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// installCommand is the fix of most problems with the hook.
const installCommand = "callgate hook claude-code --install"

// settingsFiles lists the files read.
func (d *examination) settingsFiles(context.Context) {
	for _, err := range d.Settings.Faults() {
		d.bad("settings.readable", err.Error()+": Claude Code ignores a file it cannot read, with all its hooks.", "fix the file there")
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
	d.ok("settings.files", "Claude Code settings: "+strings.Join(found, ", "))
}

// hooks looks at our own entries.
func (d *examination) hooks(context.Context) {
	if len(d.Settings.Own(settings.PreToolUse)) == 0 {
		if others := d.protectedElsewhere(); others != "" && !d.ClaudeHere {
			d.skip("hook.installed", "Claude Code is not on PATH and has no hook; Callgate's hook is installed for "+others+".", installCommand)
			return
		}
		d.bad("hook.installed", "Claude Code hook not installed. Tool calls are NOT checked: every call RUNS.", installCommand)
		return
	}
	var programs []string
	var said complaints
	for _, event := range settings.Events() {
		own := d.Settings.Own(event)
		switch {
		case len(own) == 0:
			d.warn("hook.installed", "The hook is not installed for "+event+": "+lost[event], installCommand)
		case len(own) > 1:
			d.warn("hook.installed", fmt.Sprintf("Hook installed for %[1]s %[2]d times; each call is checked %[2]d times.", event, len(own)), "remove one: callgate hook claude-code --uninstall --settings FILE")
		}
		for _, h := range own {
			d.hook(h, &said)
			if h.Exec {
				programs = append(programs, h.Command)
			}
		}
	}
	said.tell(d)
	slices.Sort(programs)
	for _, path := range slices.Compact(programs) {
		d.preload(path, runtime.GOOS)
	}
}

// lost is the loss without the hook at an event.
var lost = map[string]string{
	settings.PermissionRequest:  "the client shows its own prompts as well, for calls that were already approved",
	settings.PostToolUse:        "the call that ran is not compared with the call that was checked",
	settings.PostToolUseFailure: "the call that ran is not compared with the call that was checked",
	settings.UserPromptSubmit:   "after an interrupted call, calls with relative paths need approval for ten minutes",
}

// complaints are problems of hook entries. A problem that several entries share, such as a daemon
// that never ran, is reported once.
type complaints []complaint

type complaint struct {
	state finding.State
	file  string
	text  string
	// first is the first entry with it, as line and event; more is how many others have it.
	first string
	more  int
}

func (c *complaints) add(h settings.Hook, state finding.State, text string) {
	for i := range *c {
		if same := &(*c)[i]; same.state == state && same.file == h.File && same.text == text {
			same.more++
			return
		}
	}
	*c = append(*c, complaint{state, h.File, text, fmt.Sprintf("%d (%s, %s)", h.Line, h.Scope, h.Event), 0})
}

func (c *complaints) tell(d *examination) {
	for _, one := range *c {
		where := one.file + ":" + one.first
		if one.more > 0 {
			where += fmt.Sprintf(" and %d more of Callgate's entries", one.more)
		}
		d.add(finding.Finding{Check: "hook.entry", State: one.state, Text: where + ": " + one.text, Fix: installCommand})
	}
}

// hook looks at one entry.
func (d *examination) hook(h settings.Hook, said *complaints) {
	fine := true
	complain := func(state finding.State, text string) {
		fine = false
		said.add(h, state, text)
	}
	if !h.All() {
		complain(finding.Error, fmt.Sprintf("the hook does not run for every call (matcher %q, if %q, async %t, once %t)", h.Matcher, h.If, h.Async, h.Once))
	}
	switch {
	case h.Event == settings.UserPromptSubmit && h.OnFailure == "block":
		complain(finding.Warning, `with "onFailure": "block" the user's prompts are lost when the hook fails`)
	case h.Event != settings.UserPromptSubmit && h.OnFailure != "block":
		complain(finding.Error, `without "onFailure": "block" a call RUNS when the hook fails`)
	}
	if !h.Exec {
		complain(finding.Warning, "the hook is started through a shell, so the shell's startup files run first")
	}
	d.deadlines(h, complain)
	d.program(h, complain)
	d.reach(h, complain)
	if fine {
		d.ok("hook.entry", fmt.Sprintf("%s:%d (%s, %s): %s", h.File, h.Line, h.Scope, h.Event, h.Command))
	}
}

// clientDefault is the client's patience with a hook without a time limit.
const clientDefault = 10 * time.Minute

// deadlines compares the client's patience with the hook's assumption about it.
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
		complain(finding.Error, fmt.Sprintf("--timeout %q is not a duration", value))
	case hook > client:
		complain(finding.Error, fmt.Sprintf("the hook has a timeout of %s, but the client stops it after %s", hook, client))
	}
}

// program checks the started file.
func (d *examination) program(h settings.Hook, complain func(finding.State, string)) {
	if !h.Exec {
		return
	}
	info, err := os.Stat(h.Command)
	if err != nil {
		complain(finding.Error, fmt.Sprintf("cannot find the hook program: %v", err))
		return
	}
	if settings.IsHookProgram(h.Command) {
		d.hookProgram(h.Command, complain)
	} else if mine, err := os.Stat(d.Binary); err == nil && !os.SameFile(info, mine) {
		complain(finding.Warning, fmt.Sprintf("%s is not the same file as this program, %s", h.Command, d.Binary))
	}
	if checksModes && info.Mode().Perm()&0o022 != 0 {
		complain(finding.Error, fmt.Sprintf("other accounts can change the hook program (mode %04o)", info.Mode().Perm()))
	}
}

// hookProgram compares the version of the program for the hook alone: an update of callgate can
// miss it.
func (d *examination) hookProgram(path string, complain func(finding.State, string)) {
	if d.HookVersion == nil {
		return
	}
	found, err := d.HookVersion(path)
	switch {
	case err != nil:
		complain(finding.Error, fmt.Sprintf("the hook program does not start: %v", err))
	case found != d.Version:
		complain(finding.Warning, fmt.Sprintf("%s has the version %s, and callgate %s: install both from one release", path, found, d.Version))
	}
}

// reach looks at the endpoint and the token.
func (d *examination) reach(h settings.Hook, complain func(finding.State, string)) {
	if path, given := h.Flag("token-file"); given {
		if _, err := tokenfile.Read(path); err != nil {
			complain(finding.Error, err.Error())
		}
	}
	endpoint, given := h.Flag("endpoint")
	if !given || d.Config == nil {
		return
	}
	if want := Endpoint(d.Config.Endpoint()); endpoint != want && h.Scope != settings.Managed {
		complain(finding.Warning, fmt.Sprintf("the hook uses %s, but the configuration says %s", endpoint, want))
	}
}

// managedCommand installs the hook for the whole machine: with the options of the hook installed
// here, and else those of this account's default agent.
func (d *examination) managedCommand() string {
	e := settings.Entry{Endpoint: Endpoint("unix", d.Dirs.Socket()), TokenFile: tokenfile.Check(d.Dirs.State, tokenfile.DefaultAgent)}
	if d.Config != nil {
		e.Endpoint = Endpoint(d.Config.Endpoint())
	}
	args := e.Args()
	if own := d.Settings.Own(settings.PreToolUse); len(own) > 0 {
		args = append(slices.Clone(own[0].Args), args...) // the first of a name counts
	}
	return "sudo " + settings.ManagedCommand(d.Binary, args)
}

// Endpoint writes the result of config.Config.Endpoint as the hook's --endpoint.
func Endpoint(network, address string) string {
	if network == "unix" {
		return "unix:" + address
	}
	return "http://" + address
}

// otherHooks lists hooks able to rewrite a call after our answer. Threat T08.
func (d *examination) otherHooks(context.Context) {
	fix := `remove it, or allow only the machine's hooks: "allowManagedHooksOnly": true in managed settings (` + d.managedCommand() + ")"
	for _, h := range d.Settings.Others() {
		d.warn("hook.others", fmt.Sprintf("%s:%d (%s, %s): another hook, which may change a call after it was checked: %s", h.File, h.Line, h.Scope, h.Event, h), fix)
	}
	if plugins := d.Settings.Plugins(); len(plugins) > 0 {
		d.warn("hook.plugins", "These enabled plugins may have hooks of their own: "+strings.Join(plugins, ", "), "read their hooks/hooks.json, or disable them")
	}
	if len(d.Settings.Others()) == 0 {
		d.ok("hook.others", "No other PreToolUse or PermissionRequest hook.")
	}
}
