package process

import (
	"cmp"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
)

// Alone is the program callgate-hook with arguments other than an installed hook's: `version` prints
// the version, and everything else ends with the code of a denial, because a client runs the call
// after most others.
func Alone(v string, args []string, stdout, stderr io.Writer) int {
	if slices.Equal(args, []string{"version"}) {
		if _, err := fmt.Fprintln(stdout, Version(v)); err == nil {
			return 0
		}
	}
	fmt.Fprintln(stderr, "Denied: callgate-hook only runs hooks as they are installed. Ask the user to install the hook again: callgate hook claude-code --install. Do not retry before that.")
	return claudecode.ExitDenied
}

// Version is the version of the program: v as the linker set it, else the one of `go install
// PATH@VERSION`, else "dev".
func Version(v string) string {
	installed := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		installed = info.Main.Version
	}
	return cmp.Or(v, installed, "dev")
}
