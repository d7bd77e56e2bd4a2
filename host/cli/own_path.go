package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ownPath is the absolute path of this program as it was called. A link in it stays, because
// package managers move its target with every upgrade.
func ownPath() (string, error) {
	running, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program's file: %w", err)
	}
	called := os.Args[0]
	if !strings.ContainsRune(called, filepath.Separator) {
		if called, err = exec.LookPath(called); err != nil {
			return running, nil
		}
	}
	if called, err = filepath.Abs(called); err != nil {
		return running, nil
	}
	a, err := os.Stat(called)
	if err != nil {
		return running, nil
	}
	if b, err := os.Stat(running); err != nil || !os.SameFile(a, b) {
		return running, nil
	}
	return called, nil
}

// under tells whether path is in dir, at any depth.
func under(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
