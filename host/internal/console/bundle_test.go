package console_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "write assets/app.js anew")

// TestBundle: the embedded script is what esbuild makes of app.ts, so that go build needs no other
// step.
func TestBundle(t *testing.T) {
	source, err := os.ReadFile("assets/app.ts")
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
		if err := os.WriteFile("assets/app.js", out.Code, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile("assets/app.js")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, out.Code) {
		t.Error("assets/app.js is not made of assets/app.ts; run: go test ./host/internal/console -run TestBundle -update")
	}
}
