package plugins

import "embed"

//go:embed dist/code/linux_amd64
var code embed.FS
