// Package projecttest makes projects where people have them: no folder below a directory
// for temporary files is ever offered to be trusted.
package projecttest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// Dir returns a new directory, resolved, suitable for trusted folders; it is removed with the
// test. It lies beside this repository or, where this is among temporary files, in the
// account's home.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := Make()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a failed test may have left it unreadable
	return dir
}

// Make is Dir for the caller to remove.
func Make() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	laws := folder.NewLaws([]string{home}, nil)
	var last error
	for _, parent := range []string{filepath.Dir(repo.File()), home} {
		dir, err := os.MkdirTemp(parent, "callgate-test-")
		if err != nil {
			last = err
			continue
		}
		if dir, err = filepath.EvalSymlinks(dir); err == nil && laws.RefusePath(filepath.Join(dir, "site")) == "" {
			return dir, nil
		}
		last = os.RemoveAll(dir)
	}
	return "", last
}

// Repository makes a git repository at dir, as far as Callgate looks at one.
func Repository(t testing.TB, dir string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
