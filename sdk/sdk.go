// Package sdk holds the SDKs for tool modules as files: `callgate tool new` copies them into a
// project, and `callgate tool build` links a script with them. RATIONALE.md, "Why are the SDKs
// files to copy and not packages?".
package sdk

import (
	"embed"
	"io/fs"
)

//go:embed go/tool go/tooltest go/deploy rust c wat assemblyscript typescript deploy
var files embed.FS

// Files are the sources of every SDK with its example, by language, as they lie in this directory:
// go/tool, go/tooltest, go/deploy, rust, c, wat, assemblyscript, typescript (with engine.wasm, the
// engine for scripts), and deploy/cases.yaml, an author's first cases. Tests are among them. Safe
// for concurrent use.
func Files() fs.FS { return files }
