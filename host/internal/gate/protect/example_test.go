package protect_test

import (
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/protect"
)

// The guard judges the host's resolved paths, not the call's words.
func ExampleGuard() {
	g := protect.New(protect.Facts{Home: "/home/dev", State: "/home/dev/.local/state/callgate"})
	for _, path := range []string{"/work/app/main.go", "/home/dev/.local/state/callgate/admin.token"} {
		call := &engine.Call{Tool: "Read", Context: engine.Context{CWD: "/work/app", Targets: []engine.Target{
			{Kind: "path", Access: "read", Value: path, Resolved: path},
		}}}
		fmt.Printf("%q\n", g.Protect(call))
	}
	// Output:
	// ""
	// "it reads Callgate's rules, store and tokens (/home/dev/.local/state/callgate/admin.token)"
}
