package api_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// keyring is a state directory with a store, opened again and again as by the
// daemon's starts.
type keyring struct {
	t     *testing.T
	state string
	store *store.Store
	log   *safeBuffer
	now   time.Time
}

func newKeyring(t *testing.T) *keyring {
	t.Helper()
	k := &keyring{t: t, state: filepath.Join(t.TempDir(), "state"), log: &safeBuffer{}, now: time.Now()}
	k.store = storetest.Open(t, filepath.Join(t.TempDir(), "db", "callgate.db"), store.Options{})
	t.Cleanup(func() { _ = k.store.Close() })
	return k
}

func (k *keyring) open(agents ...string) (*api.Tokens, error) {
	return api.OpenTokens(context.Background(), api.TokenOptions{
		State: k.state, Store: k.store, Agents: agents, Log: slog.New(slog.NewTextHandler(k.log, nil)), Now: func() time.Time { return k.now },
	})
}

func (k *keyring) mustOpen(agents ...string) *api.Tokens {
	k.t.Helper()
	tokens, err := k.open(agents...)
	must(k.t, err)
	return tokens
}

// secret reads a file: "admin", or an agent's name.
func (k *keyring) secret(name string) string {
	k.t.Helper()
	secret, err := tokenfile.Read(k.path(name))
	must(k.t, err)
	return secret
}

func (k *keyring) path(name string) string {
	if name == "admin" {
		return tokenfile.Admin(k.state)
	}
	return tokenfile.Check(k.state, name)
}

// write puts a secret of its own into a file, as the version with files alone did.
func (k *keyring) write(name, secret string) {
	k.t.Helper()
	must(k.t, os.MkdirAll(filepath.Join(k.state, "agents"), 0o700))
	must(k.t, os.WriteFile(k.path(name), []byte(secret+"\n"), 0o600))
}

func oldSecret(prefix, letter string) string { return prefix + strings.Repeat(letter, 43) }

func knows(tokens *api.Tokens, secret string) bool {
	_, ok := tokens.Caller(secret)
	return ok
}

func TestOpenTokens_makesThemOnceAndPrivate(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	first := k.mustOpen("ci", "a/../b", "Zoë "+strings.Repeat("x", 100))
	seen := map[string]bool{}
	for name, want := range map[string]authority.Caller{
		"admin": {Token: "admin", Kind: authority.Admin}, "ci": {Token: "check:ci", Agent: "ci"},
		"a/../b": {Token: "check:a/../b", Agent: "a/../b"}, "default": {Token: "check:default", Agent: "default"},
	} {
		info, err := os.Stat(k.path(name))
		must(t, err)
		if info.Mode().Perm() != 0o600 || !strings.HasPrefix(k.path(name), k.state+"/") {
			t.Errorf("%s: mode %04o, want 0600 below %s", k.path(name), info.Mode().Perm(), k.state)
		}
		secret := k.secret(name)
		if seen[secret] || len(secret) != len("cg_admin_")+43 {
			t.Errorf("%s: %q: want 32 random bytes of its own", name, secret)
		}
		seen[secret] = true
		if got, ok := first.Caller(secret); !ok || got != want {
			t.Errorf("%s: got %+v, %t, want %+v", name, got, ok, want)
		}
	}
	for _, dir := range []string{k.state, filepath.Join(k.state, "agents")} {
		info, err := os.Stat(dir)
		must(t, err)
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %04o, want 0700", dir, info.Mode().Perm())
		}
	}
	for _, pattern := range []string{"*", "*/*"} {
		leftover, err := filepath.Glob(filepath.Join(k.state, filepath.Dir(pattern), ".callgate-*"))
		if err != nil || len(leftover) != 0 {
			t.Errorf("left behind: %v, %v", leftover, err)
		}
	}
	admin, ci := k.secret("admin"), k.secret("ci")
	second := k.mustOpen()
	if !knows(second, admin) || k.secret("admin") != admin {
		t.Error("the admin's token changed at the second start")
	}
	if knows(second, ci) {
		t.Error("the token of an agent that is no longer configured still works")
	}
	if third := k.mustOpen("ci"); !knows(third, ci) {
		t.Error("the token of an agent that is configured again does not work")
	}
}

