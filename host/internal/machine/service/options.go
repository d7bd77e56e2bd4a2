package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// Options describe the installation.
type Options struct {
	// Level is boundary.A or boundary.B.
	Level boundary.Level
	// Agent is the agents' account, by name (level B).
	Agent string
	// Approvers are further accounts with access to the socket, by name (level B).
	Approvers []string
	// Binary is the program to run, absolute.
	Binary string
	// HookProgram is the program for the hook alone, of Binary's version, absolute; empty when
	// there is none (level B).
	HookProgram string
	// BinaryDir is where it is copied when the agent could change it where it is
	// (level B). Default: /usr/local/bin.
	BinaryDir string
	// Dirs are the places of the account (level A).
	Dirs config.Dirs
	// Root is the directory of an image to install into; empty is this machine.
	// In an image nothing is started, and the agent's token is not there yet.
	Root string
	// HookTimeout is how long the client waits for a call's decision. Default: one
	// hour.
	HookTimeout time.Duration
	// DryRun lists all steps and changes nothing.
	DryRun bool
	// Purge makes an uninstall remove the daemon's data, too.
	Purge bool
	// Log receives each finished step; it may be nil.
	Log func(Action)

	// OS, UID, System, Commands and Chown are this machine's unless a test says
	// otherwise.
	OS       string
	UID      *int
	System   boundary.System
	Commands Commands
	Chown    func(path string, uid, gid int) error
}

// Commands runs programs of the system.
type Commands interface {
	// Has tells whether there is such a program.
	Has(program string) bool
	// Run returns a program's output; an exit code other than 0 is an error with the output.
	Run(ctx context.Context, program string, args ...string) (string, error)
}

// Errors before any step of an installation.
var (
	// ErrBoundary means an account could get around level B.
	ErrBoundary = errors.New("level B would not be effective")
	// ErrNotInstalled is an uninstall without an install.
	ErrNotInstalled = errors.New("the Callgate service is not installed")
	errNoManager    = errors.New("no supported service manager found (systemd or launchd)")
)

// account is the daemon's at level B.
func (o Options) account() string {
	if o.OS == "darwin" {
		return "_callgate" // system accounts begin so there
	}
	return "callgate"
}

var plainAccount = regexp.MustCompile(`^[a-z_A-Z][a-zA-Z0-9_.-]{0,31}$`)

// complete fills in defaults and refuses impossible options.
func (o Options) complete() (Options, error) {
	o = o.withDefaults()
	return o, o.check()
}

// withDefaults fills in missing options.
func (o Options) withDefaults() Options {
	if o.OS == "" {
		o.OS = runtime.GOOS
	}
	if o.UID == nil {
		uid := os.Geteuid()
		o.UID = &uid
	}
	if o.System == nil {
		o.System = boundary.Local(o.Root)
	}
	if o.Commands == nil {
		o.Commands = programs{}
	}
	if o.Chown == nil {
		o.Chown = os.Lchown
	}
	if o.BinaryDir == "" {
		o.BinaryDir = "/usr/local/bin"
	}
	if o.HookTimeout == 0 {
		o.HookTimeout = time.Hour
	}
	if o.Log == nil {
		o.Log = func(Action) {}
	}
	return o
}

func (o Options) check() error {
	if o.OS != "linux" && o.OS != "darwin" {
		return fmt.Errorf("service: %w; start callgate serve by hand on %s", errNoManager, o.OS)
	}
	if !filepath.IsAbs(o.Binary) || !filepath.IsAbs(o.BinaryDir) || o.Root != "" && !filepath.IsAbs(o.Root) {
		return errors.New("service: paths of the program, its directory and the root must be absolute")
	}
	switch o.Level {
	case boundary.A:
		if o.Agent != "" || len(o.Approvers) > 0 {
			return errors.New("service: accounts are only for level b; at level a everything runs as this account")
		}
		return nil
	case boundary.B:
	default:
		return fmt.Errorf("service: level %q: want a or b", o.Level)
	}
	if *o.UID != 0 {
		return errors.New("level B needs root, to create an account and files that the agent cannot change; run it with sudo")
	}
	if o.Agent == "" {
		return errors.New("service: level b needs --agent-account, the account that agents run as")
	}
	for _, name := range append([]string{o.Agent}, o.Approvers...) {
		if !plainAccount.MatchString(name) {
			return fmt.Errorf("service: account name %q: want letters, digits, _ . and -", name)
		}
	}
	return nil
}

// live reports whether services can be started.
func (o Options) live() bool { return o.System.Live() }

// at is where a path is on this machine.
func (o Options) at(path string) string {
	if o.Root == "" {
		return path
	}
	return filepath.Join(o.Root, path)
}

// command runs a program given as one list.
func (o Options) command(ctx context.Context, argv []string) (string, error) {
	return o.Commands.Run(ctx, argv[0], argv[1:]...)
}

// programs runs real ones.
type programs struct{}

// Has implements Commands.
func (programs) Has(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// Run implements Commands.
func (programs) Run(ctx context.Context, program string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), err
}
