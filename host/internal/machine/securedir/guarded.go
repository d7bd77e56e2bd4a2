package securedir

import (
	"fmt"
	"os"
)

// Guarded is nil for a file that no other account can change: it belongs to this account or to root,
// only its owner and its group may write it, and no other account may replace it, a link to it, or a
// directory above either. Otherwise the error is ErrUnsafe.
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
	return checkParents(path) // of a link, also those of its target
}
