package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestMessages: a browser is subscribed and removed on its page; the worker and the manifest are
// there without a session, as browsers fetch them.
func TestMessages(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	b := p.open(p.admin, "ann")
	page := b.page("/messages")
	form := url.Values{"csrf": {found(t, inCSRF, page)}, "name": {"my <b>phone"}}
	subscription := `{"endpoint":"https://push.example.com/x","expirationTime":null,"keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}`
	if !strings.Contains(page, `data-subscribe="B`) {
		t.Errorf("the page has no key:\n%s", page)
	}
	for name, bad := range map[string]string{"none": "", "no JSON": "x", "another host": strings.Replace(subscription, "push.example.com", "127.0.0.1", 1)} {
		if g := b.do(http.MethodPost, "/messages", with(form, "subscription", bad)); g.status != http.StatusBadRequest {
			t.Errorf("%s: %d", name, g.status)
		}
	}
	if g := b.do(http.MethodPost, "/messages", with(form, "subscription", subscription)); g.status != http.StatusSeeOther {
		t.Fatalf("subscribe: %d\n%s", g.status, g.body)
	}
	page = b.page("/messages")
	if !strings.Contains(page, "through push.example.com") || strings.Contains(page, "<b>phone") {
		t.Errorf("the page:\n%s", page)
	}
	_, rest, _ := strings.Cut(page, `action="/messages/`)
	id, _, _ := strings.Cut(rest, "/")
	if g := b.do(http.MethodPost, "/messages/"+id+"/remove", form); g.status != http.StatusSeeOther || !strings.Contains(b.page("/messages"), "You have none.") {
		t.Errorf("remove: %d", g.status)
	}
	stranger := newBrowser(t, b.origin)
	for path, kind := range map[string]string{"/worker.js": "text/javascript; charset=utf-8", "/manifest.webmanifest": "application/manifest+json"} {
		if g := stranger.get(path); g.status != http.StatusOK || g.header.Get("Content-Type") != kind {
			t.Errorf("%s: %d %s", path, g.status, g.header.Get("Content-Type"))
		}
	}
}
