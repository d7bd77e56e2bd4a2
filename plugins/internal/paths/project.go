package paths

import (
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// OfProject reports whether a value is plainly one path inside a working directory: no option of a
// program, no magic of git's, no other spelling. An action string may leave such a path out and
// still describe the call.
func OfProject(c tool.Context, value string) bool {
	if Check(value) != nil || value == "~" || strings.HasPrefix(value, "-") || strings.HasPrefix(value, ":") {
		return false
	}
	dirs := c.WorkingDirectories
	for _, dir := range dirs {
		c.WorkingDirectories = []string{dir}
		if filepath.IsLocal(Shown(c, value)) {
			return true
		}
	}
	return false
}
