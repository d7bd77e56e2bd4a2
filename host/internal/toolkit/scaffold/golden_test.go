package scaffold_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// rebuild writes the golden modules anew: make wasm.
var rebuild = flag.Bool("rebuild", false, "write the golden modules of testdata/deploy anew")

// goldens is the directory of the deploy example's modules, and builds the file in it with
// their compilers.
var (
	goldens = repo.File("testdata/deploy")
	builds  = goldens + "/builds.json"
)

// goldenBuild is how one golden module was made.
type goldenBuild struct {
	Compiler string `json:"compiler"`
	Size     int    `json:"size"`
	SHA256   string `json:"sha256"`
}

// TestGoldens builds the deploy example of each language as a new project, and compares it with
// the golden module if the compiler's version is the same. That of Go is too large to be kept:
// it is built twice, in two places. That of JavaScript is the same as that of TypeScript.
func TestGoldens(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("npm_config_offline", "true")
	known := readBuilds(t)
	for _, language := range []string{"rust", "c", "assemblyscript", "typescript", "wat"} {
		t.Run(language, func(t *testing.T) {
			_, built := made(t, language, "deploy")
			module, err := os.ReadFile(built.Path)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(module)
			is := goldenBuild{built.Compiler, len(module), hex.EncodeToString(sum[:])}
			path := filepath.Join(goldens, language+".wasm")
			if *rebuild {
				known[language] = is
				writeBuilds(t, known, path, module)
				return
			}
			was, ok := known[language]
			if !ok {
				t.Fatalf("%s has no entry for %s: run make wasm", builds, language)
			}
			if was.Compiler != is.Compiler {
				t.Skipf("the golden module is by %s, and here is %s", was.Compiler, is.Compiler)
			}
			golden, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if is != was || !bytes.Equal(module, golden) {
				t.Errorf("%s is not what its sources make: got %+v, want %+v; run make wasm", path, is, was)
			}
		})
	}
	t.Run("go", func(t *testing.T) {
		_, first := made(t, "go", "deploy")
		_, second := made(t, "go", "deploy")
		a, err := os.ReadFile(first.Path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(second.Path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Error("two builds of one project in two directories differ")
		}
	})
}

// TestBuilds: the list of golden modules matches the files.
func TestBuilds(t *testing.T) {
	t.Parallel()
	for language, build := range readBuilds(t) {
		module, err := os.ReadFile(filepath.Join(goldens, language+".wasm"))
		if err != nil {
			t.Error(err)
			continue
		}
		if sum := sha256.Sum256(module); build.SHA256 != hex.EncodeToString(sum[:]) || build.Size != len(module) {
			t.Errorf("%s: got %x, %d bytes, want %+v; run make wasm", language, sum, len(module), build)
		}
	}
}

func readBuilds(t *testing.T) map[string]goldenBuild {
	t.Helper()
	known := map[string]goldenBuild{}
	text, err := os.ReadFile(builds)
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil && !*rebuild {
		t.Fatal(err)
	}
	return known
}

func writeBuilds(t *testing.T, known map[string]goldenBuild, path string, module []byte) {
	t.Helper()
	text, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{path: module, builds: append(text, '\n')} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
