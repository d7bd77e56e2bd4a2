package modules

import (
	"path"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/wire"
)

// The world of a rule example. Source: docs/abi.md.
const (
	exampleCWD  = "/project"
	exampleHome = "/home/user"
)

// exampleCall is the call an example speaks of.
func exampleCall(e wire.RuleExample, tool string) *engine.Call {
	cwd := e.CWD
	if cwd == "" {
		cwd = exampleCWD
	}
	return &engine.Call{Tool: tool, Input: e.Input, Context: engine.Context{
		CWD: cwd, WorkingDirectories: []string{cwd}, Home: exampleHome, Kind: engine.Main,
	}}
}

// lexicalTargets resolves targets in a world without links, where nothing
// exists: examples must mean the same on every machine.
func lexicalTargets(targets []engine.Target, c *engine.Context) []engine.Target {
	for i := range targets {
		t := &targets[i]
		if t.Kind != "path" {
			continue
		}
		p := t.Value
		if p == "~" || strings.HasPrefix(p, "~/") {
			p = c.Home + p[1:]
		} else if !path.IsAbs(p) {
			p = path.Join(c.CWD, p)
		}
		t.Lexical = path.Clean(p)
		t.Resolved = t.Lexical
		for _, dir := range c.WorkingDirectories {
			if t.Lexical == dir || strings.HasPrefix(t.Lexical, strings.TrimSuffix(dir, "/")+"/") {
				t.Inside = dir
			}
		}
	}
	return targets
}
