// Callgate decides, before it happens, whether an AI agent may make a tool call: allow,
// deny, or ask a human. The commands are in package cli.
package main

import (
	"os"

	"github.com/callgate/callgate/host/cli"
)

// version is set by the Makefile; without it, Main takes the one go install knows.
var version string

func main() { os.Exit(cli.Main(version)) }
