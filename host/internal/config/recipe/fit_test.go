package recipe_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/config/recipe"
)

func TestFitting(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		files []string
		want  string
	}{
		{nil, ""},
		{[]string{"notes.txt"}, ""},
		{[]string{"go.mod"}, "go-project"},
		{[]string{"go.mod", "go.work"}, "go-project"},
		{[]string{"package.json", "README.md"}, "node-project"},
		{[]string{"pyproject.toml", "uv.lock"}, "python-project"},
		{[]string{"Cargo.toml"}, "developer"},
		{[]string{"go.mod", "Makefile"}, "developer"},
		{[]string{"package.json", "pyproject.toml"}, "developer"},
		{[]string{"go.mod/x"}, ""},
	} {
		dir := t.TempDir()
		for _, f := range tc.files {
			path := filepath.Join(dir, f)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, ok := recipe.Fitting(dir); got.Name != tc.want || ok != (tc.want != "") {
			t.Errorf("%v: got %q, %t, want %q", tc.files, got.Name, ok, tc.want)
		}
	}
}
