//go:build wasip1

// Command wasm is the bash module: the exports around package bash.
package main

import (
	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

func init() {
	bash.Ready()
	tool.Serve(bash.Module)
}

func main() {}
