package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/codex"
	"github.com/callgate/callgate/host/internal/hook/gemini"
	"github.com/callgate/callgate/host/internal/hook/inventory"
	"github.com/callgate/callgate/host/internal/hook/opencode"
	"github.com/callgate/callgate/host/internal/hook/process"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
)

// otherClient is a client besides Claude Code, as its command installs its hook.
type otherClient struct {
	use, name, long string
	// file is where the hook goes, for the help of the flags; managed the machine's file, empty
	// for a client without one.
	file, managed string
	// install and uninstall change the client's files.
	install   func(at clientPlaces, e settings.Entry, dry bool) ([]settings.Result, error)
	uninstall func(at clientPlaces, dry bool) ([]settings.Result, error)
}

// clientPlaces are where a client's hook goes: the account, one project, or the machine.
type clientPlaces struct {
	inventory.Places
	managed bool
}

// otherFlags say where the hook of another client is installed.
type otherFlags struct {
	installFlags
	timeout time.Duration
}

func codexCommand(c *cli) *cobra.Command {
	return otherCommand(c, otherClient{
		use: string(settings.Codex), name: "Codex", file: "~/.codex/hooks.json, with its trust in config.toml", managed: codex.ManagedFile,
		long: `Reads a PreToolUse payload from standard input, sends the call to the daemon, and answers
as Codex expects: a JSON document for an allow; exit code 2 with the reason on stderr for
a denial and for every error. It waits for an approver for four fifths of --timeout, the
timeout of the hook in Codex's configuration.`,
		install: func(at clientPlaces, e settings.Entry, dry bool) ([]settings.Result, error) {
			if at.managed {
				r, err := codex.InstallManaged(codex.ManagedFile, e, dry)
				return []settings.Result{r}, err
			}
			return codex.Install(at.CodexHooks(), at.Codex(), e, dry)
		},
		uninstall: func(at clientPlaces, dry bool) ([]settings.Result, error) {
			if at.managed {
				r, err := codex.UninstallManaged(codex.ManagedFile, dry)
				return []settings.Result{r}, err
			}
			return codex.Uninstall(at.CodexHooks(), at.Codex(), dry)
		},
	})
}

func geminiCommand(c *cli) *cobra.Command {
	scope := func(at clientPlaces) (string, settings.Scope) {
		switch {
		case at.managed:
			return gemini.ManagedFile, settings.Managed
		case at.Project != "":
			return gemini.ProjectFile(at.Project), settings.User
		}
		return gemini.UserFile(at.Home), settings.User
	}
	return otherCommand(c, otherClient{
		use: string(settings.GeminiCLI), name: "Gemini CLI", file: "~/.gemini/settings.json", managed: gemini.ManagedFile,
		long: `Reads a BeforeTool payload from standard input, sends the call to the daemon, and answers
as Gemini CLI expects: a JSON document for an allow; exit code 2 with the reason on stderr
and nothing on stdout for a denial and for every error. It waits for an approver for four
fifths of --timeout, the timeout of the hook in the settings.`,
		install: func(at clientPlaces, e settings.Entry, dry bool) ([]settings.Result, error) {
			path, scope := scope(at)
			if at.managed {
				if err := gemini.Admit(path); err != nil {
					return nil, err
				}
			}
			e.Alone = at.managed
			r, err := settings.InstallFile(path, scope, e, dry)
			return []settings.Result{r}, err
		},
		uninstall: func(at clientPlaces, dry bool) ([]settings.Result, error) {
			path, _ := scope(at)
			r, err := settings.UninstallFile(settings.GeminiCLI, path, dry)
			return []settings.Result{r}, err
		},
	})
}

func opencodeCommand(c *cli) *cobra.Command {
	return otherCommand(c, otherClient{
		use: "opencode", name: "opencode", file: "~/.config/opencode/plugins/callgate.js, and \"permission\": {\"*\": \"ask\"} to opencode.json",
		long: `Reads a call from standard input, as Callgate's plugin in opencode writes it, and answers
the plugin: a JSON document for an allow; exit code 2 with the reason on stderr for a
denial and for every error. It waits for an approver for four fifths of --timeout.`,
		install: func(at clientPlaces, e settings.Entry, dry bool) ([]settings.Result, error) {
			plugin, config := at.Opencode()
			r, kept, err := opencode.Install(plugin, config, e, dry)
			if kept {
				fmt.Fprintf(os.Stderr, "callgate: warning: %s has a permission of its own, which stays: without the plugin calls run as it says\n", card.Line(config))
			}
			return r, err
		},
		uninstall: func(at clientPlaces, dry bool) ([]settings.Result, error) {
			plugin, config := at.Opencode()
			return opencode.Uninstall(plugin, config, dry)
		},
	})
}

