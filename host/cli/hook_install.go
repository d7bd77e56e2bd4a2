package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/hook/process"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/doctor"
	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// installFlags say where the hook is installed.
type installFlags struct {
	install, uninstall, dry bool
	file, agent, project    string
	user, managed, others   bool
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

--install adds the hook to Claude Code's settings for every tool call and changes
nothing else there. It also lists other active hooks and settings that would switch
the hook off. --uninstall restores the file as it was before.`
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
	flags.BoolVar(&f.install, "install", false, "add the hook to Claude Code's settings")
	flags.BoolVar(&f.uninstall, "uninstall", false, "remove the hook from the settings")
	flags.StringVar(&f.file, "settings", "", "the settings file (default: the account's ~/.claude/settings.json)")
	flags.BoolVar(&f.user, "user", false, "for every project of the account (the default)")
	flags.StringVar(&f.project, "project", "", "for one project: its .claude/settings.local.json")
	flags.BoolVar(&f.managed, "managed", false, "for every account of the machine, where a project cannot switch it off; needs root")
	flags.StringVar(&f.agent, "agent", tokenfile.DefaultAgent, "agent of the configuration to use for the calls")
	flags.BoolVar(&f.dry, "dry-run", false, "show what would be done and change nothing")
	flags.BoolVar(&f.others, "other-hooks", false, "with --managed, in a new file: keep the hooks of accounts, projects and plugins active (no allowManagedHooksOnly)")
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall")
	cmd.MarkFlagsMutuallyExclusive("settings", "user", "project", "managed")
	completeFlag(cmd, "agent", c.completeAgents())
}

func (c *cli) installHook(cmd *cobra.Command, timeout time.Duration, f installFlags) error {
	if f.others && !f.managed {
		return usageError(cmd, errors.New("--other-hooks needs --managed"))
	}
	places, err := f.places()
	if err != nil {
		return err
	}
	e, warnings, err := c.hookEntry(cmd.Context(), timeout, f)
	if err != nil {
		return err
	}
	e.Alone = !f.others
	r := hookReport{dry: f.dry, managed: f.managed, Warnings: warnings}
	others := settings.Read(places).Others()
	if r.Result, err = settings.InstallFile(f.target(places), f.scope(), e, f.dry); err != nil {
		return err
	}
	r.Entry = &hookEntry{e.Binary, e.Args(), e.Endpoint, e.TokenFile, e.Timeout.String()}
	if !f.managed {
		text, err := settings.ManagedText(e)
		if err != nil {
			return err
		}
		own, err := ownPath()
		if err != nil {
			return err
		}
		r.Managed = &managedFile{settings.ManagedFile(), string(text), own}
	}
	r.look(settings.Read(places), f)
	if !f.managed {
		r.Recipe = recipeFor(places.Project, places.Home)
	}
	if r.Alone {
		r.Silenced, r.Others, r.Plugins = others, nil, nil
	}
	return c.print(cmd.OutOrStdout(), r, r.print)
}

func (c *cli) uninstallHook(cmd *cobra.Command, f installFlags) error {
	places, err := f.places()
	if err != nil {
		return err
	}
	r := hookReport{dry: f.dry}
	if r.Result, err = settings.UninstallFile(settings.ClaudeCode, f.target(places), f.dry); err != nil {
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
		return settings.Places{}, errors.Join(fmt.Errorf("project %s: not a directory", project), err)
	}
	return settings.Places{Home: home, ConfigDir: os.Getenv(process.ConfigDir), Project: project}, nil
}

// target is the file to be changed.
func (f installFlags) target(p settings.Places) string {
	switch {
	case f.file != "":
		return f.file
	case f.managed:
		return settings.ManagedFile()
	case f.project != "":
		// Not settings.json, because it is shared: the paths are this machine's.
		return settings.LocalFile(p.Project)
	}
	return p.UserFile()
}

// scope is the reach of the changed settings, as far as it matters.
func (f installFlags) scope() settings.Scope {
	if f.managed {
		return settings.Managed
	}
	return settings.User
}

// hookEntry is the entry to install. A problem that makes it deny now, but not allow, is a warning.
func (c *cli) hookEntry(ctx context.Context, timeout time.Duration, f installFlags) (e settings.Entry, warnings []string, err error) {
	own, err := ownPath()
	if err != nil {
		return e, nil, err
	}
	if e.Binary, err = hookProgram(ctx, own); err != nil {
		warnings = append(warnings, hookWarning(err, own))
	}
	if under(e.Binary, os.TempDir()) {
		warnings = append(warnings, e.Binary+" is in a temporary directory: when it disappears, every call is denied. Install it elsewhere and run this again")
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
		if err := wantAgent(cfg, dirs, f.agent); err != nil {
			return e, nil, err
		}
		if e.Endpoint == "" {
			e.Endpoint = doctor.Endpoint(cfg.Endpoint())
		}
		if e.TokenFile == "" {
			e.TokenFile = tokenfile.Check(dirs.State, f.agent)
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

// reachable is the obstacle between the hook and the daemon; empty for none.
func reachable(ctx context.Context, e settings.Entry) string {
	at := connection{endpoint: e.Endpoint, tokenFile: e.TokenFile, daemonUID: -1}
	if e.DaemonUID != nil {
		at.daemonUID = *e.DaemonUID
	}
	client, err := at.dial()
	if errors.Is(err, securedir.ErrNotPrivate) && os.Geteuid() == 0 {
		return "" // root installs it for the token's account
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
