//go:build wasip1

// The check of the folder go, with the command line parsed: every command in it
// must be covered by a rule, and the strictest behavior counts.
package main

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/callgate/callgate/host/bench/guests/check"
)

//go:wasmexport check_permissions
func checkPermissions() int32 { return check.Run(judge) }

// strictness orders behaviors; what no rule covers is nearly the strictest.
var strictness = map[string]int{"allow": 1, "ask": 2, "passthrough": 3, "deny": 4}

// judge returns the rule with the strictest behavior among those that the
// command's parts meet.
func judge(command string) (strictest check.Rule, err error) {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return check.Rule{}, err
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			if r := cover(call); strictness[r.Behavior] > strictness[strictest.Behavior] {
				strictest = r
			}
		}
		return true
	})
	return strictest, nil
}

// cover returns the first rule that a simple command begins with.
func cover(call *syntax.CallExpr) check.Rule {
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = w.Lit()
	}
	text := strings.Join(words, " ")
	for _, r := range check.Rules {
		if strings.HasPrefix(text, r.Prefix) {
			return r
		}
	}
	return check.Rule{Behavior: "passthrough"}
}

func main() {}
