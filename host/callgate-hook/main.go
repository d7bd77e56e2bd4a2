// Callgate-hook is the hook of agents' clients as a program of its own: `callgate hook CLIENT` in
// its installed form, and nothing else. It starts in a third of callgate's time. It may import the
// hook alone. RATIONALE.md, "Why is there a second program for the hook?".
package main

import (
	"os"

	"github.com/callgate/callgate/host/internal/hook/process"
)

// version is set by the Makefile.
var version string

func main() {
	if code, ran := process.Installed(os.Args); ran {
		os.Exit(code)
	}
	os.Exit(process.Alone(version, os.Args[1:], os.Stdout, os.Stderr))
}
