package boundary

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// System answers questions about accounts and files. [Local] is this machine.
type System interface {
	// OS is the system's name as runtime.GOOS gives it, Supported whether the
	// other answers mean anything there.
	OS() string
	Supported() bool
	// Live reports whether the system runs: it has processes and runs programs. An image below a
	// root directory does not.
	Live() bool
	// Privileged reports whether this process sees everything.
	Privileged() bool
	// Account finds an account by name or number.
	Account(name string) (Account, error)
	// Lstat describes a path without following a link at its end. A missing path is a Step with
	// Missing set, and no error.
	Lstat(path string) (Step, error)
	Readlink(path string) (string, error)
	// ReadDir returns the names in a directory.
	ReadDir(path string) ([]string, error)
	ReadFile(path string) ([]byte, error)
	// Run returns a program's output, in English, for any exit code.
	Run(ctx context.Context, program string, args ...string) (string, error)
}

// ErrNoAccount means the account does not exist.
var ErrNoAccount = errors.New("no such account")

// Subject are the accounts of a boundary.
type Subject struct {
	// Agent and Daemon are accounts, by name or number.
	Agent  string
	Daemon string
	// NewDaemon allows a missing daemon account; it then owns nothing.
	NewDaemon bool
	// Approvers are accounts allowed to answer on this machine.
	Approvers []string
	// Places are paths the agent must not change.
	Places []PathToCheck
}

// PathToCheck is a path whose owner and permissions Gather reads.
type PathToCheck struct {
	Kind, Path string
	// Secret forbids reading it as well, Tree covers its whole content.
	Secret, Tree bool
}

// Gather asks the system. A missing account is ErrNoAccount; other unknowns go into the facts.
func Gather(ctx context.Context, sys System, s Subject) (Facts, error) {
	f := Facts{Supported: sys.Supported(), OS: sys.OS()}
	if !f.Supported {
		return f, nil
	}
	var err error
	if f.Agent, err = sys.Account(s.Agent); err != nil {
		return f, fmt.Errorf("agent's account %s: %w", s.Agent, err)
	}
	f.Daemon, err = sys.Account(s.Daemon)
	if s.NewDaemon && errors.Is(err, ErrNoAccount) {
		f.Daemon, err = Account{Name: s.Daemon, UID: -1}, nil
	}
	if err != nil {
		return f, fmt.Errorf("daemon's account %s: %w", s.Daemon, err)
	}
	for _, name := range s.Approvers {
		a, err := sys.Account(name)
		if err != nil {
			return f, fmt.Errorf("approver's account %s: %w", name, err)
		}
		f.Approvers = append(f.Approvers, a)
	}
	g := gatherer{sys: sys, f: &f}
	for _, w := range append(s.Places, approverPlaces(f.Approvers)...) {
		f.Places = append(f.Places, g.place(w))
	}
	for _, p := range rootSockets {
		f.Sockets = append(f.Sockets, g.place(PathToCheck{Kind: "service of root", Path: p}))
	}
	g.sudo(ctx)
	g.doas()
	g.capabilities()
	f.PtraceOpen = g.ptraceOpen()
	return f, nil
}

// rootSockets are the addresses of services with arbitrary commands as root.
var rootSockets = []string{
	"/run/docker.sock", "/var/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/crio/crio.sock",
	"/var/lib/lxd/unix.socket", "/var/snap/lxd/common/lxd/unix.socket", "/var/lib/incus/unix.socket",
	"/run/libvirt/libvirt-sock", "/run/libvirt/virtqemud-sock", "/var/run/libvirt/libvirt-sock",
}

// approverPlaces are the start files of an approver's shell and the files deciding about their
// logins.
func approverPlaces(approvers []Account) []PathToCheck {
	var places []PathToCheck
	for _, a := range approvers {
		if a.Home == "" || a.Home == "/" {
			continue
		}
		for _, name := range []string{"", ".profile", ".bashrc", ".bash_profile", ".zshrc", ".zshenv", ".config", ".ssh", ".ssh/authorized_keys"} {
			places = append(places, PathToCheck{Kind: "home of approver " + a.Name, Path: path.Join(a.Home, name)})
		}
	}
	return places
}

