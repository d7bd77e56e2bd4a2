package main

import "github.com/callgate/callgate/sdk/go/tool"

func init() { tool.Serve(module) }