// TestOpenTokens_upgrade: the files of the version before keep working.
func TestOpenTokens_upgrade(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	admin, ci := oldSecret("cg_admin_", "A"), oldSecret("cg_check_", "B")
	k.write("admin", admin)
	k.write("ci", ci)
	tokens := k.mustOpen("ci", "new")
	if caller, ok := tokens.Caller(admin); !ok || caller.Kind != authority.Admin || caller.Token != "admin" {
		t.Errorf("admin: got %+v, %t", caller, ok)
	}
	if caller, ok := tokens.Caller(ci); !ok || caller.Agent != "ci" || caller.Token != "check:ci" {
		t.Errorf("ci: got %+v, %t", caller, ok)
	}
	if k.secret("admin") != admin || k.secret("ci") != ci || !knows(tokens, k.secret("new")) || !knows(tokens, k.secret("default")) {
		t.Error("the files: want the old ones as they were, and new ones for the rest")
	}
	// Only once: a later file there has no owner.
	k.write("later", oldSecret("cg_check_", "C"))
	later := k.mustOpen("ci", "later")
	if knows(later, oldSecret("cg_check_", "C")) {
		t.Error("a file that appeared after the first start was taken over")
	}
	if !strings.Contains(k.log.String(), "callgate tokens rotate check:later") {
		t.Errorf("the log does not tell the fix: %s", k.log.String())
	}
}

// TestOpenTokens_upgradeIsWholeOrNot: a defective file leaves the others for the next start.
func TestOpenTokens_upgradeIsWholeOrNot(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	k.write("admin", oldSecret("cg_admin_", "A"))
	k.write("ci", "cg_check_short")
	if _, err := k.open("ci"); err == nil || !strings.Contains(err.Error(), "no valid token") {
		t.Fatalf("got %v, want the file refused", err)
	}
	k.write("ci", oldSecret("cg_check_", "B"))
	if tokens := k.mustOpen("ci"); !knows(tokens, oldSecret("cg_admin_", "A")) || !knows(tokens, oldSecret("cg_check_", "B")) {
		t.Error("the mended files were not taken over")
	}
}

func TestOpenTokens_missingFileIsMadeAnew(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	k.mustOpen("ci")
	for _, name := range []string{"admin", "ci"} {
		old := k.secret(name)
		must(t, os.Remove(k.path(name)))
		tokens := k.mustOpen("ci")
		if knows(tokens, old) || !knows(tokens, k.secret(name)) {
			t.Errorf("%s: want the old one revoked and a new one", name)
		}
	}
}

// TestOpenTokens_foreignFileIsRefused: the daemon goes on, without it.
func TestOpenTokens_foreignFileIsRefused(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	k.mustOpen("ci")
	real, planted := k.secret("ci"), oldSecret("cg_check_", "X")
	for _, text := range []string{planted, k.secret("default"), k.secret("admin")} {
		k.write("ci", text)
		tokens := k.mustOpen("ci")
		if caller, _ := tokens.Caller(text); caller.Agent == "ci" || !knows(tokens, real) || knows(tokens, planted) {
			t.Errorf("%s in the file: got %+v, want it to mean nothing", text[:9], caller)
		}
		made, err := tokens.Rotate(t.Context(), "check:ci", "ann")
		must(t, err)
		real = made.Secret
		if k.secret("ci") != real {
			t.Error("rotating did not mend the file")
		}
	}
}

// TestT15_emptiedTokenTable: without rows the daemon does not believe the files.
func TestT15_emptiedTokenTable(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	must(t, os.MkdirAll(filepath.Join(k.state, "agents"), 0o700))
	emptied, err := api.OpenTokens(t.Context(), api.TokenOptions{State: k.state, Store: forgetful{k.store}})
	must(t, err)
	planted := oldSecret("cg_admin_", "E")
	k.write("admin", planted)
	must(t, emptied.Ensure(t.Context(), nil))
	if knows(emptied, planted) {
		t.Error("a planted file was taken over")
	}
}

// forgetful is a store with an emptied table of tokens.
type forgetful struct{ *store.Store }

func (forgetful) Tokens(context.Context) ([]store.Token, bool, error) { return nil, true, nil }

