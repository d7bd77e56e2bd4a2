package console_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "write assets/*.js anew")

// TestBundle: the embedded scripts are what esbuild makes of their sources, so that go build needs no other
// step.
func TestBundle(t *testing.T) {
	for _, name := range []string{"app", "passkey", "push", "rules", "worker"} {
		t.Run(name, func(t *testing.T) { bundled(t, "assets/"+name) })
	}
}

func bundled(t *testing.T, path string) {
	source, err := os.ReadFile(path + ".ts")
	if err != nil {
		t.Fatal(err)
	}
	out := api.Transform(string(source), api.TransformOptions{
		Loader: api.LoaderTS, Target: api.ES2022, MinifySyntax: true, MinifyWhitespace: true, LegalComments: api.LegalCommentsNone, Charset: api.CharsetUTF8,
		Format: api.FormatIIFE,
	})
	if len(out.Errors)+len(out.Warnings) > 0 {
		t.Fatal(out.Errors, out.Warnings)
	}
	if *update {
		if err := os.WriteFile(path+".js", out.Code, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path + ".js")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, out.Code) {
		t.Error(path + ".js is not made of " + path + ".ts; run: go test ./host/internal/console -run TestBundle -update")
	}
}
