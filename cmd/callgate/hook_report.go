package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/hook/claudecode/settings"
)

// hookReport is what an install or uninstall did, and what else is in force.
type hookReport struct {
	settings.Result
	Entry *hookEntry `json:"entry,omitempty"`
	// Others are the other hooks in force here, Plugins what may bring more;
	// Silenced those that run no more beside managed settings which want it so.
	Others   []settings.Hook `json:"others,omitempty"`
	Plugins  []string        `json:"plugins,omitempty"`
	Silenced []settings.Hook `json:"silenced,omitempty"`
	// Off is what switches the hook off here and now, MayBe the files that could.
	Off   []settings.Off `json:"off,omitempty"`
	MayBe []string       `json:"may_be_switched_off_by,omitempty"`
	// Managed is the file that prevents that, and its text.
	Managed  *managedFile `json:"managed,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`

	dry, managed bool
}

type hookEntry struct {
	Binary    string   `json:"binary"`
	Args      []string `json:"args"`
	Endpoint  string   `json:"endpoint"`
	TokenFile string   `json:"token_file"`
	Timeout   string   `json:"timeout"`
}

type managedFile struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// look adds what else is in force where the hook was installed.
func (r *hookReport) look(s *settings.Settings, f installFlags) {
	r.Others, r.Plugins = s.Others(), s.Plugins()
	for _, err := range s.Faults() {
		r.Warnings = append(r.Warnings, err.Error()+": Claude Code skips this file")
	}
	r.Off = s.Off(f.scope())
	if !f.managed {
		// In the home directory the project's file is the account's.
		r.MayBe = slices.Compact([]string{settings.LocalFile(s.Places.Project), settings.ProjectFile(s.Places.Project), s.Places.UserFile()})
	}
}

// print tells a person.
func (r hookReport) print(w io.Writer) {
	r.printChange(w)
	for _, text := range r.Warnings {
		fmt.Fprintln(w, "warning:", card.Line(text))
	}
	if r.Entry == nil {
		return
	}
	for _, h := range r.Others {
		fmt.Fprintf(w, "another hook is in force, and may change a call after it was judged: %s (%s:%d, %s)\n", card.Line(h.String()), card.Line(h.File), h.Line, h.Event)
	}
	if len(r.Plugins) > 0 {
		fmt.Fprintln(w, "plugins that may bring hooks of their own:", card.Line(strings.Join(r.Plugins, ", ")))
	}
	for _, off := range r.Off {
		fmt.Fprintf(w, "switched off NOW: %s in %s: no call is judged\n", off.Text, card.Line(off.File))
	}
	if r.managed {
		r.printManaged(w)
	} else {
		r.printSwitches(w)
	}
	if r.Text != "" {
		fmt.Fprintf(w, "\n%s would hold:\n%s", card.Line(r.File), r.Text)
	}
}

// printManaged tells what an install for the whole machine means.
func (r hookReport) printManaged(w io.Writer) {
	fmt.Fprintln(w, "no project and no flag switches the hook off")
	if !r.Alone {
		fmt.Fprintln(w, `other hooks run beside it, and may change a call after it was judged: "allowManagedHooksOnly": true in this file ends them`)
		return
	}
	fmt.Fprintln(w, `"allowManagedHooksOnly": true is in it: no hook of an account, a project or a plugin runs
on this machine, and none changes a call after it was judged. To let them run, remove
that line (--other-hooks makes a new file without it).`)
	for _, h := range r.Silenced {
		fmt.Fprintf(w, "runs no more: %s (%s:%d, %s)\n", card.Line(h.String()), card.Line(h.File), h.Line, h.Event)
	}
}

// printSwitches tells what switches the hook of an account or a project off, and
// what prevents it.
func (r hookReport) printSwitches(w io.Writer) {
	fmt.Fprintln(w, "\nWhat switches the hook off: \"disableAllHooks\": true in")
	for _, path := range r.MayBe {
		fmt.Fprintln(w, "  "+card.Line(path))
	}
	fmt.Fprintf(w, `and starting claude with --bare, --safe-mode or --setting-sources project. The hook
in managed settings (%s) survives all of these, and
"allowManagedHooksOnly": true there ends all other hooks. As root:
  %s
With --dry-run it shows the file and writes nothing.
`, r.Managed.File, card.Line(settings.ManagedCommand(r.Entry.Binary, r.Entry.Args)))
}

func (r hookReport) printChange(w io.Writer) {
	would := ""
	if r.dry {
		would = "would be "
	}
	file := card.Line(r.File)
	if r.Real != "" {
		file += " (a link to " + card.Line(r.Real) + ")"
	}
	for _, done := range []struct {
		what   string
		events []string
	}{{would + "added", r.Added}, {would + "brought up to date", r.Updated}, {would + "removed", r.Removed}, {"already there", r.Same}} {
		if len(done.events) > 0 {
			fmt.Fprintf(w, "%s: %s: %s\n", file, done.what, strings.Join(done.events, ", "))
		}
	}
	switch {
	case r.Deleted:
		fmt.Fprintf(w, "%s: %sremoved: there was no such file before\n", file, would)
	case r.Restored:
		fmt.Fprintf(w, "%s: %sas it was before, to the byte\n", file, would)
	case r.Entry == nil && len(r.Removed) == 0:
		fmt.Fprintf(w, "%s: no hook of callgate is there\n", file)
	case r.Backup != "":
		fmt.Fprintf(w, "what was there before: %s\n", card.Line(r.Backup))
	}
}
