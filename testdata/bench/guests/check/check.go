//go:build wasip1

// Package check is what the two guests in Go share: the envelope, the rules, the
// verbs beside check_permissions, and how a verdict is written.
package check

import (
	"encoding/json"

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

// Rule gives commands that begin with Prefix a behavior.
type Rule struct{ Prefix, Behavior string }

// Rules are tried in order.
var Rules = []Rule{
	{"rm -rf", "deny"}, {"sudo ", "deny"}, {"git push", "ask"}, {"curl ", "ask"},
	{"git status", "allow"}, {"go test", "allow"}, {"make ", "allow"}, {"npm run ", "allow"},
}

// Calls begin in the state that the init functions leave: what JSON needs of the types
// is set up here, once.
func init() {
	var e envelope
	_ = json.Unmarshal([]byte(`{"tool":"Bash","input":{"command":""},"context":{"agent":"","session":"","user":"","mode":"","cwd":"","working_directories":[""],"home":"","kind":""}}`), &e)
	_, _ = json.Marshal(verdict{})
}

// Run answers check_permissions with the rule that judge finds for the command.
func Run(judge func(command string) (Rule, error)) int32 {
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
	answer, err := json.Marshal(verdict{found.Behavior, e.Tool + " in mode " + e.Context.Mode + ": the command begins with '" + found.Prefix + "'"})
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
