package plugins_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"testing"

	"github.com/callgate/callgate/plugins"
)

// TestDigest: a module is loaded by the digest noted when it was packed.
func TestDigest(t *testing.T) {
	for _, name := range plugins.Names() {
		data, err := fs.ReadFile(plugins.Modules(), name)
		if err != nil {
			t.Fatal(err)
		}
		noted, ok := plugins.Modules().(interface{ Digest(name string) string })
		if !ok {
			t.Fatal("the modules have no digests")
		}
		got := noted.Digest(name)
		if got == "" {
			t.Skip("packed before digests were noted: the last release's modules")
		}
		if want := fmt.Sprintf("%x", sha256.Sum256(data)); got != want {
			t.Errorf("%s: noted %s, want %s", name, got, want)
		}
	}
}
