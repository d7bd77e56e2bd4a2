package console_test

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

const people = "people: {ann: {oidc: u-ann}, bob: {oidc: u-bob}}\n"

// TestSignIn: a person comes in over the provider with the rights of an approver of their name, and
// out when the configuration no longer names them.
func TestSignIn(t *testing.T) {
	t.Parallel()
	o := newOutside(t, people+"tools: {WebFetch: {ask_approvers: {users: [bob]}}}\n")
	b := o.browser()
	g := b.get("/")
	if g.status != http.StatusUnauthorized || !strings.Contains(g.body, `href="/signin"`) || g.header.Get("Strict-Transport-Security") == "" {
		t.Fatalf("without a session: %d %v\n%s", g.status, g.header, g.body)
	}
	g = b.done(o.begin(b))
	cookies := strings.Join(g.header.Values("Set-Cookie"), "\n")
	if g.status != http.StatusOK || !strings.Contains(cookies, "__Host-callgate=") || strings.Count(cookies, "Secure") != 2 || !strings.Contains(cookies, "SameSite=Strict") {
		t.Fatalf("signed in: %d, cookies %s\n%s", g.status, cookies, g.body)
	}
	if page := b.page("/"); !strings.Contains(page, `class="who">ann`) {
		t.Errorf("the page does not say who is in:\n%s", page)
	}

	done := o.check("s1", "Bash", map[string]string{"command": "npm install"})
	id, form := b.ask()
	if g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "n")); g.status != http.StatusSeeOther {
		t.Fatalf("deny: %d\n%s", g.status, g.body)
	}
	if res := <-done; res.Decision.Behavior != engine.Deny || res.DecidedBy != "ann" {
		t.Errorf("the agent got %+v", res)
	}

	done = o.check("s2", "WebFetch", map[string]string{"url": "https://example.org", "prompt": "x"})
	id, form = b.ask()
	o.ChoosePIN(o.daemon)
	if g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "y", "pin", world.PIN)); g.status != http.StatusForbidden || strings.Contains(g.body, "PIN is set") {
		t.Errorf("an approval of another's ask: %d\n%s", g.status, g.body)
	}
	if g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "n")); g.status != http.StatusForbidden {
		t.Errorf("a denial of another's ask: %d", g.status)
	}
	_, err := o.admin.InterruptSession(t.Context(), "ann", "s2")
	must(t, err)
	<-done

	o.Configure(o.settings("people: {bob: {oidc: u-bob}}\ntools: {WebFetch: {ask_approvers: {users: [bob]}}}\n"))
	for b.get("/").status != http.StatusUnauthorized {
		if t.Context().Err() != nil {
			t.Fatal("a person removed from the configuration is still in")
		}
	}
}

// TestSignIn_refused: nothing but this provider's fresh answer to this browser's own sign-in lets
// anybody in, and only a person of the configuration.
func TestSignIn_refused(t *testing.T) {
	t.Parallel()
	o := newOutside(t, people)
	claims := func(name string, value any) func(*outside) {
		return func(o *outside) { o.provider.change = func(c map[string]any) { c[name] = value } }
	}
	for name, spoil := range map[string]func(o *outside){
		"an unknown subject":       func(o *outside) { o.provider.subject = "u-eve" },
		"an empty subject":         func(o *outside) { o.provider.subject = "" },
		"an e-mail as the subject": claims("sub", "ann"),
		"another sign-in's nonce":  claims("nonce", "n"),
		"another client":           claims("aud", "other"),
		"another issuer":           claims("iss", "https://evil.example.org"),
		"an expired token":         claims("exp", 1),
		"another key":              func(o *outside) { o.provider.forged = true },
	} {
		o.provider.mu.Lock()
		o.provider.subject, o.provider.change, o.provider.forged = "u-ann", nil, false
		spoil(o)
		o.provider.mu.Unlock()
		b := o.browser()
		if g := b.done(o.begin(b)); g.status < 400 || strings.Contains(strings.Join(g.header.Values("Set-Cookie"), ""), "__Host-callgate=") {
			t.Errorf("%s: %d %v", name, g.status, g.header)
		}
		if g := b.get("/"); g.status != http.StatusUnauthorized {
			t.Errorf("%s: in, %d", name, g.status)
		}
	}
	o.provider.mu.Lock()
	o.provider.subject, o.provider.change, o.provider.forged = "u-ann", nil, false
	o.provider.mu.Unlock()

	victim, thief := o.browser(), o.browser()
	at := o.begin(victim)
	o.begin(thief) // so that it has a cookie of its own
	if g := thief.done(at); g.status != http.StatusForbidden {
		t.Errorf("another browser's answer: %d", g.status)
	}
	if g := victim.done(strings.Replace(at, "state=", "state=x", 1)); g.status != http.StatusForbidden {
		t.Errorf("another state: %d", g.status)
	}
	if g := victim.do(http.MethodGet, at, nil, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"); g.status != http.StatusForbidden {
		t.Errorf("an image of another page: %d", g.status)
	}
	if g := victim.done(at); g.status != http.StatusOK {
		t.Errorf("the right one: %d\n%s", g.status, g.body)
	}
	if g := victim.done(at); g.status != http.StatusForbidden {
		t.Errorf("the same again: %d", g.status)
	}
	if g := victim.done(outsideOrigin + "/signin/done?error=access_denied%3Cscript%3E"); g.status != http.StatusForbidden || strings.Contains(g.body, "<script>") {
		t.Errorf("the provider's refusal: %d\n%s", g.status, g.body)
	}
}

// TestBeyond_guard: other names, plain HTTP and floods of strangers get nothing; a link of a token's
// holder leads to the same origin.
func TestBeyond_guard(t *testing.T) {
	t.Parallel()
	o := newOutside(t, people)
	link, err := o.admin.Console(t.Context(), "ann")
	must(t, err)
	in := o.browser()
	if !strings.HasPrefix(link.URL, outsideOrigin+"/enter?key=") {
		t.Errorf("the link is %s", link.URL)
	}
	if g := in.get(link.URL); g.status != http.StatusOK {
		t.Fatalf("the link: %d", g.status)
	}
	b := o.browser()
	for _, host := range []string{"gate.example.org", "evil.example.org:8443", "127.0.0.1:" + o.port, "gate.example.org.:8443"} {
		if g := b.do(http.MethodGet, "/", nil, "Host", host); g.status != http.StatusForbidden {
			t.Errorf("Host %s: %d", host, g.status)
		}
	}
	if g := in.do(http.MethodPost, "/leave", url.Values{}, "Origin", "http://gate.example.org:8443"); g.status != http.StatusForbidden {
		t.Errorf("an origin without TLS: %d", g.status)
	}
	conn, err := net.Dial("tcp", "127.0.0.1:"+o.port)
	must(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("GET / HTTP/1.1\r\nHost: gate.example.org:8443\r\n\r\n"))
	must(t, err)
	answer := make([]byte, 64)
	if n, _ := conn.Read(answer); !strings.Contains(string(answer[:n]), "400 Bad Request") {
		t.Errorf("plain HTTP: %q", answer[:n])
	}
	var refused int
	for range 100 {
		if b.get("/").status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 {
		t.Error("a stranger's flood was answered")
	}
	if g := in.get("/"); g.status != http.StatusOK {
		t.Errorf("a person amid a stranger's flood: %d", g.status)
	}
}