func TestOpenTokens_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(state string) error
		want  string
	}{
		"token other accounts can read": {func(s string) error { return os.Chmod(tokenfile.Admin(s), 0o640) }, "other accounts can read"},
		"agents' directory wide":        {func(s string) error { return os.Chmod(filepath.Join(s, "agents"), 0o750) }, "chmod 700"},
		"state directory wide":          {func(s string) error { return os.Chmod(s, 0o755) }, "chmod 700"},
		"token is a link":               {func(s string) error { return relink(tokenfile.Admin(s)) }, "symbolic link"},
		"token is a dangling one":       {func(s string) error { return dangle(tokenfile.Admin(s)) }, "symbolic link"},
		"directory is a link":           {func(s string) error { return relink(filepath.Join(s, "agents")) }, "symbolic link"},
		"token is a directory":          {func(s string) error { return redirectory(tokenfile.Admin(s)) }, "not a regular file"},
		"token is empty":                {func(s string) error { return os.WriteFile(tokenfile.Admin(s), nil, 0o600) }, "no valid token"},
		"token is short":                {func(s string) error { return os.WriteFile(tokenfile.Admin(s), []byte("cg_admin_x"), 0o600) }, "no valid token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeyring(t)
			k.mustOpen("ci")
			must(t, tc.spoil(k.state))
			if _, err := k.open("ci"); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

// TestOpenTokens_upgradeRefuses everything the version before refused.
func TestOpenTokens_upgradeRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ admin, ci, want string }{
		"one token for two":            {oldSecret("cg_admin_", "A"), oldSecret("cg_check_", "B"), "same token as"},
		"a check token as the admin's": {oldSecret("cg_check_", "A"), oldSecret("cg_check_", "C"), "does not begin with cg_admin_"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeyring(t)
			k.write("admin", tc.admin)
			k.write("ci", tc.ci)
			k.write("default", oldSecret("cg_check_", "B"))
			if _, err := k.open("ci"); err == nil || !strings.Contains(err.Error(), tc.want) {
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

func TestTokens_expire(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	tokens := k.mustOpen("ci")
	made, err := tokens.Create(t.Context(), view.NewToken{Kind: store.TokenIntegrator, Name: "bot", ExpiresAt: k.now.Add(time.Hour)}, "ann")
	must(t, err)
	if !knows(tokens, made.Secret) || !strings.HasPrefix(made.Secret, "cg_integrator_") || made.File != "" {
		t.Fatalf("got %+v, want it to work", made)
	}
	k.now = k.now.Add(time.Hour)
	if knows(tokens, made.Secret) {
		t.Error("it works after its time")
	}
	again, err := tokens.Rotate(t.Context(), "bot", "ann")
	must(t, err)
	if !knows(tokens, again.Secret) || knows(tokens, made.Secret) || !again.Token.ExpiresAt.Equal(k.now.Add(time.Hour).UTC().Round(0)) && again.Token.ExpiresAt.Before(k.now) {
		t.Errorf("rotated: got %+v, want it to live as long again", again.Token)
	}
}

func TestTokens_revoked(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	tokens := k.mustOpen("ci")
	secret := k.secret("ci")
	_, err := tokens.Revoke(t.Context(), "check:ci", "ann")
	must(t, err)
	if knows(tokens, secret) {
		t.Error("a revoked token works")
	}
	// Neither a start nor a missing file brings it back.
	must(t, os.Remove(k.path("ci")))
	if tokens = k.mustOpen("ci"); knows(tokens, secret) {
		t.Error("it works after a start")
	}
	if _, err := os.Stat(k.path("ci")); err == nil {
		t.Error("a start made another one")
	}
	made, err := tokens.Create(t.Context(), view.NewToken{Kind: store.TokenCheck, Agent: "ci"}, "ann")
	must(t, err)
	if made.File != k.path("ci") || !knows(tokens, k.secret("ci")) {
		t.Errorf("created anew: got %+v", made.Token)
	}
}

// TestT14_secretsOfTokensAreNotInTheStore, neither in its file nor in its log.
func TestT14_secretsOfTokensAreNotInTheStore(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	tokens := k.mustOpen("ci")
	secrets := []string{k.secret("admin"), k.secret("ci")}
	made, err := tokens.Create(t.Context(), view.NewToken{Kind: store.TokenApprover, Name: "ann"}, "ann")
	must(t, err)
	again, err := tokens.Rotate(t.Context(), "ann", "ann")
	must(t, err)
	secrets = append(secrets, made.Secret, again.Secret)
	files, err := filepath.Glob(k.store.Path() + "*")
	must(t, err)
	read := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		read += len(data)
		for _, secret := range secrets {
			if strings.Contains(string(data), secret) || strings.Contains(k.log.String(), secret) {
				t.Errorf("%s, or the log, holds a secret", file)
			}
		}
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}
