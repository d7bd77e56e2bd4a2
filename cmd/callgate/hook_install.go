package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/doctor"
	"github.com/callgate/callgate/host/hook/claudecode/settings"
)

// installFlags say where the hook is installed.
type installFlags struct {
	install, uninstall, dry bool
	file, agent, project    string
	user, managed           bool
}

// installTimeout is how long Claude Code waits for an installed hook: an hour
// for a person to answer.
const installTimeout = time.Hour

// installable adds --install and --uninstall to the hook's command.
func installable(c *cli, cmd *cobra.Command, timeout *time.Duration) {
	var f installFlags
	f.register(c, cmd)
	cmd.Example += `
  callgate hook claude-code --install
  callgate hook claude-code --install --project ~/shop --agent shop --timeout 900s --dry-run
  callgate hook claude-code --uninstall`
	cmd.Long += `

With --install it writes itself into Claude Code's settings for every tool call,
touching nothing else there, and tells which other hooks are in force and what
could switch it off; --uninstall gives back what was there before.`
	judge := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case f.install:
			if cmd.Flags().Changed("timeout") {
				return c.installHook(cmd, *timeout, f)
			}
			return c.installHook(cmd, installTimeout, f)
		case f.uninstall:
			return c.uninstallHook(cmd, f)
		}
		return judge(cmd, args)
	}
}

// register adds the flags.
func (f *installFlags) register(c *cli, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.install, "install", false, "write the hook into Claude Code's settings, and change nothing else there")
	flags.BoolVar(&f.uninstall, "uninstall", false, "take it out again")
	flags.StringVar(&f.file, "settings", "", "the settings file (default: the account's ~/.claude/settings.json)")
	flags.BoolVar(&f.user, "user", false, "for every project of the account (the default)")
	flags.StringVar(&f.project, "project", "", "for one project: its .claude/settings.local.json")
	flags.BoolVar(&f.managed, "managed", false, "for every account of the machine, where no project can switch it off; needs root")
	flags.StringVar(&f.agent, "agent", api.DefaultAgent, "the agent of the configuration that calls belong to")
	flags.BoolVar(&f.dry, "dry-run", false, "tell what would be done, and do nothing")
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall")
	cmd.MarkFlagsMutuallyExclusive("settings", "user", "project", "managed")
	completeFlag(cmd, "agent", c.completeAgents())
}

