package plugins

import "embed"

//go:embed dist/code/linux_arm64
var code embed.FS
