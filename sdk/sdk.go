// Package sdk holds the SDKs for tool modules as files: what `callgate tool new`
// copies into a project, and what `callgate tool build` links a script with.
package sdk

import (
	"embed"
	"io/fs"
)

//go:embed go/tool go/tooltest go/deploy rust c wat assemblyscript typescript deploy
var files embed.FS

// Files are the sources of every SDK with its example, by language, as they lie in
// this directory: go/tool, go/tooltest, go/deploy, rust, c, wat, assemblyscript,
// typescript (with engine.wasm, which runs scripts), and deploy/cases.yaml, the
// cases that an author begins with. Tests are among them. Safe for concurrent use.
func Files() fs.FS { return files }
