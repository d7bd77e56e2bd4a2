package service_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/machine/boundary"
	"github.com/callgate/callgate/host/internal/machine/service"
)

// world is a machine below a directory: its owners are noted, its programs pretend.
type world struct {
	boundary.System
	root   string
	owners map[string]int
	ran    []string // changing commands
	fails  string   // the beginning of the failing command
	has    []string
	active bool
	image  bool
}

const token = "cg_check_0123456789012345678901234567890123456789012\n"

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{System: boundary.Local(root), root: root, owners: map[string]int{}, has: []string{"systemctl", "useradd"}}
	for _, dir := range []string{"etc/systemd/system", "usr/local/bin", "var/lib", "var/cache", "run", "home/alice", "proc/self"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.write(t, "/etc/passwd", "root:x:0:0::/root:/bin/sh\nalice:x:1001:1001::/home/alice:/bin/sh\nbob:x:1002:1002::/home/bob:/bin/sh\n")
	w.write(t, "/etc/group", "root:x:0:\nalice:x:1001:\nbob:x:1002:\n")
	w.write(t, "/home/alice/callgate", "the program")
	w.owners[filepath.Join(root, "home/alice")] = 1001
	return w
}

func (w *world) write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(w.root+path), 0o755), os.WriteFile(w.root+path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func (w *world) read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(w.root + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Live, Privileged, OS and Lstat implement boundary.System.
func (w *world) Live() bool       { return !w.image }
func (w *world) Privileged() bool { return true }
func (w *world) OS() string       { return "linux" }
func (w *world) Supported() bool  { return true }
func (w *world) Lstat(path string) (boundary.Step, error) {
	s, err := w.System.Lstat(path)
	s.UID, s.GID, s.ACL = w.owners[filepath.Join(w.root, path)], 0, false
	return s, err
}

// chown follows a file from its temporary name to its own.
func (w *world) chown(path string, uid, _ int) error {
	if name := filepath.Base(path); strings.HasPrefix(name, ".callgate-") {
		return nil
	}
	w.owners[path] = uid
	return nil
}

// Has implements service.Commands.
func (w *world) Has(program string) bool { return slices.Contains(w.has, program) }

// Run implements service.Commands.
func (w *world) Run(_ context.Context, program string, args ...string) (string, error) {
	argv := append([]string{program}, args...)
	line := strings.Join(argv, " ")
	if w.fails != "" && strings.HasPrefix(line, w.fails) {
		return "no\n", fmt.Errorf("%s: exit status 1: no", line)
	}
	switch {
	case strings.Contains(line, "is-active"), strings.Contains(line, "is-enabled"):
		if !w.active {
			return "inactive\n", errors.New("exit status 3")
		}
		return "active\n", nil
	case strings.Contains(line, "show-environment"):
		return "", nil
	}
	w.ran = append(w.ran, line)
	switch argv[0] {
	case "useradd":
		return "", w.edit("/etc/passwd", "callgate:x:990:990::/var/lib/callgate:/usr/sbin/nologin\n", true)
	case "userdel":
		return "", w.edit("/etc/passwd", "callgate:x:990:990::/var/lib/callgate:/usr/sbin/nologin\n", false)
	}
	switch {
	case strings.Contains(line, " enable"):
		w.active = true
		dir := filepath.Join(w.root, "var/lib/callgate")
		if _, err := os.Stat(dir); err == nil { // the daemon makes its tokens
			return "", errors.Join(os.MkdirAll(filepath.Join(dir, "agents"), 0o700), os.WriteFile(filepath.Join(dir, "agents/alice.token"), []byte(token), 0o600))
		}
	case strings.Contains(line, " disable"):
		w.active = false
	}
	return "", nil
}

func (w *world) edit(path, line string, add bool) error {
	text, err := os.ReadFile(w.root + path)
	if err != nil {
		return err
	}
	changed := strings.ReplaceAll(string(text), line, "")
	if add {
		changed += line
	}
	return os.WriteFile(w.root+path, []byte(changed), 0o644)
}

// options are those of level B for alice.
func (w *world) options() service.Options {
	root := 0
	return service.Options{
		Level: boundary.B, Agent: "alice", Approvers: []string{"bob"}, Binary: w.root + "/home/alice/callgate", Root: w.root, OS: "linux", UID: &root,
		System: w, Commands: w, Chown: w.chown,
	}
}

// optionsA are those of level A for the account of the test.
func (w *world) optionsA() service.Options {
	o := w.options()
	uid := 1001
	o.Level, o.Agent, o.Approvers, o.UID, o.Binary = boundary.A, "", nil, &uid, "/home/alice/callgate"
	o.Dirs = config.Dirs{Home: "/home/alice", Config: "/home/alice/.config/callgate", State: "/home/alice/.local/state/callgate", Cache: "/home/alice/.cache/callgate"}
	return o
}

// tree is everything there is, by path: mode and content.
func (w *world) tree(t *testing.T) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(content)
		}
		tree[strings.TrimPrefix(path, w.root)] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func sameTree(t *testing.T, got, want map[string]string) {
	t.Helper()
	for path, text := range got {
		if want[path] != text {
			t.Errorf("%s: got %q, want %q", path, text, want[path])
		}
	}
	for path := range want {
		if _, there := got[path]; !there {
			t.Errorf("%s is gone", path)
		}
	}
}

func dry(o service.Options) service.Options { o.DryRun = true; return o }

func purging(o service.Options) service.Options { o.Purge = true; return o }
