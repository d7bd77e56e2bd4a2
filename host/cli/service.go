package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/machine/boundary"
	"github.com/callgate/callgate/host/internal/machine/service"
)

func serviceCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "service",
		GroupID: "setup",
		Short:   "Install the daemon as a system service",
		Long: `Level a runs the daemon as a service of your account. Every tool call is checked, but
programs started by an allowed call have the same rights as the daemon. Level b gives the
daemon its own account and protects its files from the agent. It needs root, and refuses
to install if the agent's account could bypass it (root, sudo, docker, writable files),
with the fix for each problem.`,
		Example: "  callgate service install\n  sudo callgate service install --level b --agent-account alice --approver-account bob\n  callgate service status",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(serviceInstall(c), serviceUninstall(c), serviceStatus(c))
	return cmd
}

// serviceFlags are the flags of the commands.
type serviceFlags struct {
	level, agent, root, binaryDir string
	approvers                     []string
	timeout                       time.Duration
	dry, purge                    bool
}

func (f *serviceFlags) common(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.level, "level", "", "a: service of this account; b: own account (default: a to install, else the installed level)")
	cmd.Flags().StringVar(&f.root, "root", "", "directory to use as /, for images and tests")
	completeFlag(cmd, "level", words("a", "b"))
}

// options are those of package service.
func (f *serviceFlags) options(cmd *cobra.Command, byDefault boundary.Level) (service.Options, error) {
	o := service.Options{Agent: f.agent, Approvers: f.approvers, BinaryDir: f.binaryDir, HookTimeout: f.timeout, Root: f.root, DryRun: f.dry, Purge: f.purge}
	switch strings.ToLower(f.level) {
	case "a":
		o.Level = boundary.A
	case "b":
		o.Level = boundary.B
	case "":
		o.Level = byDefault
	default:
		return o, usageError(cmd, fmt.Errorf("--level %q: want a or b", f.level))
	}
	var err error
	if o.Root != "" {
		if o.Root, err = filepath.Abs(o.Root); err != nil {
			return o, err
		}
	}
	if o.Dirs, err = config.UserDirs(); err != nil && o.Level != boundary.B {
		return o, err
	}
	if o.Binary, err = os.Executable(); err == nil {
		o.Binary, err = filepath.EvalSymlinks(o.Binary)
	}
	if err != nil {
		return o, fmt.Errorf("find the program: %w", err)
	}
	return o, nil
}

func serviceInstall(c *cli) *cobra.Command {
	var f serviceFlags
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the daemon as a service and start it",
		Long: `Installs the service and starts it. Running it again updates the installation. --dry-run
shows every step and the content of every file and changes nothing. If a step fails, the
steps before it are undone.`,
		Example: "  callgate service install --dry-run\n  sudo callgate service install --level b --agent-account alice --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needModules(); err != nil {
				return err
			}
			o, err := f.options(cmd, boundary.A)
			if err != nil {
				return err
			}
			if o.Level == boundary.B {
				hook, err := hookProgram(cmd.Context(), o.Binary)
				if err != nil {
					fmt.Fprintln(cmd.ErrOrStderr(), "callgate: "+hookWarning(err, o.Binary))
				} else if hook != o.Binary {
					o.HookProgram = hook
				}
			}
			r, err := service.Install(cmd.Context(), o)
			if errors.Is(err, service.ErrBoundary) {
				printReasons(cmd.ErrOrStderr(), r.Boundary)
			}
			if err != nil && !c.json {
				return err
			}
			return errors.Join(err, c.print(cmd.OutOrStdout(), r, func(w io.Writer) { printInstalled(w, r, f.dry) }))
		},
	}
	f.common(cmd)
	cmd.Flags().StringVar(&f.agent, "agent-account", "", "account the agents run as (level b)")
	cmd.Flags().StringSliceVar(&f.approvers, "approver-account", nil, "account that may answer asks on this machine (level b; may be repeated)")
	cmd.Flags().StringVar(&f.binaryDir, "binary-dir", "/usr/local/bin", "where to copy the program if the agent could change it in place (level b)")
	cmd.Flags().DurationVar(&f.timeout, "hook-timeout", time.Hour, "how long the agent's client waits for one decision (level b)")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "show what would be done and change nothing")
	return cmd
}

