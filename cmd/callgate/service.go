package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/boundary"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/service"
)

func serviceCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "service",
		GroupID: "setup",
		Short:   "Install the daemon for good: as this account, or as one of its own",
		Long: `Level a runs the daemon as a service of this account: every tool call is judged,
but a program that an allowed call starts has the account's power. Level b gives
the daemon an account of its own and puts all it relies on out of the agent's
reach. It needs root, and is refused where the agent's account could get around
it (root, sudo, docker, files it can write), saying what to change.`,
		Example: "  callgate service install\n  sudo callgate service install --level b --agent-account alice --approver-account bob\n  callgate service status",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(serviceInstall(c), serviceUninstall(c), serviceStatus(c))
	return cmd
}

// serviceFlags are what the commands are told.
type serviceFlags struct {
	level, agent, root, binaryDir string
	approvers                     []string
	timeout                       time.Duration
	dry, purge                    bool
}

func (f *serviceFlags) common(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.level, "level", "", "a: this account's service; b: an account of its own (default: a to install, else what is installed)")
	cmd.Flags().StringVar(&f.root, "root", "", "a directory to take for /: for images and tests")
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
		Long: `Installs the service and starts it. Run again, it brings what is there up to
date. --dry-run tells every step and the content of every file and changes
nothing. When a step fails, those before it are undone.`,
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
	cmd.Flags().StringVar(&f.agent, "agent-account", "", "the account that agents run as (level b)")
	cmd.Flags().StringSliceVar(&f.approvers, "approver-account", nil, "an account that may answer asks on this machine (level b; may be repeated)")
	cmd.Flags().StringVar(&f.binaryDir, "binary-dir", "/usr/local/bin", "where the program is copied when the agent could change it where it is (level b)")
	cmd.Flags().DurationVar(&f.timeout, "hook-timeout", time.Hour, "how long the agent's client waits for one decision (level b)")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "tell what would be done, and do nothing")
	return cmd
}

func serviceUninstall(c *cli) *cobra.Command {
	var f serviceFlags
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Stop the service and remove what the install made",
		Long: `Stops the service, removes exactly what the install made and gives the managed
settings back what they held. Rules, audit, tokens and configuration stay, and
so does the daemon's account, unless --purge is given.`,
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
	cmd.Flags().BoolVar(&f.purge, "purge", false, "remove rules, audit, tokens, configuration and the daemon's account as well")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "tell what would be done, and do nothing")
	return cmd
}

func serviceStatus(c *cli) *cobra.Command {
	var f serviceFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell which level is installed, which one holds, and what drifted",
		Long: `Tells which level is installed and which one holds, the state of the service, and
what is no longer as it was installed. Exit code 1 when anything is amiss. Of
level b it can tell everything to root alone.`,
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
		fmt.Fprintf(w, "level %s is installed; nothing was changed\n", r.Level)
		return
	}
	if r.Level == boundary.A {
		fmt.Fprintln(w, "\nlevel A: a program that an allowed call starts has this account's power; see docs/security.md")
	}
	fmt.Fprintln(w, "\nwhat is left to do:")
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
		fmt.Fprintln(w, "not installed: callgate service install")
		return
	}
	fmt.Fprintf(w, "installed: level %s\nholds: level %s\nservice: %s (%s), starts by itself: %t\n", s.Level, s.Holds.Level, s.Running, s.Unit, s.Enabled)
	if s.Agent != "" {
		fmt.Fprintf(w, "agent's account: %s\napprovers' accounts: %s\n", s.Agent, strings.Join(append([]string{"root"}, s.Approvers...), ", "))
	}
	printReasons(w, s.Holds)
	for _, d := range s.Drift {
		fmt.Fprintln(w, "drift:", d)
	}
}

func printReasons(w io.Writer, r boundary.Report) {
	for _, reason := range r.Reasons {
		fmt.Fprintf(w, "not level %s: %s\n    change: %s\n", reason.Breaks, reason.What, reason.Cure)
	}
}
