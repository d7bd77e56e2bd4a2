package tokenfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/machine/securedir"
)

func TestRead_tellsHowToGetOne(t *testing.T) {
	t.Parallel()
	_, err := tokenfile.Read(tokenfile.Admin(t.TempDir()))
	if err == nil || !strings.Contains(err.Error(), "callgate serve") {
		t.Errorf("got %v, want how to make one", err)
	}
}

// TestRead_byRoot: at level B an agent's token is root's, and the agent's group may read it.
// Root, able to reset a PIN at once, reads the token of the daemon's account.
func TestRead_byRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to own the files")
	}
	for name, tt := range map[string]struct {
		owner int
		taken map[os.FileMode]bool
	}{
		"root's own":      {0, map[os.FileMode]bool{0o600: true, 0o640: true, 0o644: false, 0o660: false, 0o604: false}},
		"somebody else's": {4711, map[os.FileMode]bool{0o600: true, 0o640: false, 0o644: false}},
	} {
		path := filepath.Join(t.TempDir(), "x.token")
		if err := os.WriteFile(path, []byte("cg_check_"+strings.Repeat("A", 43)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, tt.owner, tt.owner); err != nil {
			t.Fatal(err)
		}
		for mode, want := range tt.taken {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			_, err := tokenfile.Read(path)
			if (err == nil) != want || err != nil && !errors.Is(err, securedir.ErrNotPrivate) {
				t.Errorf("%s, mode %04o: got %v, want taken: %t", name, mode, err, want)
			}
		}
	}
}

// TestForms: tokens against names of files.
func TestForms(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("aZ09_-x", 7)[:43]
	for text, want := range map[string]bool{
		"cg_check_" + secret: true, "cg_a_" + secret: true, "cg_check_" + strings.Repeat("_", 43): true,
		"": false, "cg_": false, "cg__" + secret: false, "cg_Check_" + secret: false, "cg_a1_" + secret: false, "xg_check_" + secret: false,
		"cg_check_" + secret[1:]: false, "cg_check_" + secret + "x": false, "cg_check_" + secret[1:] + ".": false,
		"cg_check_" + secret[2:] + "é": false, "cg_check_" + secret + "\n": false, secret: false,
	} {
		if got := tokenfile.IsToken(text); got != want {
			t.Errorf("IsToken(%q): got %t", text, got)
		}
	}
	for name, want := range map[string]bool{
		"a": true, "a.b-C_9": true, "-": true, "_": true, strings.Repeat("x", 64): true,
		"": false, ".": false, "..": false, ".a": false, strings.Repeat("x", 65): false, "a/b": false, "a b": false, "é": false, "a\n": false, "+a": false,
	} {
		if got := tokenfile.IsPlainName(name); got != want {
			t.Errorf("IsPlainName(%q): got %t", name, got)
		}
	}
}