func otherCommand(c *cli, o otherClient) *cobra.Command {
	var f otherFlags
	cmd := &cobra.Command{
		Use:   o.use,
		Short: "Check a tool call for " + o.name,
		Long: o.long + `

--install adds the hook and changes nothing else; --uninstall restores the files as
they were before, byte for byte.`,
		Example: "  callgate hook " + o.use + " --install\n  callgate hook " + o.use + " --install --dry-run --json\n  callgate hook " + o.use + " --uninstall",
		Args:    cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case f.install:
			if !cmd.Flags().Changed("timeout") {
				f.timeout = installTimeout
			}
			return c.installOther(cmd, o, f)
		case f.uninstall:
			return c.uninstallOther(cmd, o, f)
		}
		connect := func() (runner.Daemon, error) { return c.conn.asHook(c.configPath) }
		return exit(process.Run(cmd.Context(), cmd.Name(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), f.timeout, connect))
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.timeout, "timeout", claudecode.DefaultTimeout, "timeout of the hook in the client's configuration")
	flags.BoolVar(&f.install, "install", false, "add the hook to "+o.file)
	flags.BoolVar(&f.uninstall, "uninstall", false, "remove the hook")
	flags.StringVar(&f.project, "project", "", "for one project: its own file")
	flags.StringVar(&f.agent, "agent", tokenfile.DefaultAgent, "agent of the configuration to use for the calls")
	flags.BoolVar(&f.dry, "dry-run", false, "show what would be done and change nothing")
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall")
	if o.managed != "" {
		flags.BoolVar(&f.managed, "managed", false, "for every account of the machine, in "+o.managed+"; needs root")
		cmd.MarkFlagsMutuallyExclusive("project", "managed")
	}
	completeFlag(cmd, "agent", c.completeAgents())
	return cmd
}

// otherReport is the result of an install or uninstall.
type otherReport struct {
	Client   string            `json:"client"`
	Files    []settings.Result `json:"files"`
	Entry    *hookEntry        `json:"entry,omitempty"`
	Open     []string          `json:"open,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`

	name         string
	dry, removed bool
}

func (c *cli) installOther(cmd *cobra.Command, o otherClient, f otherFlags) error {
	at, err := f.otherPlaces()
	if err != nil {
		return err
	}
	e, warnings, err := c.hookEntry(cmd.Context(), f.timeout, f.installFlags)
	if err != nil {
		return err
	}
	e.Client = settings.Client(o.use)
	r := otherReport{Client: o.use, name: o.name, Entry: &hookEntry{e.Binary, e.Args(), e.Endpoint, e.TokenFile, e.Timeout.String()}, Open: inventory.Open(settings.Client(o.use)), Warnings: warnings, dry: f.dry}
	if r.Files, err = o.install(at, e, f.dry); err != nil {
		return err
	}
	return c.print(cmd.OutOrStdout(), r, r.print)
}

func (c *cli) uninstallOther(cmd *cobra.Command, o otherClient, f otherFlags) error {
	at, err := f.otherPlaces()
	if err != nil {
		return err
	}
	r := otherReport{Client: o.use, name: o.name, dry: f.dry, removed: true}
	if r.Files, err = o.uninstall(at, f.dry); err != nil {
		return err
	}
	return c.print(cmd.OutOrStdout(), r, r.print)
}

func (f installFlags) otherPlaces() (clientPlaces, error) {
	at := clientPlaces{managed: f.managed}
	home, err := os.UserHomeDir()
	if err != nil {
		return at, fmt.Errorf("find the home directory: %w: set HOME", err)
	}
	at.Places = inventory.PlacesOf(home, "")
	if f.project == "" {
		return at, nil
	}
	if at.Project, err = filepath.Abs(f.project); err != nil {
		return at, err
	}
	if info, err := os.Stat(at.Project); err != nil || !info.IsDir() {
		return at, errors.Join(fmt.Errorf("project %s: not a directory", at.Project), err)
	}
	return at, nil
}

// print tells a person.
func (r otherReport) print(w io.Writer) {
	for _, file := range r.Files {
		what := "unchanged"
		switch {
		case file.Written && file.Deleted:
			what = "removed (it did not exist before)"
		case file.Written && r.removed:
			what = "hook removed"
		case file.Written:
			what = "hook installed"
		case r.dry && (file.Text != "" || len(file.Removed) > 0):
			what = "would be changed"
		}
		fmt.Fprintf(w, "%s: %s\n", card.Line(file.File), what)
	}
	for _, text := range r.Warnings {
		fmt.Fprintln(w, "warning:", card.Line(text))
	}
	if !r.removed {
		fmt.Fprintf(w, "\nWhat no hook of %s sees, or what switches it off:\n", r.name)
		for _, text := range r.Open {
			fmt.Fprintln(w, "  "+text)
		}
	}
	for _, file := range r.Files {
		if file.Text != "" {
			fmt.Fprintf(w, "\n%s would contain:\n%s", card.Line(file.File), file.Text)
		}
	}
}
