//go:build wasip1

// One permission check in Go, with the plug-in kit and encoding/json: the
// envelope is read, the command is held against a few rules, the answer is written.
package main

import (
	"encoding/json"
	"strings"

	"github.com/extism/go-pdk"
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
	if strings.HasPrefix(e.Input.Command, "panic") {
		panic("as the command says")
	}
	found := rule{behavior: "passthrough"}
	for _, r := range rules {
		if strings.HasPrefix(e.Input.Command, r.prefix) {
			found = r
			break
		}
	}
	answer, err := json.Marshal(verdict{found.behavior, e.Tool + " in mode " + e.Context.Mode + ": the command begins with '" + found.prefix + "'"})
	if err != nil {
		pdk.SetError(err)
		return 1
	}
	pdk.Output(answer)
	return 0
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