func serviceUninstall(c *cli) *cobra.Command {
	var f serviceFlags
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Stop the service and remove the installed files",
		Long: `Stops the service, removes only what the install created and restores the managed
settings. Rules, audit log, tokens and configuration are kept, and so is the daemon's
account, unless --purge is given.`,
		Example: "  callgate service uninstall --dry-run\n  sudo callgate service uninstall --level b --purge",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(cmd, "")
			if err != nil {
				return err
			}
			r, err := service.Uninstall(cmd.Context(), o)
			if err != nil && !c.json {
				return err
			}
			return errors.Join(err, c.print(cmd.OutOrStdout(), r, func(w io.Writer) { printActions(w, r.Actions, f.dry) }))
		},
	}
	f.common(cmd)
	cmd.Flags().BoolVar(&f.purge, "purge", false, "also remove rules, audit log, tokens, configuration and the daemon's account")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "show what would be done and change nothing")
	return cmd
}

func serviceStatus(c *cli) *cobra.Command {
	var f serviceFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show which level is installed and in effect, and what has changed since",
		Long: `Shows the installed level and the level in effect, the state of the service, and what has
changed since the install. Exit code 1 if there is a problem. Level b can be checked
completely only by root.`,
		Example: "  callgate service status\n  sudo callgate service status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(cmd, "")
			if err != nil {
				return err
			}
			s, err := service.Inspect(cmd.Context(), o)
			if err != nil {
				return err
			}
			if err := c.print(cmd.OutOrStdout(), s, func(w io.Writer) { printStatus(w, s) }); err != nil || s.Sound() {
				return err
			}
			return exit(exitDeny)
		},
	}
	f.common(cmd)
	return cmd
}

func printInstalled(w io.Writer, r service.Result, dry bool) {
	printActions(w, r.Actions, dry)
	if !r.Changed {
		fmt.Fprintf(w, "level %s is already installed; nothing was changed\n", r.Level)
		return
	}
	if r.Level == boundary.A {
		fmt.Fprintln(w, "\nLevel A: programs started by an allowed call have the daemon's rights; see docs/security.md")
	}
	fmt.Fprintln(w, "\nleft to do:")
	for _, n := range r.Next {
		fmt.Fprintln(w, "  "+n)
	}
}

func printActions(w io.Writer, actions []service.Action, dry bool) {
	for _, a := range actions {
		mark := "did "
		switch {
		case a.Unchanged:
			mark = "same"
		case dry:
			mark = "will"
		}
		words := []string{mark, a.Do}
		for _, word := range []string{a.Path, a.Mode, a.Owner} {
			if word != "" {
				words = append(words, word)
			}
		}
		if len(a.Command) > 0 {
			words = append(words, ": "+strings.Join(a.Command, " "))
		}
		if a.Note != "" {
			words = append(words, "("+a.Note+")")
		}
		fmt.Fprintln(w, strings.Join(words, " "))
		if dry && !a.Unchanged && a.Content != "" {
			fmt.Fprintln(w, "    | "+strings.ReplaceAll(strings.TrimRight(a.Content, "\n"), "\n", "\n    | "))
		}
	}
}

func printStatus(w io.Writer, s service.Status) {
	if !s.Installed {
		fmt.Fprintln(w, "not installed. Install it: callgate service install")
		return
	}
	fmt.Fprintf(w, "installed: level %s\nin effect: level %s\nservice: %s (%s), starts automatically: %t\n", s.Level, s.Holds.Level, s.Running, s.Unit, s.Enabled)
	if s.Agent != "" {
		fmt.Fprintf(w, "agent account: %s\napprover accounts: %s\n", s.Agent, strings.Join(append([]string{"root"}, s.Approvers...), ", "))
	}
	printReasons(w, s.Holds)
	for _, d := range s.Drift {
		fmt.Fprintln(w, "drift:", d)
	}
}

func printReasons(w io.Writer, r boundary.Report) {
	for _, reason := range r.Reasons {
		fmt.Fprintf(w, "not level %s: %s\n    Fix: %s\n", reason.Breaks, reason.What, reason.Fix)
	}
}
