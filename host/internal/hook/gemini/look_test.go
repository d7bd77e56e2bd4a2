package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdmit: a machine's file holds the hook only where no project switches hooks off and no other
// account writes.
func TestAdmit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, want string
		mode       os.FileMode
	}{
		"no file":        {},
		"empty":          {text: "{}", mode: 0o644, want: `add "hooksConfig": {"enabled": true} first`},
		"off":            {text: `{"hooksConfig": {"enabled": false}}`, mode: 0o644, want: `add "hooksConfig"`},
		"on":             {text: `{"hooksConfig": {"enabled": true}}`, mode: 0o644},
		"others write":   {text: `{"hooksConfig": {"enabled": true}}`, mode: 0o666, want: "can be written by other accounts"},
		"not an object":  {text: `[]`, mode: 0o644, want: "settings.json"},
		"not a boolean":  {text: `{"hooksConfig": {"enabled": "yes"}}`, mode: 0o644, want: "enabled"},
		"unreadable end": {text: `{"hooksConfig": {"enabled": true}`, mode: 0o644, want: "settings.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "settings.json")
			if c.text != "" {
				if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, c.mode); err != nil {
					t.Fatal(err)
				}
			}
			switch err := Admit(path); {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
