package codex

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

var entry = settings.Entry{Client: settings.Codex, Binary: "/opt/callgate", Endpoint: "unix:/run/s", TokenFile: "/run/t", Timeout: time.Hour}

// TestHash: the digest is the client's own, as `codex app-server` 0.169.0 gave it for these hooks.
func TestHash(t *testing.T) {
	t.Parallel()
	for want, h := range map[string]settings.Hook{
		"sha256:0b8d93c48512bfa80c9a312983a1318561cbe6c382291020aa5ced88545dc9ac": {Type: "command", Command: "sh /tmp/rc/codex/dump.sh", Timeout: time.Minute},
		"sha256:7507ef76b2742a8539f8d472eb3fa9037bd153d0c1e9462bf7065f457419f58d": {Type: "command", Command: "sh /tmp/rc/codex/dump.sh", Timeout: time.Minute, StatusMessage: "Callgate: <waiting> & é"},
	} {
		if got, err := Hash(h); err != nil || got != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}

// TestPut: our lines come and go without another byte changed, and stay valid TOML.
func TestPut(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"", "a = 1", "\n", "\r\n", "# a comment", "[t]\n", "b = \"x\"\n", "[hooks.state.x]\ntrusted_hash = \"y\"\n", "[[l]]\n", " "})
	rapid.Check(t, func(t *rapid.T) {
		before := []byte(strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), ""))
		if rapid.Bool().Draw(t, "no file") {
			before = nil
		}
		after, err := put("c.toml", before, "[hooks.state.\"k:0\"]\ntrusted_hash = \"h\"\n")
		if err != nil {
			return // it was no valid TOML
		}
		var file struct {
			Hooks struct {
				State map[string]map[string]any // others may have what they like there
			}
		}
		if err := toml.Unmarshal(after, &file); err != nil || file.Hooks.State["k:0"]["trusted_hash"] != "h" {
			t.Fatalf("%v: %q", err, after)
		}
		again, err := put("c.toml", after, "[hooks.state.\"k:1\"]\ntrusted_hash = \"h\"\n")
		if err != nil || bytes.Count(again, []byte(beginMark)) != 1 {
			t.Fatalf("a second install: %v: %q", err, again)
		}
		for _, text := range [][]byte{after, again} {
			back, err := cut("c.toml", text)
			if err != nil || (back == nil) != (before == nil) || !bytes.Equal(back, before) {
				t.Fatalf("got %q, %v, want %q", back, err, before)
			}
		}
	})
}

// TestInstall: an install writes both files or none, and an uninstall gives both back.
func TestInstall(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hooks, config string // empty for no file
		bad           bool
	}{
		"no files":            {},
		"another's hook":      {hooks: "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}", config: "model = \"m\""},
		"broken TOML":         {config: "model = ", bad: true},
		"broken JSON":         {hooks: "{", bad: true},
		"state of other form": {config: "[hooks]\nstate = 3\n", bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{hooksFile: test.hooks, configFile: test.config} {
				if text != "" {
					if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			same := func(when string) {
				t.Helper()
				for file, want := range map[string]string{hooksFile: test.hooks, configFile: test.config} {
					got, err := os.ReadFile(filepath.Join(dir, file))
					if want == "" != os.IsNotExist(err) || string(got) != want {
						t.Errorf("%s: %s: got %q, %v, want %q", when, file, got, err, want)
					}
				}
			}
			if _, err := Install(dir, dir, entry, true); (err != nil) != test.bad {
				t.Errorf("a dry install: %v", err)
			}
			same("after a dry install")
			if _, err := Install(dir, dir, entry, false); (err != nil) != test.bad {
				t.Errorf("the install: %v", err)
			}
			if test.bad {
				same("after a refused install")
				return
			}
			if state := Look(dir, dir); !state.Installed || !state.Trusted {
				t.Errorf("after the install: %+v", state)
			}
			if r, err := Install(dir, dir, entry, false); err != nil || r[0].Written || r[1].Written {
				t.Errorf("a second install: %+v, %v", r, err)
			}
			if _, err := Uninstall(dir, dir, false); err != nil {
				t.Fatal(err)
			}
			same("after the uninstall")
		})
	}
}

// TestInstallManaged: the features stay on, and a file of others is not guessed about.
func TestInstallManaged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before string
		want   string // a part of the error; empty for none
	}{
		"no file":               {},
		"others' settings":      {before: "allowed_sandbox_modes = [\"read-only\"]\n"},
		"features without ours": {before: "[features]\nx = true\n", want: "hooks = true"},
		"hooks switched off":    {before: "[features]\nhooks = false\n", want: "hooks = true"},
		"hooks without a place": {before: "[features]\nhooks = true\n[hooks]\nx = 1\n", want: "managed_dir"},
		"all there":             {before: "[features]\nhooks = true\n[hooks]\nmanaged_dir = \"/etc/codex\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "requirements.toml")
			if test.before != "" {
				if err := os.WriteFile(path, []byte(test.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := InstallManaged(path, entry, false)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want a word about %s", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			var file struct {
				Features map[string]bool
				Hooks    struct {
					Dir string `toml:"managed_dir"`
					Pre []struct {
						Hooks []struct{ Command string }
					} `toml:"PreToolUse"`
				}
			}
			if err := toml.Unmarshal(data, &file); err != nil || !file.Features["hooks"] || file.Hooks.Dir == "" || file.Hooks.Pre[0].Hooks[0].Command != entry.Line() {
				t.Errorf("%v: %s", err, data)
			}
			if err != nil {
				t.Error(err)
			}
			if _, err := UninstallManaged(path, false); err != nil {
				t.Error(err)
			}
			if got, err := os.ReadFile(path); string(got) != test.before || os.IsNotExist(err) != (test.before == "") {
				t.Errorf("after the uninstall: got %q, %v", got, err)
			}
		})
	}
}
