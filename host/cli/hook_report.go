package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/config/recipe"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/text/shellword"
)

// hookReport is the result of an install or uninstall, and other settings in force.
type hookReport struct {
	settings.Result
	Entry *hookEntry `json:"entry,omitempty"`
	// Others are the other hooks in force here, Plugins possible sources of more; Silenced those
	// switched off by managed settings.
	Others   []settings.Hook `json:"others,omitempty"`
	Plugins  []string        `json:"plugins,omitempty"`
	Silenced []settings.Hook `json:"silenced,omitempty"`
	// Off switches the hook off here and now; MayBe are files able to.
	Off   []settings.Off `json:"off,omitempty"`
	MayBe []string       `json:"may_be_switched_off_by,omitempty"`
	// Managed is the file preventing it, and its text.
	Managed  *managedFile `json:"managed,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	// Recipe sets up the agent's kind of work, by the files there; nil without a sign of one.
	Recipe *fittingRecipe `json:"recipe,omitempty"`

	dry, managed bool
}

// fittingRecipe is the recipe for a project.
type fittingRecipe struct {
	Name    string `json:"name"`
	Dir     string `json:"dir"`
	Command string `json:"command"`
}

// recipeFor is the recipe for a directory's files; nil for none, and for a home directory, because
// it is no project.
func recipeFor(dir, home string) *fittingRecipe {
	r, ok := recipe.Fitting(dir)
	if !ok || dir == home {
		return nil
	}
	return &fittingRecipe{r.Name, dir, "callgate recipes apply " + r.Name + " --dir " + shellword.Quote(dir)}
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
	// program installs it: callgate, also if the hook is another program.
	program string
}

// look adds other settings in force where the hook was installed.
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
		fmt.Fprintf(w, "another hook is active and may change a call after it was checked: %s (%s:%d, %s)\n", card.Line(h.String()), card.Line(h.File), h.Line, h.Event)
	}
	if len(r.Plugins) > 0 {
		fmt.Fprintln(w, "plugins that may have hooks of their own:", card.Line(strings.Join(r.Plugins, ", ")))
	}
	for _, off := range r.Off {
		fmt.Fprintf(w, "switched off NOW: %s in %s: calls are NOT checked\n", off.Text, card.Line(off.File))
	}
	if r.managed {
		r.printManaged(w)
	} else {
		r.printSwitches(w)
	}
	if r.Recipe != nil {
		fmt.Fprintf(w, "\nFor work in %s there is a recipe, so that edits, builds and tests are not asked about\n(--dry-run shows what it allows):\n  %s\n", card.Line(r.Recipe.Dir), card.Line(r.Recipe.Command))
	}
	if r.Text != "" {
		fmt.Fprintf(w, "\n%s would contain:\n%s", card.Line(r.File), r.Text)
	}
}

// printManaged explains an install for the whole machine.
func (r hookReport) printManaged(w io.Writer) {
	fmt.Fprintln(w, "no project and no flag can switch the hook off")
	if !r.Alone {
		fmt.Fprintln(w, `other hooks are active and may change a call after it was checked; "allowManagedHooksOnly": true in this file disables them`)
		return
	}
	fmt.Fprintln(w, `"allowManagedHooksOnly": true is in the file: hooks of accounts, projects and plugins are
disabled on this machine, so none can change a call after it was checked. To keep them
active, remove that line (--other-hooks creates a new file without it).`)
	for _, h := range r.Silenced {
		fmt.Fprintf(w, "disabled now: %s (%s:%d, %s)\n", card.Line(h.String()), card.Line(h.File), h.Line, h.Event)
	}
}

// printSwitches lists the switches against the hook of an account or a project, and the protection
// from them.
func (r hookReport) printSwitches(w io.Writer) {
	fmt.Fprintln(w, "\nWhat switches the hook off: \"disableAllHooks\": true in")
	for _, path := range r.MayBe {
		fmt.Fprintln(w, "  "+card.Line(path))
	}
	fmt.Fprintf(w, `and starting claude with --bare, --safe-mode or --setting-sources project. The hook in
managed settings (%s) stays on in all these cases, and
"allowManagedHooksOnly": true there disables all other hooks. As root:
  %s
--dry-run shows the file and writes nothing.
`, r.Managed.File, card.Line(settings.ManagedCommand(r.Managed.program, r.Entry.Args)))
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
	}{{would + "added", r.Added}, {would + "updated", r.Updated}, {would + "removed", r.Removed}, {"already there", r.Same}} {
		if len(done.events) > 0 {
			fmt.Fprintf(w, "%s: %s: %s\n", file, done.what, strings.Join(done.events, ", "))
		}
	}
	switch {
	case r.Deleted:
		fmt.Fprintf(w, "%s: %sremoved (the file did not exist before)\n", file, would)
	case r.Restored:
		fmt.Fprintf(w, "%s: %srestored as it was before, byte for byte\n", file, would)
	case r.Entry == nil && len(r.Removed) == 0:
		fmt.Fprintf(w, "%s: no Callgate hook there\n", file)
	case r.Backup != "":
		fmt.Fprintf(w, "backup of the previous file: %s\n", card.Line(r.Backup))
	}
}
