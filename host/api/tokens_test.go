package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/gate"
)

func TestOpenTokens_makesThemOnceAndPrivate(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	first, err := api.OpenTokens(state, []string{"ci", "a/../b", "Zoë " + strings.Repeat("x", 100)})
	must(t, err)
	files := map[string]gate.Caller{
		api.AdminTokenFile(state):           {Token: "admin", Standing: gate.Admin},
		api.CheckTokenFile(state, "ci"):     {Token: "check:ci", Agent: "ci"},
		api.CheckTokenFile(state, "a/../b"): {Token: "check:a/../b", Agent: "a/../b"},
		api.CheckTokenFile(state, api.DefaultAgent): {
			Token: "check:default", Agent: "default"},
	}
	seen := map[string]bool{}
	for path, want := range files {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != 0o600 || !strings.HasPrefix(path, state+"/") {
			t.Errorf("%s: mode %04o, want 0600 below %s", path, info.Mode().Perm(), state)
		}
		secret, err := api.ReadToken(path)
		must(t, err)
		if seen[secret] || len(secret) != len("cg_admin_")+43 {
			t.Errorf("%s: %q: want 32 random bytes of its own", path, secret)
		}
		seen[secret] = true
		if got, ok := first.Caller(secret); !ok || got != want {
			t.Errorf("%s: got %+v, %t, want %+v", path, got, ok, want)
		}
	}
	for _, dir := range []string{state, filepath.Join(state, "agents")} {
		info, err := os.Stat(dir)
		must(t, err)
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %04o, want 0700", dir, info.Mode().Perm())
		}
	}
	leftover, err := filepath.Glob(filepath.Join(state, "*", ".token-*"))
	if err != nil || len(leftover) != 0 {
		t.Errorf("left behind: %v, %v", leftover, err)
	}
	second, err := api.OpenTokens(state, nil)
	must(t, err)
	admin, err := api.ReadToken(api.AdminTokenFile(state))
	must(t, err)
	if _, ok := second.Caller(admin); !ok {
		t.Error("the admin's token changed at the second start")
	}
	ci, err := api.ReadToken(api.CheckTokenFile(state, "ci"))
	must(t, err)
	if _, ok := second.Caller(ci); ok {
		t.Error("the token of an agent that is no longer configured still works")
	}
}

func TestOpenTokens_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(state string) error
		want  string
	}{
		"token others can read":   {func(s string) error { return os.Chmod(api.AdminTokenFile(s), 0o640) }, "others can read"},
		"agents' directory wide":  {func(s string) error { return os.Chmod(filepath.Join(s, "agents"), 0o750) }, "chmod 700"},
		"state directory wide":    {func(s string) error { return os.Chmod(s, 0o755) }, "chmod 700"},
		"token is a link":         {func(s string) error { return relink(api.AdminTokenFile(s)) }, "symbolic link"},
		"token is a dangling one": {func(s string) error { return dangle(api.AdminTokenFile(s)) }, "symbolic link"},
		"directory is a link":     {func(s string) error { return relink(filepath.Join(s, "agents")) }, "symbolic link"},
		"token is a directory":    {func(s string) error { return redirectory(api.AdminTokenFile(s)) }, "not a regular file"},
		"token is empty":          {func(s string) error { return os.WriteFile(api.AdminTokenFile(s), nil, 0o600) }, "no whole token"},
		"token is short":          {func(s string) error { return os.WriteFile(api.AdminTokenFile(s), []byte("cg_admin_x"), 0o600) }, "no whole token"},
		"one token for two": {func(s string) error {
			text, err := os.ReadFile(api.CheckTokenFile(s, "ci"))
			if err != nil {
				return err
			}
			return os.WriteFile(api.CheckTokenFile(s, "default"), text, 0o600)
		}, "it is the token of"},
		"a check token as the admin's": {func(s string) error {
			text, err := os.ReadFile(api.CheckTokenFile(s, "ci"))
			if err != nil {
				return err
			}
			return os.WriteFile(api.AdminTokenFile(s), text, 0o600)
		}, "does not begin with cg_admin_"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := filepath.Join(t.TempDir(), "state")
			_, err := api.OpenTokens(state, []string{"ci"})
			must(t, err)
			must(t, tc.spoil(state))
			if _, err := api.OpenTokens(state, []string{"ci"}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func relink(path string) error {
	if err := os.Rename(path, path+".real"); err != nil {
		return err
	}
	return os.Symlink(path+".real", path)
}

func dangle(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Symlink(path+".none", path)
}

func redirectory(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Mkdir(path, 0o700)
}

// TestOpenTokens_atOnce has many daemons make the first tokens: all must hold the
// same.
func TestOpenTokens_atOnce(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	var wg sync.WaitGroup
	held := make([]*api.Tokens, 16)
	for i := range held {
		wg.Go(func() {
			var err error
			if held[i], err = api.OpenTokens(state, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	secret, err := api.ReadToken(api.AdminTokenFile(state))
	must(t, err)
	for i, tokens := range held {
		if _, ok := tokens.Caller(secret); !ok {
			t.Errorf("number %d holds another token", i)
		}
	}
}

func TestReadToken_tellsHowToGetOne(t *testing.T) {
	t.Parallel()
	_, err := api.ReadToken(api.AdminTokenFile(t.TempDir()))
	if err == nil || !strings.Contains(err.Error(), "callgate serve") {
		t.Errorf("got %v, want how to make one", err)
	}
}
