package boundary_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// owned is an image owned by one account.
type owned struct {
	boundary.System
	uid int
}

func (o owned) Lstat(path string) (boundary.Step, error) {
	s, err := o.System.Lstat(path)
	s.UID, s.ACL = o.uid, false
	if path == "/" {
		s.Mode = fs.ModeDir | 0o755
	}
	return s, err
}

// TestT06_RootOnly: a program runs from its place only when root alone can change it.
func TestT06_RootOnly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes mean something else there")
	}
	for name, test := range map[string]struct {
		uid       int
		dir, mode fs.FileMode
		path      string
		want      string // empty: it is
	}{
		"root's":              {0, 0o755, 0o755, "/opt/callgate", ""},
		"through a link":      {0, 0o755, 0o755, "/link", ""},
		"another's":           {1001, 0o755, 0o755, "/opt/callgate", "belongs to uid 1001"},
		"of a group":          {0, 0o755, 0o775, "/opt/callgate", "can write"},
		"below everybody's":   {0, 0o777, 0o755, "/opt/callgate", "can write"},
		"through a link too":  {0, 0o777, 0o755, "/link", "can write"},
		"in a private place":  {0, 0o700, 0o755, "/opt/callgate", "not every account can use"},
		"not to be run":       {0, 0o755, 0o750, "/opt/callgate", "not every account can use"},
		"not there":           {0, 0o755, 0o755, "/opt/other", "does not exist"},
		"a link to itself":    {0, 0o755, 0o755, "/loop", "too many links"},
		"not absolute at all": {0, 0o755, 0o755, "opt/callgate", "not absolute"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			at := func(p string) string { return filepath.Join(root, p) }
			for _, err := range []error{
				os.Mkdir(at("opt"), 0o700), os.WriteFile(at("opt/callgate"), nil, 0o600), os.Chmod(at("opt/callgate"), test.mode), os.Chmod(at("opt"), test.dir),
				os.Symlink("/opt/callgate", at("link")), os.Symlink("loop", at("loop")),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			err := boundary.RootOnly(owned{boundary.Local(root), test.uid}, test.path)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
