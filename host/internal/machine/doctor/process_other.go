//go:build !unix

package doctor

import (
	"errors"
	"os"
)

// checksModes reports whether permission bits control the use of a file.
const checksModes = false

// owner is not known here.
func owner(os.FileInfo) (uid int, known bool) { return 0, false }

// free is not known here.
func free(string) (uint64, error) { return 0, errors.ErrUnsupported }
