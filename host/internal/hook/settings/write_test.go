package settings_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

func write(t *testing.T, path, text string, mode fs.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // for any umask
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestFileRound: install and uninstall, with and without a file, leave the
// directory as it was.
func TestFileRound(t *testing.T) {
	t.Parallel()
	const before = "{\n  \"model\": \"opus\"\n}"
	for name, text := range map[string]*string{"no file": nil, "a file": ptr(before), "an empty file": ptr("")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), ".claude", "settings.json")
			if text != nil {
				write(t, path, *text, 0o640)
			}
			if r, err := settings.InstallFile(path, settings.User, entry, true); err != nil || r.Written || len(r.Added) != len(settings.Events()) {
				t.Fatalf("dry: got %+v, %v, want all to add and nothing written", r, err)
			}
			r, err := settings.InstallFile(path, settings.User, entry, false)
			if err != nil || !r.Written || (r.Backup != "") != (text != nil) {
				t.Fatalf("install: got %+v, %v", r, err)
			}
			if info, err := os.Stat(path); err != nil || text != nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
				t.Errorf("mode: got %v, %v, want that of before", info.Mode(), err)
			}
			if text != nil && read(t, r.Backup) != *text {
				t.Errorf("backup: got %q, want %q", read(t, r.Backup), *text)
			}
			if r, err := settings.InstallFile(path, settings.User, entry, false); err != nil || r.Written || len(r.Same) != len(settings.Events()) {
				t.Errorf("again: got %+v, %v, want nothing written", r, err)
			}
			if r, err = settings.UninstallFile(settings.ClaudeCode, path, false); err != nil || len(r.Removed) != len(settings.Events()) || !r.Written {
				t.Fatalf("uninstall: got %+v, %v", r, err)
			}
			left, err := os.ReadDir(filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case text == nil && (len(left) != 0 || !r.Deleted):
				t.Errorf("left: got %v, %+v, want nothing", left, r)
			case text != nil && (len(left) != 1 || read(t, path) != *text || !r.Restored):
				t.Errorf("left: got %v, %q, %+v, want %q alone", left, read(t, path), r, *text)
			}
			if r, err := settings.UninstallFile(settings.ClaudeCode, path, false); err != nil || r.Written {
				t.Errorf("uninstall again: got %+v, %v, want nothing done", r, err)
			}
		})
	}
}

func ptr(s string) *string { return &s }

// TestFileLink: a link stays a link, and the file behind it is changed.
func TestFileLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real := write(t, filepath.Join(dir, "dotfiles", "claude.json"), "{}\n", 0o600)
	link := filepath.Join(dir, "settings.json")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no links here: ", err)
	}
	r, err := settings.InstallFile(link, settings.User, entry, false)
	if err != nil || r.Real == "" {
		t.Fatalf("got %+v, %v, want the file behind the link named", r, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link: got %v, %v, want a link still", info.Mode(), err)
	}
	if read(t, real) == "{}\n" {
		t.Error("the file behind the link was not changed")
	}
	if _, err := settings.UninstallFile(settings.ClaudeCode, link, false); err != nil || read(t, real) != "{}\n" {
		t.Errorf("uninstall: got %q, %v, want {}", read(t, real), err)
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := settings.InstallFile(link, settings.User, entry, false); err == nil {
		t.Error("a link to nowhere: got no error")
	}
}

// TestFileRefused: a file that may not or cannot be written stays as it is.
func TestFileRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	readOnly := write(t, filepath.Join(dir, "read-only.json"), "{}", 0o400)
	bad := write(t, filepath.Join(dir, "bad.json"), "{,}", 0o600)
	var at *settings.Error
	for _, path := range []string{readOnly, bad, dir} {
		_, err := settings.InstallFile(path, settings.User, entry, false)
		if err == nil {
			t.Errorf("%s: got no error", path)
		}
		if path == bad && (!errors.As(err, &at) || at.File != bad || at.Line != 1) {
			t.Errorf("malformed: got %v, want an *Error naming the file", err)
		}
	}
	if got := read(t, readOnly) + read(t, bad); got != "{}{,}" {
		t.Errorf("after refusals: got %q", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left: got %v, %v, want the two files", left, err)
	}
}

// TestFileManaged: a hook installed for every account is readable by every account, or it would
// be there for none.
func TestFileManaged(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing here")
	}
	path := filepath.Join(t.TempDir(), "claude-code", "managed-settings.json")
	if _, err := settings.InstallFile(path, settings.Managed, entry, false); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{path: 0o644, filepath.Dir(path): 0o755} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

// TestT08_ManagedAlone: a managed file made by the install lets no other hook run, an existing
// one is unchanged, and both come back as they were.
func TestT08_ManagedAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before string // empty for no file
		alone  bool   // asked for
		want   bool
	}{
		"new":                  {"", true, true},
		"new, beside others":   {"", false, false},
		"there, with the key":  {"{\n  \"allowManagedHooksOnly\": true\n}\n", false, true},
		"there, without a key": {"{\n  \"model\": \"theirs\"\n}\n", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "managed-settings.json")
			if test.before != "" {
				write(t, path, test.before, 0o644)
			}
			e := entry
			e.Alone = test.alone
			dry, err := settings.InstallFile(path, settings.Managed, e, true)
			if err != nil || dry.Alone != test.want {
				t.Errorf("dry: got alone %t, %v, want %t", dry.Alone, err, test.want)
			}
			r, err := settings.InstallFile(path, settings.Managed, e, false)
			if err != nil || r.Alone != test.want {
				t.Fatalf("got alone %t, %v, want %t", r.Alone, err, test.want)
			}
			text, err := os.ReadFile(path)
			if err != nil || string(text) != dry.Text || strings.Contains(string(text), "allowManagedHooksOnly") != test.want {
				t.Errorf("got %v and\n%s\nwant what the dry run showed:\n%s", err, text, dry.Text)
			}
			if r, err := settings.UninstallFile(settings.ClaudeCode, path, false); err != nil || r.Deleted != (test.before == "") {
				t.Errorf("uninstall: got %+v, %v", r, err)
			}
			if now, err := os.ReadFile(path); string(now) != test.before || (err != nil) != (test.before == "") {
				t.Errorf("after the uninstall: got %q, %v, want %q", now, err, test.before)
			}
		})
	}
}
