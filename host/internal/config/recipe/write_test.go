package recipe_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config/recipe"
)

// Attack: two concurrent writers of the configuration (an import beside an import or an
// editor): the second one's file, made of the first reading, would lose a new denial.
func TestWrite_keepsWhatWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c", "callgate.yaml")
	if err := recipe.Write(path, nil, []byte("rules: []\n")); err != nil {
		t.Fatal(err)
	}
	const denial = "rules: [{deny: Bash}]\n"
	if err := recipe.Write(path, []byte("rules: []\n"), []byte(denial)); err != nil {
		t.Fatal(err)
	}
	for _, was := range []string{"", "rules: []\n"} {
		if err := recipe.Write(path, []byte(was), []byte("defaults: {mode: bypass}\n")); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
			t.Errorf("over %q: got %v", was, err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != denial {
		t.Errorf("got %q, %v, want what was written last", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want the account's alone", info, err)
	}
}
