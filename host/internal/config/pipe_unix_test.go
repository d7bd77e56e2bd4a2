//go:build unix

package config_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
)

// TestT12_PipeInTheFilesPlace: a named pipe where the configuration is looked for
// is refused at once, and holds up neither a command nor the daemon's watch.
func TestT12_PipeInTheFilesPlace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "callgate.yaml")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Open(path, config.Dirs{})
	if c != nil || err == nil || !strings.Contains(err.Error(), path+": not a regular file") {
		t.Errorf("got %v, %v, want an error that says it is no regular file", c, err)
	}
}
