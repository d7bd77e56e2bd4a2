package script_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/script"
)

// TestAssemblyScript builds the example and its unit tests, if the compiler is there: asc in
// PATH, or the one in ASC. Nothing is downloaded.
func TestAssemblyScript(t *testing.T) {
	t.Parallel()
	asc := os.Getenv("ASC")
	if asc == "" {
		found, err := exec.LookPath("asc")
		if err != nil {
			t.Skip("no asc: npm install assemblyscript@0.28.20, and put node_modules/.bin into PATH or name node_modules/.bin/asc in ASC")
		}
		asc = found
	}
	project := t.TempDir()
	for from, to := range map[string]string{"callgate.ts": "callgate.ts", "callgate.test.ts": "callgate.test.ts", "deploy/deploy.ts": "deploy.ts", "deploy/deploy.test.ts": "deploy.test.ts"} {
		text, err := os.ReadFile(filepath.Join(repo.File("sdk/assemblyscript"), from))
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte(`"../callgate"`), []byte(`"./callgate"`))
		if err := os.WriteFile(filepath.Join(project, to), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := func(source string) []byte {
		out := filepath.Join(project, "out.wasm")
		cmd := exec.CommandContext(t.Context(), asc, source, "-O3s", "--noAssert", "--runtime", "stub", "--exportStart", "_initialize", "--use", "abort=callgate/fail", "-o", out)
		cmd.Dir = project
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", source, err, text)
		}
		wasm, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return wasm
	}
	golden, err := os.ReadFile(repo.File("testdata/deploy/assemblyscript.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(build("deploy.ts"), golden) {
		t.Error("testdata/deploy/assemblyscript.wasm is not what deploy.ts gives with this compiler")
	}
	for _, file := range []string{"callgate.test.ts", "deploy.test.ts"} {
		results, err := script.Test(t.Context(), build(file))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(results) == 0 {
			t.Errorf("%s has no tests", file)
		}
		for _, r := range results {
			if r.Failed != "" {
				t.Errorf("%s: %s: %s", file, r.Name, r.Failed)
			}
		}
	}
}
