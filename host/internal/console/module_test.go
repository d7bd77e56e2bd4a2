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

// laterDeploy is the module of deploy.WAT in a later version, in which rules can allow deployments to
// production.
func laterDeploy(t testing.TB) []byte {
	t.Helper()
	out := string(deploy.WAT)
	for was, is := range map[string]string{
		`"version":"1.0.0"`:                           `"version":"2.0.0"`,
		`"bypass_immune":true,"message":"Deployments`: `                     "message":"Deployments`,
	} {
		if len(was) != len(is) || !strings.Contains(out, was) {
			t.Fatalf("%s cannot stand for %s", is, was)
		}
		out = strings.Replace(out, was, is, 1)
	}
	return []byte(out)
}

// putDeploy grants the module of deploy.WAT its names, and nothing more. The PIN is chosen.
func (p *place) putDeploy() {
	p.t.Helper()
	_, err := p.admin.Unlock(p.t.Context(), "ann", world.PIN)
	must(p.t, err)
	_, err = p.admin.PutModule(p.t.Context(), "ann", "deploy.wasm", deploy.WAT, protocol.PinModule{Grant: &wire.Grant{}})
	must(p.t, err)
}

// updateDeploy lays its later version beside it, where it waits for a person.
func (p *place) updateDeploy() {
	p.t.Helper()
	list, err := p.admin.Modules(p.t.Context())
	must(p.t, err)
	must(p.t, os.WriteFile(filepath.Join(filepath.Dir(list.Lock), "deploy.wasm"), laterDeploy(p.t), 0o600))
	_, err = p.admin.ReloadModules(p.t.Context())
	must(p.t, err)
}

// TestModuleChange: an update waits until an admin has seen and confirmed it with the PIN, the version
// before comes back in the same way, and an approver may do neither.
func TestModuleChange(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	b := p.open(p.admin, "ann")
	p.putDeploy()
	p.updateDeploy()
	page := b.page("/tools")
	if !strings.Contains(page, "An update waits") {
		t.Fatalf("no update waits:\n%s", page)
	}
	form := url.Values{"csrf": {found(t, inCSRF, page)}, "change": {"pin"}}
	at := "/tools/modules/deploy.wasm"
	for _, input := range []map[string]string{{"operation": "status", "target": "staging/web"}, {"operation": "deploy", "target": "prod/web"}} {
		answered := p.check("s1", "Deploy", input)
		id, answer := b.ask()
		b.do(http.MethodPost, "/asks/"+id, with(answer, "choice", "n"))
		<-answered
	}
	confirm := func(change, version, differs, calls string) {
		t.Helper()
		form.Set("change", change)
		seen := b.do(http.MethodPost, at, form)
		if seen.status != http.StatusOK || !strings.Contains(seen.body, version) {
			t.Fatalf("%s: %d\n%s", change, seen.status, seen.body)
		}
		if !strings.Contains(seen.body, differs) || !strings.Contains(seen.body, "prod/web") || !strings.Contains(seen.body, calls) || strings.Contains(seen.body, "staging/web") {
			t.Errorf("%s: the comparison is not as it should be:\n%s", change, seen.body)
		}
		<-p.check("s1", "Deploy", map[string]string{"operation": "deploy", "target": "prod/web"}) // denied again: one row more
		full := with(form, "digest", found(t, inDigest, seen.body), "replaces", found(t, inReplaces, seen.body))
		if g := b.do(http.MethodPost, at, with(full, "digest", strings.Repeat("0", 64))); g.status < 400 {
			t.Errorf("%s of other bytes: %d", change, g.status)
		}
		if g := b.do(http.MethodPost, at, full); g.status != http.StatusOK || !strings.Contains(g.body, `id="pin"`) {
			t.Errorf("%s without the PIN: %d\n%s", change, g.status, g.body)
		} else if !strings.Contains(g.body, differs) || !strings.Contains(g.body, calls) {
			t.Errorf("%s: the page that wants the PIN does not have the comparison that was shown:\n%s", change, g.body)
		}
		if g := b.do(http.MethodPost, at, with(full, "pin", world.PIN)); g.status != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", change, g.status, g.body)
		}
		if page := b.page("/tools"); !strings.Contains(page, "In force: deploy "+version) {
			t.Errorf("%s:\n%s", change, page)
		}
	}
	confirm("pin", "2.0.0", "More permissive", "2 different calls in 2 rows")
	b.do(http.MethodPost, "/lock", url.Values{"csrf": form["csrf"]})
	confirm("rollback", "1.0.0", "Stricter", "2 different calls in 3 rows")
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
