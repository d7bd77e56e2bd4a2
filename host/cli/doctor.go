package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/approval/terminal"
	"github.com/callgate/callgate/host/internal/discord/setup"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/boundary"
	"github.com/callgate/callgate/host/internal/machine/doctor"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/machine/service"
)

func doctorCommand(c *cli) *cobra.Command {
	var project string
	var all bool
	cmd := &cobra.Command{
		Use:     "doctor",
		GroupID: "setup",
		Short:   "Check the installation and suggest fixes",
		Long: `Reads Claude Code's settings for a directory, tests the installed hook with canary calls
(normal, missing, killed, slow, switched off, with garbage), does the same with the hooks
of Codex, Gemini CLI and opencode, and checks the daemon, the store, the modules, the
clock and the disk. Each problem comes with a fix. Nothing is
changed; the denied canaries appear in the audit. Exit code 1 when there is an error.
A terminal shows what needs attention; --all shows the passed checks as well.`,
		Example: "  callgate doctor\n  callgate doctor --project ~/shop --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			places, err := claudePlaces(project)
			if err != nil {
				return err
			}
			found, err := c.examine(cmd, places, project)
			if err != nil {
				return err
			}
			if err := c.print(cmd.OutOrStdout(), found, func(w io.Writer) { printFindings(w, found, all) }); err != nil {
				return err
			}
			if finding.Worst(found) == finding.Error {
				return exit(exitDeny)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "directory in which Claude Code is started (default: the current one)")
	cmd.Flags().BoolVar(&all, "all", false, "show the passed checks on a terminal as well")
	return cmd
}

func (c *cli) examine(cmd *cobra.Command, places settings.Places, project string) ([]finding.Finding, error) {
	binary, err := ownPath()
	if err != nil {
		return nil, err
	}
	cfg, dirs, err := c.settings()
	if err != nil && dirs.State == "" {
		return nil, err
	}
	states, err := agentStates(project)
	if err != nil {
		return nil, err
	}
	clients, claude := doctorClients(states)
	return doctor.Run(cmd.Context(), doctor.Options{
		Clients: clients, ClaudeHere: claude,
		Settings: settings.Read(places), Binary: binary, Version: version, Built: builtAt(), HookVersion: func(path string) (string, error) { return hookVersion(cmd.Context(), path) },
		Dirs: dirs, Config: cfg,
		Connect:     func() (doctor.Daemon, error) { return c.client("") },
		ConnectHook: connectAsHook,
		CheckConfig: func(context.Context) ([]string, error) {
			if err := needModules(); err != nil {
				return nil, err
			}
			cfg, dirs, err := c.settings()
			if err != nil {
				return nil, err
			}
			return checkRules(cmd, cfg, dirs)
		},
		Service:  func(ctx context.Context) (service.Status, error) { return serviceStands(ctx, cmd) },
		Discord:  func(ctx context.Context) (setup.Report, error) { return lookAtBot(ctx, cfg, dirs) },
		Progress: func(doing string) { cmd.PrintErrln("callgate:", doing) },
	}), nil
}

// connectAsHook reaches the daemon by the arguments of an installed hook.
func connectAsHook(h settings.Hook) (doctor.Daemon, error) {
	at := connection{daemonUID: -1}
	at.endpoint, _ = h.Flag("endpoint")
	at.tokenFile, _ = h.Flag("token-file")
	if text, given := h.Flag("daemon-uid"); given {
		uid, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("the hook's --daemon-uid: %w", err)
		}
		at.daemonUID = uid
	}
	return at.dial()
}

// serviceStands is the service's state; without one, the boundary between agents and a daemon of
// this account.
func serviceStands(ctx context.Context, cmd *cobra.Command) (service.Status, error) {
	var f serviceFlags
	o, err := f.options(cmd, "")
	if err != nil {
		return service.Status{}, err
	}
	s, err := service.Inspect(ctx, o)
	if err != nil || s.Installed {
		return s, err
	}
	uid := strconv.Itoa(os.Geteuid())
	facts, err := boundary.Gather(ctx, boundary.Local(""), boundary.Subject{Agent: uid, Daemon: uid})
	s.Holds = boundary.Assess(facts)
	return s, err
}

// builtAt is when the source was committed; zero when the build does not tell.
func builtAt() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Time{}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			at, _ := time.Parse(time.RFC3339, s.Value) // an unreadable time is unknown
			return at
		}
	}
	return time.Time{}
}

// printFindings prints a table for programs and files, and paragraphs on a terminal.
func printFindings(w io.Writer, found []finding.Finding, all bool) {
	count := map[finding.State]int{}
	columns := terminal.Columns(w)
	for _, f := range found {
		count[f.State]++
		text := card.Line(f.Text)
		if f.Effect != "" {
			text = f.Effect + ": " + text
		}
		fix := ""
		if f.Fix != "" && f.State != finding.Passed {
			fix = "Fix: " + card.Line(f.Fix)
		}
		switch {
		case columns == 0 || all:
			fmt.Fprintf(w, "%-7s  %-22s  %s\n", f.State, f.Check, text)
			if fix != "" {
				fmt.Fprintf(w, "%-7s  %-22s  %s\n", "", "", fix)
			}
		case f.State != finding.Passed:
			fmt.Fprintf(w, "\n%s: %s\n", f.State, f.Check)
			for _, line := range card.Wrap(text, columns-2) {
				fmt.Fprintln(w, "  "+line)
			}
			if fix != "" {
				fmt.Fprintln(w, "  "+fix) // on one line, to be copied
			}
		}
	}
	if n := count[finding.Passed]; n > 0 && columns > 0 && !all {
		fmt.Fprintf(w, "\n%s passed; list them: callgate doctor --all\n", counted(n, "check"))
	}
	fmt.Fprintf(w, "\n%s, %s, %d passed, %d skipped\n", counted(count[finding.Error], "error"), counted(count[finding.Warning], "warning"), count[finding.Passed], count[finding.Skipped])
}

// counted writes a number with its noun: "1 error", "2 errors".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
