//go:build wasip1

// The check of the folder go, with the command line parsed: every command in it
// must be covered by a rule, and the strictest behavior counts.
package main

import (
	"encoding/json"
	"strings"

	"github.com/extism/go-pdk"
	"mvdan.cc/sh/v3/syntax"
)

type envelope struct {
	Tool  string `json:"tool"`
	Input struct {
		Command string `json:"command"`
	} `json:"input"`
	Context struct {
		Agent              string   `json:"agent"`
		Session            string   `json:"session"`
		User               string   `json:"user"`
		Mode               string   `json:"mode"`
		CWD                string   `json:"cwd"`
		WorkingDirectories []string `json:"working_directories"`
		Home               string   `json:"home"`
		Kind               string   `json:"kind"`
	} `json:"context"`
}

type verdict struct {
	Behavior string `json:"behavior"`
	Reason   string `json:"reason"`
}

type rule struct{ prefix, behavior string }

var rules = []rule{
	{"rm -rf", "deny"}, {"sudo ", "deny"}, {"git push", "ask"}, {"curl ", "ask"},
	{"git status", "allow"}, {"go test", "allow"}, {"make ", "allow"}, {"npm run ", "allow"},
}

//go:wasmexport check_permissions
func checkPermissions() int32 {
	var e envelope
	if err := json.Unmarshal(pdk.Input(), &e); err != nil {
		pdk.SetError(err)
		return 1
	}
	found, err := judge(e.Input.Command)
	if err != nil {
		pdk.SetError(err)
		return 1
	}
	answer, err := json.Marshal(verdict{found.behavior, e.Tool + " in mode " + e.Context.Mode + ": the command begins with '" + found.prefix + "'"})
	if err != nil {
		pdk.SetError(err)
		return 1
	}
	pdk.Output(answer)
	return 0
}

// strictness orders behaviors; what no rule covers is nearly the strictest.
var strictness = map[string]int{"allow": 1, "ask": 2, "passthrough": 3, "deny": 4}

// judge returns the rule with the strictest behavior among those that the
// command's parts meet.
func judge(command string) (strictest rule, err error) {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return rule{}, err
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			if r := cover(call); strictness[r.behavior] > strictness[strictest.behavior] {
				strictest = r
			}
		}
		return true
	})
	return strictest, nil
}

// cover returns the first rule that a simple command begins with.
func cover(call *syntax.CallExpr) rule {
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = w.Lit()
	}
	text := strings.Join(words, " ")
	for _, r := range rules {
		if strings.HasPrefix(text, r.prefix) {
			return r
		}
	}
	return rule{behavior: "passthrough"}
}

func say(text string) int32 {
	pdk.OutputString(text)
	return 0
}

//go:wasmexport describe
func describe() int32 {
	return say(`{"abi":1,"name":"check","version":"1.0.0","tools":[{"name":"Bash"}]}`)
}

//go:wasmexport check_read_only
func checkReadOnly() int32 { return say(`{"read_only":false}`) }

//go:wasmexport match_rule
func matchRule() int32 { return say(`{"matched":[]}`) }

//go:wasmexport generate_suggestions
func generateSuggestions() int32 { return say(`{"rules":[]}`) }

func main() {}
