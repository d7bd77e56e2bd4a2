package plugins

import "embed"

//go:embed dist/code/darwin_arm64
var code embed.FS
