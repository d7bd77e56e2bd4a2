//go:build !((linux && amd64) || (linux && arm64) || (darwin && arm64))

package plugins

import "embed"

// code is empty: here the first start compiles.
var code embed.FS