// hookReport is what an install or uninstall did, and what else is in force.
type hookReport struct {
	settings.Result
	Entry *hookEntry `json:"entry,omitempty"`
	// Others are the other hooks in force here, Plugins what may bring more.
	Others  []settings.Hook `json:"others,omitempty"`
	Plugins []string        `json:"plugins,omitempty"`
	// Off is what switches the hook off here and now, MayBe the files that could.
	Off   []settings.Off `json:"off,omitempty"`
	MayBe []string       `json:"may_be_switched_off_by,omitempty"`
	// Managed is the file that prevents that, and its text.
	Managed  *managedFile `json:"managed,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	dry      bool
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

func (c *cli) installHook(cmd *cobra.Command, timeout time.Duration, f installFlags) error {
	places, err := f.places()
	if err != nil {
		return err
	}
	e, warnings, err := c.hookEntry(cmd.Context(), timeout, f)
	if err != nil {
		return err
	}
	r := hookReport{dry: f.dry, Warnings: warnings}
	if r.Result, err = settings.InstallFile(f.target(places), f.scope(), e, f.dry); err != nil {
		return err
	}
	r.Entry = &hookEntry{e.Binary, e.Args(), e.Endpoint, e.TokenFile, e.Timeout.String()}
	if !f.managed {
		text, err := settings.ManagedText(e)
		if err != nil {
			return err
		}
		r.Managed = &managedFile{settings.ManagedFile(), string(text)}
	}
	r.look(settings.Read(places), f)
	return c.print(cmd.OutOrStdout(), r, r.print)
}

func (c *cli) uninstallHook(cmd *cobra.Command, f installFlags) error {
	places, err := f.places()
	if err != nil {
		return err
	}
	r := hookReport{dry: f.dry}
	if r.Result, err = settings.UninstallFile(f.target(places), f.dry); err != nil {
		return err
	}
	for _, h := range settings.Read(places).Own(settings.PreToolUse) {
		if !f.dry {
			r.Warnings = append(r.Warnings, fmt.Sprintf("the hook is still installed in %s (%s)", h.File, h.Scope))
		}
	}
	return c.print(cmd.OutOrStdout(), r, r.print)
}

// places are those of the account, for a session in the project or here. The
// client looks for its settings by the same environment.
func (f installFlags) places() (settings.Places, error) {
	p, err := claudePlaces(f.project)
	if err != nil || f.file == "" {
		return p, err
	}
	if p.Flag, err = filepath.Abs(f.file); err != nil {
		return p, err
	}
	known := []string{p.UserFile(), settings.ProjectFile(p.Project), settings.LocalFile(p.Project), settings.ManagedFile()}
	if slices.Contains(known, p.Flag) {
		p.Flag = ""
	}
	return p, nil
}

func claudePlaces(project string) (settings.Places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return settings.Places{}, fmt.Errorf("find the home directory: %w: set HOME", err)
	}
	if project, err = filepath.Abs(project); err != nil {
		return settings.Places{}, err
	}
	if info, err := os.Stat(project); err != nil || !info.IsDir() {
		return settings.Places{}, errors.Join(fmt.Errorf("project %s: want a directory", project), err)
	}
	return settings.Places{Home: home, ConfigDir: os.Getenv("CLAUDE_CONFIG_DIR"), Project: project}, nil
}

// target is the file to be changed.
func (f installFlags) target(p settings.Places) string {
	switch {
	case f.file != "":
		return f.file
	case f.managed:
		return settings.ManagedFile()
	case f.project != "":
		// Not settings.json, which is shared: the paths are this machine's.
		return settings.LocalFile(p.Project)
	}
	return p.UserFile()
}

// scope is whose settings are changed, as far as it matters.
func (f installFlags) scope() settings.Scope {
	if f.managed {
		return settings.Managed
	}
	return settings.User
}

// hookEntry is the entry to be installed. What keeps it from working now, but
// makes it deny and not allow, is a warning.
func (c *cli) hookEntry(ctx context.Context, timeout time.Duration, f installFlags) (e settings.Entry, warnings []string, err error) {
	if e.Binary, err = ownPath(); err != nil {
		return e, nil, err
	}
	if under(e.Binary, os.TempDir()) {
		warnings = append(warnings, e.Binary+" is in a temporary directory: when it goes, every call is denied; install it elsewhere and run this again")
	}
	e.Timeout, e.Endpoint, e.TokenFile = timeout, c.conn.endpoint, c.conn.tokenFile
	if uid := c.conn.daemonUID; uid >= 0 {
		e.DaemonUID = &uid
	}
	if e.Endpoint == "" || e.TokenFile == "" {
		cfg, dirs, err := c.endpoint()
		if err != nil {
			return e, nil, err
		}
		if err := wantAgent(cfg, f.agent); err != nil {
			return e, nil, err
		}
		if e.Endpoint == "" {
			e.Endpoint = doctor.Endpoint(cfg.Endpoint())
		}
		if e.TokenFile == "" {
			e.TokenFile = api.CheckTokenFile(dirs.State, f.agent)
		}
	}
	if e.TokenFile, err = filepath.Abs(e.TokenFile); err != nil {
		return e, nil, err
	}
	if text := reachable(ctx, e); text != "" {
		warnings = append(warnings, text+": until then every call is denied")
	}
	return e, warnings, nil
}

// reachable says what keeps the hook from reaching the daemon; empty for nothing.
func reachable(ctx context.Context, e settings.Entry) string {
	at := connection{endpoint: e.Endpoint, tokenFile: e.TokenFile, daemonUID: -1}
	if e.DaemonUID != nil {
		at.daemonUID = *e.DaemonUID
	}
	client, err := at.dial()
	if errors.Is(err, api.ErrUnsafe) && os.Geteuid() == 0 {
		return "" // root installs it for the account whose token it is
	}
	if err != nil {
		return err.Error()
	}
	defer client.Close()
	if _, err := client.Health(ctx); err != nil {
		return err.Error()
	}
	return ""
}

// ownPath is the absolute path of this program as it was called. A link in it is
// kept, because package managers move what it leads to with every upgrade.
func ownPath() (string, error) {
	running, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program's file: %w", err)
	}
	called := os.Args[0]
	if !strings.ContainsRune(called, filepath.Separator) {
		if called, err = exec.LookPath(called); err != nil {
			return running, nil
		}
	}
	if called, err = filepath.Abs(called); err != nil {
		return running, nil
	}
	a, err := os.Stat(called)
	if err != nil {
		return running, nil
	}
	if b, err := os.Stat(running); err != nil || !os.SameFile(a, b) {
		return running, nil
	}
	return called, nil
}

func under(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// look adds what else is in force where the hook was installed.
func (r *hookReport) look(s *settings.Settings, f installFlags) {
	r.Others, r.Plugins = s.Others(), s.Plugins()
	for _, err := range s.Faults() {
		r.Warnings = append(r.Warnings, err.Error()+": Claude Code skips this file")
	}
	r.Off = s.Off(f.scope())
	if !f.managed {
		r.MayBe = []string{settings.LocalFile(s.Places.Project), settings.ProjectFile(s.Places.Project), s.Places.UserFile()}
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
	if r.Managed == nil {
		fmt.Fprintln(w, "no project and no flag switches the hook off")
		return
	}
	fmt.Fprintln(w, "\nWhat switches the hook off: \"disableAllHooks\": true in")
	for _, path := range r.MayBe {
		fmt.Fprintln(w, "  "+card.Line(path))
	}
	fmt.Fprintf(w, `and starting claude with --bare, --safe-mode or --setting-sources project. Managed
settings survive all of these. As root:
  %s hook claude-code --install --managed --endpoint %s --token-file %s
or put this into %s, which also shuts out all other hooks:

%s`, card.Line(r.Entry.Binary), card.Line(r.Entry.Endpoint), card.Line(r.Entry.TokenFile), r.Managed.File, r.Managed.Text)
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
