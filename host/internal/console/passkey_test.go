package console_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/passkeytest"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

var (
	inGet    = regexp.MustCompile(`data-get="([^"]+)"`)
	inCreate = regexp.MustCompile(`data-create="([^"]+)"`)
)

// enrol adds a passkey on the page, as a browser would.
func (b *browser) enrol(name, pin string) *passkeytest.Device {
	b.t.Helper()
	form := url.Values{"csrf": {found(b.t, inCSRF, b.page("/passkeys"))}, "name": {name}}
	g := b.do(http.MethodPost, "/passkeys/new", form)
	if pin != "" {
		if !strings.Contains(g.body, "Approver PIN") {
			b.t.Fatalf("an enrolment without the PIN: %d\n%s", g.status, g.body)
		}
		g = b.do(http.MethodPost, "/passkeys/new", with(form, "pin", pin))
	}
	d := passkeytest.New(b.t, b.origin)
	made := d.Create([]byte(html.UnescapeString(found(b.t, inCreate, g.body))))
	if g = b.do(http.MethodPost, "/passkeys", with(form, "credential", string(made))); g.status != http.StatusSeeOther {
		b.t.Fatalf("add the passkey: %d\n%s", g.status, g.body)
	}
	if page := b.page("/passkeys"); !strings.Contains(page, "<strong>"+name+"</strong>") {
		b.t.Fatalf("the passkey is not on the page:\n%s", page)
	}
	return d
}

// TestPasskey_signsARule: where the configuration demands it, a lasting rule is stored with a
// passkey alone, and its evidence is in the audit.
func TestPasskey_signsARule(t *testing.T) {
	t.Parallel()
	p := newPlaceWith(t, settings+"defaults: {ask_approvers: {passkey_for_rules: true}}\n")
	p.ChoosePIN(p.daemon)
	b := p.open(p.admin, "ann")
	d := b.enrol("phone", world.PIN)
	done := p.check("s1", "Bash", map[string]string{"command": "npm run build"})
	id, form := b.ask()
	at := "/asks/" + id
	form = with(form, "choice", "1", "confirm", id)
	g := b.do(http.MethodPost, at, form) // the PIN is typed
	if g.status != http.StatusOK || !strings.Contains(g.body, "<h1>Passkey</h1>") || strings.Contains(g.body, "PIN instead") {
		t.Fatalf("a lasting rule without a passkey: %d\n%s", g.status, g.body)
	}
	d.Unverified = true
	g = b.do(http.MethodPost, at, with(form, "assertion", string(d.Get([]byte(html.UnescapeString(found(t, inGet, g.body)))))))
	if g.status != http.StatusOK || !strings.Contains(g.body, "signature does not count") {
		t.Fatalf("a device that verified nobody: %d\n%s", g.status, g.body)
	}
	d.Unverified = false
	g = b.do(http.MethodPost, at, with(form, "assertion", string(d.Get([]byte(html.UnescapeString(found(t, inGet, g.body)))))))
	if g.status != http.StatusSeeOther {
		t.Fatalf("the signed answer: %d\n%s", g.status, g.body)
	}
	if res := <-done; res.Decision.Behavior != engine.Allow {
		t.Errorf("the agent got %+v", res)
	}
	page, err := p.admin.Audit(t.Context(), store.Filter{Event: store.EventAskSigned})
	must(t, err)
	if len(page.Rows) != 1 {
		t.Fatalf("the rows of signatures are %+v", page.Rows)
	}
	_, statement, err := passkey.Check([]byte(page.Rows[0].Evidence))
	must(t, err)
	if len(statement.Rules) != 1 || !strings.HasPrefix(statement.Rules[0].Text, "Bash(npm run") || statement.By != "ann" {
		t.Errorf("the statement is %+v", statement)
	}
}

// TestPasskey_inPlaceOfThePIN: who has a passkey is offered it first, and the PIN beside it; after
// its revocation only the PIN.
func TestPasskey_inPlaceOfThePIN(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	b := p.open(p.admin, "ann")
	d := b.enrol("key", world.PIN)
	again := p.open(p.admin, "ann") // the PIN is of the other session
	done := p.check("s1", "Bash", map[string]string{"command": "npm run build"})
	id, form := again.ask()
	form = with(form, "choice", "y")
	g := again.do(http.MethodPost, "/asks/"+id, form)
	if g.status != http.StatusOK || !strings.Contains(g.body, "<h1>Passkey</h1>") || !strings.Contains(g.body, "PIN instead") {
		t.Fatalf("an approval with a passkey at hand: %d\n%s", g.status, g.body)
	}
	g = again.do(http.MethodPost, "/asks/"+id, with(form, "assertion", string(d.Get([]byte(html.UnescapeString(found(t, inGet, g.body)))))))
	if g.status != http.StatusSeeOther || (<-done).Decision.Behavior != engine.Allow {
		t.Fatalf("the signed answer: %d\n%s", g.status, g.body)
	}
	csrf := url.Values{"csrf": {found(t, inCSRF, again.page("/passkeys"))}}
	if g = again.do(http.MethodPost, "/passkeys/"+d.ID()+"/revoke", csrf); g.status != http.StatusSeeOther {
		t.Fatalf("revoke: %d\n%s", g.status, g.body)
	}
	if page := again.page("/passkeys"); !strings.Contains(page, "· revoked") || strings.Contains(page, ">Revoke</button>") {
		t.Errorf("after the revocation:\n%s", page)
	}
	denied := p.check("s2", "Bash", map[string]string{"command": "npm install"})
	id, form = again.ask()
	if g = again.do(http.MethodPost, "/asks/"+id, with(form, "choice", "y")); !strings.Contains(g.body, "<h1>Approver PIN</h1>") {
		t.Errorf("without a passkey: %d\n%s", g.status, g.body)
	}
	again.do(http.MethodPost, "/asks/"+id, with(form, "choice", "n"))
	<-denied
}
