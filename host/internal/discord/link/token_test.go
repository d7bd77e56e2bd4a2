package link_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/discord/link"
)

func TestReadToken(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		mode os.FileMode
		want string // a part of the error; "" for none
	}{
		"a token":        {token, 0o600, ""},
		"with a line":    {token + "\n", 0o400, ""},
		"with Bot":       {"Bot " + token + "\r\n", 0o600, ""},
		"empty":          {"\n", 0o600, "developer portal"},
		"only Bot":       {"Bot ", 0o600, "developer portal"},
		"a secret":       {"c2VjcmV0LXNlY3JldC1zZWNyZXQ", 0o600, "three parts"},
		"a variable":     {"DISCORD_TOKEN=" + token, 0o600, "three parts"},
		"two lines":      {token + "\n" + token, 0o600, "three parts"},
		"with quotes":    {`"` + token + `"`, 0o600, "three parts"},
		"very long":      {strings.Repeat(token, 20), 0o600, "bytes"},
		"others read it": {token, 0o644, "chmod 600"},
		"a group reads":  {token, 0o640, "chmod 600"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && test.mode&0o077 != 0 {
				t.Skip("modes mean nothing here")
			}
			file := filepath.Join(t.TempDir(), "token")
			must(t, os.WriteFile(file, []byte(test.text), 0o600))
			must(t, os.Chmod(file, test.mode))
			t.Setenv(link.TokenVariable, "MTIz.other.of-the-environment")
			got, err := link.ReadToken(file)
			switch {
			case test.want == "" && (err != nil || got != token):
				t.Errorf("got %q, %v", got, err)
			case test.want == "":
			case err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file):
				t.Errorf("error %v, want one with %q", err, test.want)
			case strings.Contains(err.Error(), "abcdefgh") || strings.Contains(err.Error(), "c2Vj"):
				t.Errorf("the error quotes what was read: %v", err)
			}
		})
	}
}

func TestReadToken_fromTheEnvironment(t *testing.T) {
	t.Setenv(link.TokenVariable, " Bot "+token)
	if got, err := link.ReadToken(""); err != nil || got != token {
		t.Errorf("got %q, %v", got, err)
	}
	t.Setenv(link.TokenVariable, "")
	if _, err := link.ReadToken(""); err == nil || !strings.Contains(err.Error(), link.TokenVariable) {
		t.Errorf("without one: %v", err)
	}
	if _, err := link.ReadToken(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the file: %v", err)
	}
}

func TestReadToken_noLink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "token"), []byte(token), 0o600))
	if err := os.Symlink("token", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if _, err := link.ReadToken(filepath.Join(dir, "link")); err == nil {
		t.Error("a link was read")
	}
}

func TestTakeLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	release, err := link.TakeLock(dir, token)
	must(t, err)
	_, err = link.TakeLock(dir, token)
	if !errors.Is(err, link.ErrInUse) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("a second time: %v", err)
	}
	free, err := link.TakeLock(dir, "MTIz.other.token-of-another-bot")
	must(t, err)
	free()
	release()
	again, err := link.TakeLock(dir, token)
	must(t, err)
	again()
	for _, e := range must1[[]os.DirEntry](t)(os.ReadDir(dir)) {
		text := must1[[]byte](t)(os.ReadFile(filepath.Join(dir, e.Name())))
		if strings.Contains(e.Name()+string(text), token[:8]) || strings.Contains(string(text), "Gtest") {
			t.Errorf("%s tells the token", e.Name())
		}
	}
}

// Two daemons with directories of their own meet in a third one, if it is there.
func TestTakeLock_elsewhere(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	first, err := link.TakeLock(at("a"), token, at("none"))
	must(t, err)
	if _, err := os.Stat(at("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory was made: %v", err)
	}
	first()
	must(t, os.Mkdir(at("home"), 0o700))
	must(t, os.Symlink(at("home"), at("link")))
	first, err = link.TakeLock(at("a"), token, at("home"), at("link"), at("a"))
	must(t, err)
	for _, others := range [][]string{{at("home")}, {at("link")}, {at("none"), at("home")}, {at("a")}} {
		if _, err := link.TakeLock(at("b"), token, others...); !errors.Is(err, link.ErrInUse) {
			t.Errorf("with %v: %v", others, err)
		}
		alone, err := link.TakeLock(at("b"), token) // the failed one holds nothing
		must(t, err)
		alone()
	}
	other, err := link.TakeLock(at("b"), "MTIz.other.token-of-another-bot", at("home"))
	must(t, err)
	other()
	first()
	own, err := link.TakeLock(at("home"), token, at("link"), at("home")) // its own directory once
	must(t, err)
	own()
	if os.Getuid() > 0 {
		must(t, os.Chmod(at("home"), 0o500))
		t.Cleanup(func() { must(t, os.Chmod(at("home"), 0o700)) })
		fresh, err := link.TakeLock(at("b"), "MTIz.third.token-of-another-bot", at("home"))
		must(t, err) // a read-only one does not prevent running
		fresh()
	}
	must(t, os.Mkdir(at("open"), 0o700))
	must(t, os.Chmod(at("open"), 0o777))
	if _, err := link.TakeLock(at("b"), token, at("open")); err == nil {
		t.Error("a directory that everybody writes was used")
	}
}

func TestOnThisMachine(t *testing.T) {
	for url, here := range map[string]bool{
		"": false, "https://discord.com/api/v10": false, "https://127.0.0.1.evil.example": false, "://": false,
		"http://127.0.0.1:8080": true, "http://localhost:1/api/v10": true, "https://[::1]": true,
	} {
		if got := link.OnThisMachine(url); got != here {
			t.Errorf("%q: %t", url, got)
		}
	}
}

func TestNewClient_address(t *testing.T) {
	for url, fine := range map[string]bool{
		"": true, "https://discord.com/api/v10": true, "https://chat.example": true, "https://chat.example/api/v9/": true,
		"http://127.0.0.1:8080": true, "http://localhost:1/api/v10": true, "http://[::1]:80": true, "http://127.9.9.9": true,
		"http://discord.com": false, "http://localhost.evil.example": false, "http://10.0.0.1": false, "http://0.0.0.0": false,
		"ftp://127.0.0.1": false, "discord.com": false, "https://": false, "https://u:p@discord.com": false,
		"https://discord.com/?a=b": false, "https://discord.com/#x": false, "://": false, "http://127.0.0.1.evil.example": false,
	} {
		_, err := link.NewClient(link.ClientConfig{Token: token, APIURL: url})
		if (err == nil) != fine {
			t.Errorf("%q: %v", url, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "discord.api_url") || strings.Contains(err.Error(), "u:p")) {
			t.Errorf("%q: the error is %v", url, err)
		}
	}
	if _, err := link.NewClient(link.ClientConfig{Token: "Bot " + token}); err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("a token with Bot: %v", err)
	}
}

func TestBotOf(t *testing.T) {
	for token, want := range map[string]string{"MTAwMQ.x.y": "1001", "MTAwMQ==.x.y": "1001", "": "", "!!.x.y": ""} {
		if got := link.BotOf(token); got != want {
			t.Errorf("%q: got %q", token, got)
		}
	}
}
