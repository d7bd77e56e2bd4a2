package console_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/testkit/passkeytest"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

var inOptions = regexp.MustCompile(`data-get="([^"]+)"`)

// device enrols a device of a person who came in over a link.
func (o *outside) device(person string) *passkeytest.Device {
	o.t.Helper()
	d := passkeytest.New(o.t, outsideOrigin)
	_, err := o.admin.Unlock(o.t.Context(), person, world.PIN)
	must(o.t, err)
	options, err := o.admin.EnrolPasskey(o.t.Context(), person)
	must(o.t, err)
	text, err := json.Marshal(options)
	must(o.t, err)
	_, err = o.admin.AddPasskey(o.t.Context(), person, "phone", d.Create(text))
	must(o.t, err)
	return d
}

// asked begins to sign in, and returns what the device is to sign.
func (b *browser) asked() []byte {
	b.t.Helper()
	return []byte(html.UnescapeString(found(b.t, inOptions, b.page("/signin/passkey"))))
}

// signed sends a device's answer.
func (b *browser) signed(assertion []byte) got {
	b.t.Helper()
	return b.do(http.MethodPost, "/signin/passkey", url.Values{"assertion": {string(assertion)}})
}

// TestKeyIn: a person comes in with a passkey, with the rights of an approver of their name, and out
// when it is revoked or the configuration no longer names them.
func TestKeyIn(t *testing.T) {
	t.Parallel()
	o := newOutside(t, people+"tools: {WebFetch: {ask_approvers: {users: [bob]}}}\n")
	o.ChoosePIN(o.daemon)
	ann, bob := o.device("ann"), o.device("bob")
	b, theirs := o.browser(), o.browser()
	if g := b.get("/"); g.status != http.StatusUnauthorized || !strings.Contains(g.body, `href="/signin/passkey"`) {
		t.Fatalf("without a session: %d\n%s", g.status, g.body)
	}
	if options := b.asked(); strings.Contains(string(options), ann.ID()) || !strings.Contains(string(options), `"userVerification":"required"`) || !strings.Contains(string(options), `"allowCredentials":[]`) {
		t.Errorf("a stranger is shown %s", options)
	}
	g := b.signed(ann.Get(b.asked()))
	cookies := strings.Join(g.header.Values("Set-Cookie"), "\n")
	if g.status != http.StatusOK || !strings.Contains(cookies, "__Host-callgate=") || strings.Count(cookies, "SameSite=Strict") != 2 || strings.Count(cookies, "Secure") != 2 {
		t.Fatalf("signed in: %d, cookies %s\n%s", g.status, cookies, g.body)
	}
	if page := b.page("/"); !strings.Contains(page, `class="who">ann`) {
		t.Errorf("the page does not say who is in:\n%s", page)
	}
	if g := theirs.signed(bob.Get(theirs.asked())); g.status != http.StatusOK {
		t.Fatalf("bob: %d\n%s", g.status, g.body)
	}

	done := o.check("s1", "WebFetch", map[string]string{"url": "https://example.org", "prompt": "x"})
	id, form := b.ask()
	if g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "n")); g.status != http.StatusForbidden {
		t.Errorf("a denial of another's ask: %d", g.status)
	}
	_, form = theirs.ask()
	if g := theirs.do(http.MethodPost, "/asks/"+id, with(form, "choice", "n")); g.status != http.StatusSeeOther {
		t.Fatalf("bob's denial: %d\n%s", g.status, g.body)
	}
	if res := <-done; res.Decision.Behavior != engine.Deny || res.DecidedBy != "bob" {
		t.Errorf("the agent got %+v", res)
	}
	if _, err := o.admin.RevokePasskey(t.Context(), "ann", ann.ID()); err != nil {
		t.Fatal(err)
	}
	if g := b.get("/"); g.status != http.StatusUnauthorized {
		t.Errorf("with a revoked passkey: %d", g.status)
	}
	if g := theirs.get("/"); g.status != http.StatusOK {
		t.Errorf("another's session: %d", g.status)
	}
	o.Configure(o.settings("people: {ann: {oidc: u-ann}}\ntools: {WebFetch: {ask_approvers: {users: [bob]}}}\n"))
	for theirs.get("/").status != http.StatusUnauthorized {
		if t.Context().Err() != nil {
			t.Fatal("a person removed from the configuration is still in")
		}
	}
	if g := theirs.signed(bob.Get(theirs.asked())); g.status != http.StatusForbidden {
		t.Errorf("a person removed from the configuration: %d", g.status)
	}
}

// TestKeyIn_refused: nothing but a known device's fresh answer to this browser's own statement lets
// anybody in.
func TestKeyIn_refused(t *testing.T) {
	t.Parallel()
	o := newOutside(t, people)
	o.ChoosePIN(o.daemon)
	ann := o.device("ann")
	stranger, other := passkeytest.New(t, outsideOrigin), o.device("eve")
	for name, answer := range map[string]func(b *browser) []byte{
		"no answer":             func(b *browser) []byte { b.asked(); return nil },
		"no JSON":               func(b *browser) []byte { b.asked(); return []byte("{") },
		"an unknown key":        func(b *browser) []byte { return stranger.Get(b.asked()) },
		"a person of no people": func(b *browser) []byte { return other.Get(b.asked()) },
		"no verification": func(b *browser) []byte {
			ann.Unverified = true
			defer func() { ann.Unverified = false }()
			return ann.Get(b.asked())
		},
		"another origin": func(b *browser) []byte {
			ann.Origin = "https://evil.example.org"
			defer func() { ann.Origin = outsideOrigin }()
			return ann.Get(b.asked())
		},
		"another browser's statement": func(b *browser) []byte { signed := ann.Get(o.browser().asked()); b.asked(); return signed },
		"an earlier statement":        func(b *browser) []byte { signed := ann.Get(b.asked()); b.asked(); return signed },
		"an unasked answer":           func(*browser) []byte { return ann.Get(o.browser().asked()) },
	} {
		b := o.browser()
		if g := b.signed(answer(b)); g.status != http.StatusForbidden || strings.Contains(strings.Join(g.header.Values("Set-Cookie"), ""), "__Host-callgate=") {
			t.Errorf("%s: %d %v\n%s", name, g.status, g.header, g.body)
		}
	}
}

// TestKeyIn_again: an answer counts once, and one address has few tries.
func TestKeyIn_again(t *testing.T) {
	t.Parallel()
	o := newOutside(t, people)
	o.ChoosePIN(o.daemon)
	ann, b := o.device("ann"), o.browser()
	assertion := ann.Get(b.asked())
	jar := b.http.Jar.(*named)
	jar.mu.Lock()
	kept := *jar.all["__Host-callgate-key"]
	jar.mu.Unlock()
	if g := b.signed(assertion); g.status != http.StatusOK {
		t.Fatalf("the right one: %d\n%s", g.status, g.body)
	}
	thief := o.browser()
	thief.http.Jar.(*named).all = map[string]*http.Cookie{kept.Name: &kept}
	if g := thief.signed(assertion); g.status != http.StatusForbidden {
		t.Errorf("the same again: %d", g.status)
	}
	if g := b.do(http.MethodPost, "/signin/passkey", url.Values{"assertion": {"{}"}}, "Origin", "https://evil.example.org"); g.status != http.StatusForbidden {
		t.Errorf("a form of another page: %d", g.status)
	}
	refused := 0
	for range 40 {
		if b.signed(nil).status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 {
		t.Error("one address has tries without end")
	}
}
