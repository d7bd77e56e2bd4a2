package securedir

import (
	"fmt"
	"os"
	"path/filepath"
)

// Guarded reports whether another account may change a file: it belongs to this account or to root,
// only its owner and its group may write it, and nobody else may replace it or a directory above.
func Guarded(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case !Ours(info):
		return fmt.Errorf("%w: %s belongs to another account", ErrUnsafe, path)
	case ChecksModes && mode.Perm()&0o002 != 0:
		return fmt.Errorf("%w: everybody can write %s (mode %04o): run chmod o-w %[2]s", ErrUnsafe, path, mode.Perm())
	}
	return checkParents(filepath.Dir(path))
}
