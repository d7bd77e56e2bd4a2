package sdk_test

import (
	"io/fs"
	"testing"

	"github.com/callgate/callgate/sdk"
)

// TestFiles: a project's parts are in the program.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"go/tool/tool.go", "go/tool/export_wasip1.go", "go/tooltest/tooltest.go", "go/deploy/deploy.go", "go/deploy/deploy_test.go",
		"rust/callgate.rs", "rust/deploy/deploy.rs", "c/callgate.h", "c/deploy/deploy.c", "wat/deploy/deploy.wat",
		"assemblyscript/callgate.ts", "assemblyscript/deploy/deploy.ts",
		"typescript/callgate.ts", "typescript/engine.wasm", "typescript/deploy/deploy.ts", "typescript/deploy/deploy.js", "deploy/cases.yaml",
	} {
		if info, err := fs.Stat(sdk.Files(), file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}
