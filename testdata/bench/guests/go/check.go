//go:build wasip1

// One permission check in Go, with the plug-in kit and encoding/json: the
// envelope is read, the command is held against a few rules, the answer is written.
package main

import (
	"strings"

	"github.com/callgate/callgate/host/bench/guests/check"
)

//go:wasmexport check_permissions
func checkPermissions() int32 { return check.Run(judge) }

// judge returns the first rule that the command begins with.
func judge(command string) (check.Rule, error) {
	if strings.HasPrefix(command, "panic") {
		panic("as the command says")
	}
	for _, r := range check.Rules {
		if strings.HasPrefix(command, r.Prefix) {
			return r, nil
		}
	}
	return check.Rule{Behavior: "passthrough"}, nil
}

func main() {}
