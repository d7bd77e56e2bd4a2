// Package early runs a hook in its installed form before the rest of the program is initialised.
// The program callgate imports it for that.
package early

import (
	"os"

	"github.com/callgate/callgate/host/internal/hook/process"
	"github.com/callgate/callgate/host/internal/machine/ready"
)

// init runs the hook and ends the process when the arguments are those of an installed hook.
// Packages unneeded by the hook, such as the database, the sandbox, Discord and the schema
// compiler, are initialised after this one, so a hook does not wait for them. TestHook_startsFirst
// lists the ones before. RATIONALE.md, "Why does the hook run before the program is initialised?".
func init() {
	if code, ran := process.Installed(os.Args); ran {
		os.Exit(code)
	}
	ready.Heap() // for the initialisers after this one
}
