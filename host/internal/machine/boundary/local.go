package boundary

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Local returns this machine as a System, or the image of one below root when
// root is not empty.
func Local(root string) System { return local{root} }

type local struct{ root string }

// OS implements System.
func (l local) OS() string { return runtime.GOOS }

// Live implements System.
func (l local) Live() bool { return l.root == "" }

// Privileged implements System.
func (l local) Privileged() bool { return os.Geteuid() == 0 }

func (l local) at(path string) string {
	if l.root == "" {
		return path
	}
	return filepath.Join(l.root, path)
}

// Readlink implements System.
func (l local) Readlink(path string) (string, error) { return os.Readlink(l.at(path)) }

// ReadFile implements System.
func (l local) ReadFile(path string) ([]byte, error) { return os.ReadFile(l.at(path)) }

// ReadDir implements System.
func (l local) ReadDir(path string) ([]string, error) {
	entries, err := os.ReadDir(l.at(path))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// Lstat implements System.
func (l local) Lstat(path string) (Step, error) {
	info, err := os.Lstat(l.at(path))
	if errors.Is(err, fs.ErrNotExist) {
		return Step{Path: path, Missing: true}, nil
	}
	if err != nil {
		return Step{Path: path}, err
	}
	s := Step{Path: path, Mode: info.Mode()}
	s.UID, s.GID = owner(info)
	s.ACL, err = hasACL(l.at(path), info)
	return s, err
}

// Run implements System.
func (l local) Run(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "LANGUAGE=C")
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = nil // its output is the answer
	}
	return string(out), err
}

// Account implements System.
func (l local) Account(name string) (Account, error) {
	if l.root != "" {
		return fileAccount(l, name)
	}
	u, err := user.Lookup(name)
	if err != nil {
		if _, notNumber := strconv.Atoi(name); notNumber == nil {
			u, err = user.LookupId(name)
		}
	}
	var noName user.UnknownUserError
	var noID user.UnknownUserIdError
	if errors.As(err, &noName) || errors.As(err, &noID) {
		return nameless(name)
	}
	if err != nil {
		return Account{}, err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return Account{}, fmt.Errorf("uid %q is not a number", u.Uid)
	}
	a := Account{Name: u.Username, UID: uid, Home: u.HomeDir}
	gids, err := u.GroupIds()
	if err != nil {
		return Account{}, fmt.Errorf("groups of %s: %w", name, err)
	}
	// The groups of directories (LDAP) may be invisible to this binary.
	if out, err := l.Run(context.Background(), "/usr/bin/id", "-G", u.Username); err == nil {
		gids = append(gids, strings.Fields(out)...)
	}
	for _, id := range append([]string{u.Gid}, gids...) {
		gid, err := strconv.Atoi(id)
		if err != nil || a.in(gid) {
			continue
		}
		group := Group{GID: gid, Name: id}
		if g, err := user.LookupGroupId(id); err == nil {
			group.Name = g.Name
		}
		a.Groups = append(a.Groups, group)
	}
	return a, nil
}

// nameless is the account of this process when it has only a number, as in a container started for
// one.
func nameless(number string) (Account, error) {
	if number != strconv.Itoa(os.Getuid()) {
		return Account{}, ErrNoAccount
	}
	gids, err := os.Getgroups()
	if err != nil {
		return Account{}, fmt.Errorf("groups of %s: %w", number, err)
	}
	a := Account{Name: number, UID: os.Getuid()}
	for _, gid := range append([]int{os.Getgid()}, gids...) {
		if !a.in(gid) {
			a.Groups = append(a.Groups, Group{GID: gid, Name: strconv.Itoa(gid)})
		}
	}
	return a, nil
}

// fileAccount reads /etc/passwd and /etc/group of an image.
func fileAccount(sys System, name string) (Account, error) {
	passwd, err := sys.ReadFile("/etc/passwd")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Account{}, err
	}
	group, err := sys.ReadFile("/etc/group")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Account{}, err
	}
	return findAccount(string(passwd), string(group), name)
}

// findAccount finds an account in the texts of passwd(5) and group(5).
func findAccount(passwd, group, name string) (Account, error) {
	for line := range strings.Lines(passwd) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 6 || f[0] != name && f[2] != name {
			continue
		}
		uid, err := strconv.Atoi(f[2])
		gid, err2 := strconv.Atoi(f[3])
		if err := errors.Join(err, err2); err != nil {
			return Account{}, fmt.Errorf("/etc/passwd: %s: %w", f[0], err)
		}
		a := Account{Name: f[0], UID: uid, Home: f[5]}
		a.Groups = findGroups(group, a.Name, gid)
		return a, nil
	}
	return Account{}, ErrNoAccount
}

// findGroups returns the account's groups, its own first.
func findGroups(text, name string, own int) []Group {
	groups := []Group{{GID: own, Name: strconv.Itoa(own)}}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 4 {
			continue
		}
		gid, err := strconv.Atoi(f[2])
		switch {
		case err != nil:
		case gid == own:
			groups[0].Name = f[0]
		case slices.Contains(strings.Split(strings.ReplaceAll(f[3], " ", ""), ","), name):
			groups = append(groups, Group{GID: gid, Name: f[0]})
		}
	}
	return groups
}
