// Package private makes the directories whose contents the host believes: the
// cache of compiled code, the verdicts on modules.
package private

import (
	"fmt"
	"os"
	"runtime"
)

// Directory makes dir and its parents with mode 0700, or accepts the one that
// is there: a directory, not a link, that neither its group nor others can
// write. On Windows the mode says nothing and is not looked at.
func Directory(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a link: name the directory it points to", dir)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others can write %s (mode %04o): remove what it holds, then run chmod 700 %[1]s", dir, info.Mode().Perm())
	}
	return nil
}