type gatherer struct {
	sys System
	f   *Facts
}

func (g gatherer) unknown(what, fix string) {
	g.f.Unknown = append(g.f.Unknown, Unknown{what, fix})
}

func (g gatherer) place(w PathToCheck) Place {
	p := Place{Kind: w.Kind, Path: w.Path, Secret: w.Secret}
	steps, err := walk(g.sys, w.Path)
	p.Steps = steps
	if err == nil && w.Tree && len(steps) > 0 && g.worthEntering(steps[len(steps)-1]) {
		p.Inside, err = inside(g.sys, steps[len(steps)-1].Path, nil)
	}
	if err != nil {
		p.Problem = err.Error()
	}
	return p
}

// worthEntering reports whether a directory's content must be looked at one by one: without
// root's eyes, a directory only for its owner does not count.
func (g gatherer) worthEntering(s Step) bool {
	return !s.Missing && s.Mode.IsDir() && (g.sys.Privileged() || s.Mode.Perm()&0o077 != 0 || s.UID == g.f.Agent.UID)
}

// The bounds of looking.
const (
	maxLinks  = 40
	maxInside = 20000
)

// walk returns every step on the way to p as the kernel goes it: each directory, each link and its
// target. It ends at the first missing one.
func walk(sys System, p string) ([]Step, error) {
	if !path.IsAbs(p) {
		return nil, fmt.Errorf("%s is not absolute", p)
	}
	root, err := sys.Lstat("/")
	if err != nil {
		return nil, err
	}
	steps, at, rest, links := []Step{root}, "/", strings.Split(p, "/"), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, name)
		s, err := sys.Lstat(next)
		if err != nil {
			return steps, err
		}
		steps = append(steps, s)
		if s.Missing {
			return steps, nil
		}
		if s.Mode&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return steps, fmt.Errorf("%s: too many links", p)
		}
		to, err := sys.Readlink(next)
		if err != nil {
			return steps, err
		}
		if path.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return steps, nil
}

// inside adds the whole content of dir; links are noted and not followed.
func inside(sys System, dir string, found []Step) ([]Step, error) {
	names, err := sys.ReadDir(dir)
	if err != nil {
		return found, err
	}
	for _, name := range names {
		if len(found) >= maxInside {
			return found, fmt.Errorf("%s contains more than %d files", dir, maxInside)
		}
		s, err := sys.Lstat(path.Join(dir, name))
		if err != nil {
			return found, err
		}
		found = append(found, s)
		if s.Mode.IsDir() {
			if found, err = inside(sys, s.Path, found); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// ptraceOpen tells whether Yama, where there is it, leaves processes of one
// account open to each other.
func (g gatherer) ptraceOpen() bool {
	if g.sys.OS() != "linux" {
		return false
	}
	text, err := g.sys.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	scope, parseErr := strconv.Atoi(strings.TrimSpace(string(text)))
	return err != nil || parseErr != nil || scope == 0
}

// RootOnly returns nil when a program or file at p, and every directory leading to it, belongs to
// root, only root can change any of it, and everybody can reach it; otherwise it names the
// obstacle.
func RootOnly(sys System, p string) error {
	steps, err := walk(sys, p)
	if err != nil {
		return err
	}
	for i, s := range steps {
		link := s.Mode&fs.ModeSymlink != 0
		switch {
		case s.Missing:
			return fmt.Errorf("%s does not exist", s.Path)
		case s.UID != 0:
			return fmt.Errorf("%s belongs to uid %d", s.Path, s.UID)
		case !link && (s.ACL || s.Mode.Perm()&0o022 != 0):
			return fmt.Errorf("accounts other than root can write %s (mode %04o)", s.Path, s.Mode.Perm())
		case !link && (s.Mode.IsDir() || i == len(steps)-1) && s.Mode.Perm()&0o001 == 0:
			return fmt.Errorf("not every account can use %s (mode %04o)", s.Path, s.Mode.Perm())
		}
	}
	return nil
}
