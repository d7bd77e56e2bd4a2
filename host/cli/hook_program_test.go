//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHookProgram: the program for the hook alone is installed only in callgate's own version, and
// only when no other account can change it.
func TestHookProgram(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text      string
		mode      os.FileMode
		used, bad bool
	}{
		"absent":              {},
		"the same version":    {text: "echo " + version, mode: 0o755, used: true},
		"another version":     {text: "echo v0.0.1", mode: 0o755, bad: true},
		"fails":               {text: "echo " + version + "; exit 2", mode: 0o755, bad: true},
		"silent":              {text: "exit 0", mode: 0o755, bad: true},
		"no program":          {text: "echo " + version, mode: 0o644, bad: true},
		"writable for others": {text: "echo " + version, mode: 0o777, bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := filepath.Join(t.TempDir(), "callgate")
			beside := own + "-hook"
			if c.text != "" {
				script := []byte("#!/bin/sh\n[ \"$*\" = version ] || exit 3\n" + c.text + "\n")
				if err := os.WriteFile(beside, script, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(beside, c.mode); err != nil {
					t.Fatal(err)
				}
			}
			got, err := hookProgram(t.Context(), own)
			want := own
			if c.used {
				want = beside
			}
			if got != want || (err != nil) != c.bad {
				t.Errorf("got %q, %v, want %q (error: %t)", got, err, want, c.bad)
			}
		})
	}
}
