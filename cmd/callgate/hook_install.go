package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/doctor"
	"github.com/callgate/callgate/host/hook/claudecode/settings"
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
	flags.BoolVar(&f.others, "other-hooks", false, "with --managed: in a new file, let the hooks of accounts, projects and plugins go on (no allowManagedHooksOnly)")
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall")
	cmd.MarkFlagsMutuallyExclusive("settings", "user", "project", "managed")
	completeFlag(cmd, "agent", c.completeAgents())
}

func (c *cli) installHook(cmd *cobra.Command, timeout time.Duration, f installFlags) error {
	if f.others && !f.managed {
		return usageError(cmd, errors.New("--other-hooks is about managed settings: it goes with --managed"))
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
		r.Managed = &managedFile{settings.ManagedFile(), string(text)}
	}
	r.look(settings.Read(places), f)
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
	return settings.Places{Home: home, ConfigDir: os.Getenv(configDir), Project: project}, nil
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
		if err := wantAgent(cfg, dirs, f.agent); err != nil {
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
