package console_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
	"github.com/callgate/callgate/testdata/deploy"
)

// TestModuleChange: an update waits until an admin has seen and confirmed it with the PIN, the version
// before comes back in the same way, and an approver may do neither.
func TestModuleChange(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	b := p.open(p.admin, "ann")
	first := deploy.WAT
	second := strings.Replace(string(first), `"version":"1.0.0"`, `"version":"2.0.0"`, 1)
	if second == string(first) {
		t.Fatal("the module has another version")
	}
	_, err := p.admin.Unlock(t.Context(), "ann", world.PIN)
	must(t, err)
	_, err = p.admin.PutModule(t.Context(), "ann", "deploy.wasm", first, protocol.PinModule{Grant: &wire.Grant{}})
	must(t, err)
	list, err := p.admin.Modules(t.Context())
	must(t, err)
	must(t, os.WriteFile(filepath.Join(filepath.Dir(list.Lock), "deploy.wasm"), []byte(second), 0o600))
	_, err = p.admin.ReloadModules(t.Context())
	must(t, err)
	page := b.page("/tools")
	if !strings.Contains(page, "An update waits") {
		t.Fatalf("no update waits:\n%s", page)
	}
	form := url.Values{"csrf": {found(t, inCSRF, page)}, "change": {"pin"}}
	at := "/tools/modules/deploy.wasm"
	confirm := func(change, version string) {
		t.Helper()
		form.Set("change", change)
		seen := b.do(http.MethodPost, at, form)
		if seen.status != http.StatusOK || !strings.Contains(seen.body, version) {
			t.Fatalf("%s: %d\n%s", change, seen.status, seen.body)
		}
		full := with(form, "digest", found(t, inDigest, seen.body), "replaces", found(t, inReplaces, seen.body))
		if g := b.do(http.MethodPost, at, with(full, "digest", strings.Repeat("0", 64))); g.status < 400 {
			t.Errorf("%s of other bytes: %d", change, g.status)
		}
		if g := b.do(http.MethodPost, at, full); g.status != http.StatusOK || !strings.Contains(g.body, `id="pin"`) {
			t.Errorf("%s without the PIN: %d\n%s", change, g.status, g.body)
		}
		if g := b.do(http.MethodPost, at, with(full, "pin", world.PIN)); g.status != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", change, g.status, g.body)
		}
		if page := b.page("/tools"); !strings.Contains(page, "In force: deploy "+version) {
			t.Errorf("%s:\n%s", change, page)
		}
	}
	confirm("pin", "2.0.0")
	b.do(http.MethodPost, "/lock", url.Values{"csrf": form["csrf"]})
	confirm("rollback", "1.0.0")
	for _, change := range []string{"", "remove"} {
		if g := b.do(http.MethodPost, at, with(form, "change", change)); g.status != http.StatusBadRequest {
			t.Errorf("change %q: %d", change, g.status)
		}
	}
	made, err := p.admin.CreateToken(t.Context(), "test", view.NewToken{Kind: store.TokenApprover, Name: "bob"})
	must(t, err)
	bob := p.open(p.client(made.Secret), "bob")
	for _, change := range []string{"pin", "rollback"} {
		if g := bob.do(http.MethodPost, at, url.Values{"csrf": {found(t, inCSRF, bob.page("/tools"))}, "change": {change}}); g.status != http.StatusForbidden {
			t.Errorf("an approver's %s: %d\n%s", change, g.status, g.body)
		}
	}
	if g := b.do(http.MethodPost, at, with(form, "csrf", "x")); g.status != http.StatusForbidden {
		t.Errorf("without the session's own form: %d", g.status)
	}
}
