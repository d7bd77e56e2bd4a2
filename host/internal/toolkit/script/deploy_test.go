package script_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/script"
)

var update = flag.Bool("update", false, "write the golden modules anew")

var (
	sdkDir = repo.File("sdk/typescript")
	golden = repo.File("testdata/deploy/typescript.wasm")
)

// build makes a module of a file of the SDK's directory.
func build(t *testing.T, file string) []byte {
	t.Helper()
	sdk, err := os.ReadFile(filepath.Join(sdkDir, "callgate.ts"))
	if err != nil {
		t.Fatal(err)
	}
	js, err := script.Bundle(t.Context(), filepath.Join(sdkDir, file), sdk)
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := script.Link(readEngine(), js)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// TestGolden: today's source gives the committed module.
func TestGolden(t *testing.T) {
	t.Parallel()
	got := build(t, "deploy/deploy.ts")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what deploy.ts gives: go test ./host/internal/toolkit/script -run TestGolden -update", golden)
	}
}

// TestGolden_javascript: the example in JavaScript, kept by hand for its comments, is the
// one in TypeScript without its types.
func TestGolden_javascript(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(build(t, "deploy/deploy.js"), build(t, "deploy/deploy.ts")) {
		t.Error("sdk/typescript/deploy/deploy.js and deploy.ts give different modules: what is changed in one is changed in the other")
	}
}

// TestUnitTests runs the SDK's own tests and those of the examples.
func TestUnitTests(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"callgate.test.ts", "deploy/deploy.test.ts", "deploy/deploy.test.js"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			results, err := script.Test(t.Context(), build(t, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Failed != "" {
					t.Errorf("%s: %s", r.Name, r.Failed)
				}
			}
		})
	}
}
