//go:build unix

package stat_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/stat"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// TestStat: each answer is that of the standard library.
func TestStat(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	file := filepath.Join(dir, "file")
	for _, err := range []error{
		os.WriteFile(file, []byte("text"), 0o640), os.Mkdir("sub", 0o700),
		os.Symlink("file", "link"), os.Symlink("nowhere", "broken"), os.Symlink("loop", "loop"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{
		file, dir, "file", "sub", "sub/", "sub/../file", "link", "link/", "broken", "loop", "missing", "file/below", "", ".", "/", "/dev/null", "/proc/self/mem/x",
		"a\x00b", "\x00", strings.Repeat("n", 255), strings.Repeat("n", 256), strings.Repeat("./", 2046) + "file", strings.Repeat("./", 2045) + "sub//", strings.Repeat("./", 2048), strings.Repeat("n/", 5000), "\xff\xfe",
	}
	for _, p := range paths {
		for what, pair := range map[string][2]func(string, *syscall.Stat_t) error{"Stat": {stat.Stat, syscall.Stat}, "Lstat": {stat.Lstat, syscall.Lstat}} {
			var got, want syscall.Stat_t
			gotErr, wantErr := pair[0](p, &got), pair[1](p, &want)
			if gotErr != wantErr || got != want {
				t.Errorf("%s(%.40q, %d bytes): got %v, %+v; want %v, %+v", what, p, len(p), gotErr, got, wantErr, want)
			}
		}
	}
	if raceflag.Enabled || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return // pools forget under the race detector; elsewhere a path is copied
	}
	var st syscall.Stat_t
	if n := testing.AllocsPerRun(100, func() { _ = stat.Lstat(file, &st) }); n >= 1 {
		t.Errorf("a look takes %v allocations", n)
	}
}
