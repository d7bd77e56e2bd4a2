package console_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/console"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
)

// TestDeny: an ask comes to the page, a person denies it with words, and the history has it.
func TestDeny(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	b := p.open(p.admin, "ann")
	done := p.check("s1", "Bash", map[string]string{"command": "npm install"})
	id, form := b.ask()
	if g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "r")); g.status != http.StatusBadRequest {
		t.Errorf("no words: %d", g.status)
	}
	if g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "r", "reason", "use pnpm")); g.status != http.StatusSeeOther {
		t.Fatalf("deny: %d\n%s", g.status, g.body)
	}
	res := <-done
	if res.Decision.Behavior != engine.Deny || !strings.Contains(res.Decision.Message, "use pnpm") {
		t.Errorf("the agent got %+v", res)
	}
	page := b.page("/")
	for _, want := range []string{"Ask " + id + ": denied", "ask_denied", "by ann", "npm install"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page:\n%s", want, page)
		}
	}
	rows, err := p.admin.Ask(t.Context(), id)
	must(t, err)
	if a := rows.Answer; a == nil || a.By != "ann" || a.Surface != "console" || a.Reason != "use pnpm" {
		t.Errorf("the answer is %+v", rows.Answer)
	}
	if g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "n")); g.status != http.StatusConflict || !strings.Contains(g.body, "it has ended") {
		t.Errorf("a second answer: %d\n%s", g.status, g.body)
	}
}

// TestStore: a stored suggestion wants the confirmation and the PIN, and the next call is allowed.
func TestStore(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	b := p.open(p.admin, "ann")
	done := p.check("s1", "Bash", map[string]string{"command": "npm run build"})
	id, form := b.ask()
	at := "/asks/" + id

	g := b.do(http.MethodPost, at, with(form, "choice", "1"))
	if g.status != http.StatusOK || !strings.Contains(g.body, "<h1>Confirm</h1>") || !strings.Contains(g.body, `<code class="rule">allow Bash(npm run`) {
		t.Fatalf("a lasting rule: %d\n%s", g.status, g.body)
	}
	form = with(form, "choice", "1", "confirm", id)
	if g = b.do(http.MethodPost, at, form); !strings.Contains(g.body, "<h1>Approver PIN</h1>") {
		t.Fatalf("without the PIN: %d\n%s", g.status, g.body)
	}
	if g = b.do(http.MethodPost, at, with(form, "pin", "0815 4711")); !strings.Contains(g.body, "wrong PIN: 4 attempts left") {
		t.Fatalf("a wrong PIN: %d\n%s", g.status, g.body)
	}
	if view, err := p.admin.Ask(t.Context(), id); err != nil || view.State != ask.Shown {
		t.Fatalf("before the PIN the ask is %s, %v", view.State, err)
	}
	if g = b.do(http.MethodPost, at, with(form, "pin", world.PIN)); g.status != http.StatusSeeOther {
		t.Fatalf("with the PIN: %d\n%s", g.status, g.body)
	}
	if res := <-done; res.Decision.Behavior.String() != "allow" {
		t.Errorf("the agent got %+v", res)
	}
	page := b.page("/")
	for _, want := range []string{"Stored: allow Bash(npm run", "unlocked until", "ask_approved"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page:\n%s", want, page)
		}
	}
	if res := <-p.check("s2", "Bash", map[string]string{"command": "npm run build"}); res.Decision.Behavior.String() != "allow" || res.AskID != "" {
		t.Errorf("the next call got %+v", res)
	}

	// The PIN holds in this browser alone, until it is locked.
	other := p.open(p.admin, "ann")
	done = p.check("s3", "Bash", map[string]string{"command": "make"})
	id, theirs := other.ask()
	if g := other.do(http.MethodPost, "/asks/"+id, with(theirs, "choice", "y")); !strings.Contains(g.body, "<h1>Approver PIN</h1>") {
		t.Errorf("another browser approves without the PIN: %d", g.status)
	}
	if g := b.do(http.MethodPost, "/lock", url.Values{"csrf": form["csrf"]}); g.status != http.StatusSeeOther {
		t.Errorf("lock: %d", g.status)
	}
	_, mine := b.ask()
	if g := b.do(http.MethodPost, "/asks/"+id, with(mine, "choice", "y")); !strings.Contains(g.body, "<h1>Approver PIN</h1>") {
		t.Errorf("a locked browser approves: %d", g.status)
	}
	if g := b.do(http.MethodPost, "/asks/"+id, with(mine, "choice", "n")); g.status != http.StatusSeeOther {
		t.Errorf("deny: %d", g.status)
	}
	<-done
}

// TestNoPIN: without a PIN nothing is approved here, as everywhere.
func TestNoPIN(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	b := p.open(p.admin, "ann")
	done := p.check("s1", "Bash", map[string]string{"command": "make"})
	id, form := b.ask()
	if g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "y")); g.status != http.StatusForbidden || !strings.Contains(g.body, "callgate pin set") {
		t.Errorf("approved without a PIN: %d\n%s", g.status, g.body)
	}
	if g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "n")); g.status != http.StatusSeeOther {
		t.Errorf("deny: %d", g.status)
	}
	<-done
}

// TestWholeTool: a grant for a whole tool shows its rule and its reach again before it counts.
func TestWholeTool(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	b := p.open(p.admin, "ann")
	done := p.check("s1", "mcp__mail__send", map[string]string{"to": "a@b.c"})
	id, form := b.ask()
	g := b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "w", "pin", world.PIN))
	if g.status != http.StatusOK || !strings.Contains(g.body, "<h1>Confirm</h1>") || !strings.Contains(g.body, "Every call of this tool will run without a question") {
		t.Fatalf("whole tool: %d\n%s", g.status, g.body)
	}
	if g = b.do(http.MethodPost, "/asks/"+id, with(form, "choice", "w", "confirm", id, "pin", world.PIN)); g.status != http.StatusSeeOther {
		t.Fatalf("confirmed: %d\n%s", g.status, g.body)
	}
	if res := <-done; res.Decision.Behavior.String() != "allow" {
		t.Errorf("the agent got %+v", res)
	}
}

// TestT13_Link: a link works once and for two minutes; no other identity than a person's gets one.
func TestT13_Link(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	link, err := p.admin.Console(t.Context(), "ann")
	must(t, err)
	first, second := newBrowser(t, link.URL), newBrowser(t, link.URL)
	if g := first.get(link.URL); g.status != http.StatusOK {
		t.Fatalf("the link: %d", g.status)
	}
	if g := second.get(link.URL); g.status != http.StatusForbidden || second.get("/").status != http.StatusUnauthorized {
		t.Errorf("the link again: %d", g.status)
	}
	cookie := first.http.Jar.(*jar).cookie
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.MaxAge != 0 || len(cookie.Value) < 43 {
		t.Errorf("the cookie is %+v", cookie)
	}
	if _, err := p.Agent(p.address, "default").Console(t.Context(), "ann"); err == nil || !strings.Contains(err.Error(), "check") {
		t.Errorf("an agent's token opens the console: %v", err)
	}
}

// TestT13_Identities tries every operation with every kind of identity.
func TestT13_Identities(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made, err := p.admin.CreateToken(t.Context(), "test", view.NewToken{Kind: store.TokenApprover, Name: "bob"})
	if err != nil { // it wants a person
		p.ChoosePIN(p.daemon)
		_, err = p.admin.Unlock(t.Context(), "ann", world.PIN)
		must(t, err)
		made, err = p.admin.CreateToken(t.Context(), "test", view.NewToken{Kind: store.TokenApprover, Name: "bob"})
		must(t, err)
	}
	bob := p.client(made.Secret)
	integrator, err := p.admin.CreateToken(t.Context(), "test", view.NewToken{Kind: store.TokenIntegrator, Name: "bridge"})
	must(t, err)
	if _, err := p.client(integrator.Secret).Console(t.Context(), "x"); err == nil {
		t.Error("an integrator's token opens the console")
	}
	if _, err := p.Agent(p.address, "default").Console(t.Context(), "x"); err == nil {
		t.Error("an agent's token opens the console")
	}

	admin, approver := p.open(p.admin, "ann"), p.open(bob, "mallory")
	if !strings.Contains(approver.page("/"), `class="who">bob`) {
		t.Error("an approver's token speaks in another name")
	}
	revoked := p.open(bob, "bob")
	stranger, forged, left := newBrowser(t, admin.origin), newBrowser(t, admin.origin), p.open(p.admin, "ann")
	forged.http.Jar.(*jar).cookie = &http.Cookie{Name: "callgate", Value: strings.Repeat("A", 43)}
	kept := *left.http.Jar.(*jar).cookie
	if g := left.do(http.MethodPost, "/leave", url.Values{"csrf": {found(t, inCSRF, left.page("/"))}}); g.status != http.StatusOK {
		t.Fatalf("sign out: %d", g.status)
	}
	left.http.Jar.(*jar).cookie = &kept

	done := p.check("s1", "Bash", map[string]string{"command": "make"})
	id, form := admin.ask()
	_, err = p.admin.RevokeToken(t.Context(), "test", "bob")
	must(t, err)
	for _, path := range console.Operations(id) {
		method, at, _ := strings.Cut(path, " ")
		for name, b := range map[string]*browser{"nobody": stranger, "a forged cookie": forged, "one signed out": left, "a revoked token": revoked, "a revoked token's other browser": approver} {
			g := b.do(method, at, with(form, "choice", "n"))
			if g.status != http.StatusUnauthorized {
				t.Errorf("%s, %s: %d\n%s", name, path, g.status, g.body)
			}
		}
	}
	if view, err := p.admin.Ask(t.Context(), id); err != nil || view.State != ask.Shown {
		t.Fatalf("after all that the ask is %s, %v", view.State, err)
	}
	if g := admin.do(http.MethodPost, "/asks/"+id, with(form, "choice", "n")); g.status != http.StatusSeeOther {
		t.Errorf("the admin's own: %d\n%s", g.status, g.body)
	}
	<-done
}

// TestT13_Guard: requests of other pages, of other names and without the form's token do nothing.
func TestT13_Guard(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	b := p.open(p.admin, "ann")
	done := p.check("s1", "Bash", map[string]string{"command": "make"})
	id, form := b.ask()
	deny := with(form, "choice", "n")
	_, port, _ := strings.Cut(strings.TrimPrefix(b.origin, "http://"), ":")
	for name, c := range map[string]struct {
		method, path string
		form         url.Values
		header       []string
		want         int
	}{
		"another origin":          {"POST", "/asks/" + id, deny, []string{"Origin", "http://evil.example"}, 403},
		"another port":            {"POST", "/asks/" + id, deny, []string{"Origin", strings.TrimSuffix(b.origin, port) + "1", "Sec-Fetch-Site", "same-site"}, 403},
		"a null origin":           {"POST", "/asks/" + id, deny, []string{"Origin", "null"}, 403},
		"cross-site":              {"POST", "/asks/" + id, deny, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"cross-site reading":      {"GET", "/", nil, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"same-site reading":       {"GET", "/asks/" + id, nil, []string{"Sec-Fetch-Site", "same-site"}, 403},
		"rebinding":               {"GET", "/", nil, []string{"Host", "evil.example:" + port}, 403},
		"by address":              {"GET", "/", nil, []string{"Host", "127.0.0.1:" + port}, 403},
		"localhost":               {"GET", "/", nil, []string{"Host", "localhost:" + port}, 403},
		"no form token":           {"POST", "/asks/" + id, url.Values{"choice": {"n"}, "read": form["read"]}, nil, 403},
		"another form token":      {"POST", "/asks/" + id, with(deny, "csrf", "x"), nil, 403},
		"a field twice":           {"POST", "/asks/" + id, url.Values{"csrf": form["csrf"], "read": form["read"], "choice": {"n", "y"}}, nil, 400},
		"another content":         {"POST", "/asks/" + id, deny, []string{"Content-Type", "text/plain"}, 415},
		"a large form":            {"POST", "/asks/" + id, with(deny, "reason", strings.Repeat("x", 100<<10)), nil, 413},
		"no such choice":          {"POST", "/asks/" + id, with(deny, "choice", "7"), nil, 400},
		"details as an answer":    {"POST", "/asks/" + id, with(deny, "choice", "d"), nil, 400},
		"another card":            {"POST", "/asks/" + id, with(deny, "read", "00"), nil, 409},
		"another method":          {"PUT", "/asks/" + id, deny, nil, 405},
		"no such page":            {"GET", "/v1/asks", nil, nil, 404},
		"an unknown parameter":    {"GET", "/?next=http://evil.example", nil, nil, 400},
		"no such ask":             {"GET", "/asks/nosuch", nil, nil, 404},
		"a page far beyond":       {"GET", "/?page=100001", nil, nil, 400},
		"leaving by another form": {"POST", "/leave", url.Values{"csrf": {"x"}}, nil, 403},
	} {
		if g := b.do(c.method, c.path, c.form, c.header...); g.status != c.want {
			t.Errorf("%s: %d, want %d\n%s", name, g.status, c.want, g.body)
		} else if g.header.Get("Content-Security-Policy") == "" || g.header.Get("X-Content-Type-Options") != "nosniff" || g.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", name, g.header)
		}
	}
	if view, err := p.admin.Ask(t.Context(), id); err != nil || view.State != ask.Shown {
		t.Fatalf("after all that the ask is %s, %v", view.State, err)
	}
	if g := b.do(http.MethodPost, "/asks/"+id, deny); g.status != http.StatusSeeOther {
		t.Errorf("the console's own form: %d", g.status)
	}
	<-done
}

// TestT13_EveryForm: each operation that changes something does nothing without the form's token, with
// that of the person's other session, and for another page. No operation is read by another page.
func TestT13_EveryForm(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	b, other := p.open(p.admin, "ann"), p.open(p.admin, "ann")
	done := p.check("s1", "Bash", map[string]string{"command": "make"})
	id, form := b.ask()
	form = with(form, "choice", "n")
	theirs := with(form, "csrf", found(t, inCSRF, other.page("/rules")))
	for _, operation := range console.Operations(id) {
		method, at, _ := strings.Cut(operation, " ")
		tries := map[string]got{"another site": b.do(method, at, form, "Sec-Fetch-Site", "cross-site"), "another port": b.do(method, at, form, "Sec-Fetch-Site", "same-site")}
		if console.Changes(operation) {
			tries["no token"] = b.do(method, at, with(form, "csrf", ""))
			tries["the token of another session"] = b.do(method, at, theirs)
			tries["another origin"] = b.do(method, at, form, "Origin", "https://evil.example")
			tries["no browser's header"] = b.do(method, at, theirs, "Sec-Fetch-Site", "none")
		}
		for name, g := range tries {
			if g.status != http.StatusForbidden {
				t.Errorf("%s, %s: %d\n%s", operation, name, g.status, g.body)
			}
		}
	}
	if view, err := p.admin.Ask(t.Context(), id); err != nil || view.State != ask.Shown {
		t.Fatalf("after all that the ask is %s, %v", view.State, err)
	}
	if g := b.do(http.MethodPost, "/asks/"+id, form); g.status != http.StatusSeeOther {
		t.Errorf("the console's own form: %d\n%s", g.status, g.body)
	}
	<-done
}

// TestProtected: a call leading to the console's port is denied.
func TestProtected(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	b := p.open(p.admin, "ann")
	if res := <-p.check("s1", "Bash", map[string]string{"command": "curl " + b.origin + "/"}); res.Decision.Behavior.String() != "deny" || !strings.Contains(res.Decision.Reason, "where Callgate answers") {
		t.Errorf("the agent got %+v", res.Decision)
	}
}

// TestEdit: a person changes the input on the page; the agent gets theirs and never its own,
// also where the PIN comes between.
func TestEdit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	b := p.open(p.admin, "ann")
	out := make(chan wire.Result, 1)
	agent := p.Agent(p.address, "default")
	go func() {
		res, err := agent.Check(context.Background(), wire.Request{
			CallID: "edit", Tool: "Bash", Input: json.RawMessage(`{"command":"npm install left right","timeout":7}`), TakesInput: true, Context: wire.CallContext{Session: "s1", CWD: "/"},
		}, nil)
		if err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
		out <- res
	}()
	id, form := b.ask()
	page := b.page("/")
	if strings.Contains(page, `<button name="choice" value="e" class="allow" aria-describedby`) || !strings.Contains(page, "\nnpm install left right</textarea>") {
		t.Errorf("the page edits otherwise than with a text:\n%s", page)
	}
	form = with(form, "choice", "e")
	for name, typed := range map[string][]string{"no text": nil, "the same text": {"input", "npm install left right"}} {
		if g := b.do(http.MethodPost, "/asks/"+id, with(form, typed...)); typed != nil && g.status != http.StatusBadRequest || g.status == http.StatusSeeOther {
			t.Errorf("%s: %d\n%s", name, g.status, g.body)
		}
	}
	if view, err := p.admin.Ask(t.Context(), id); err != nil || view.State != ask.Shown {
		t.Fatalf("before the change the ask is %s, %v", view.State, err)
	}
	form = with(form, "input", "npm install left")
	g := b.do(http.MethodPost, "/asks/"+id, form)
	if !strings.Contains(g.body, "<h1>Approver PIN</h1>") || found(t, inInput, g.body) != "npm install left" {
		t.Fatalf("without the PIN: %d\n%s", g.status, g.body)
	}
	if g = b.do(http.MethodPost, "/asks/"+id, with(form, "pin", world.PIN)); g.status != http.StatusSeeOther {
		t.Fatalf("with the PIN: %d\n%s", g.status, g.body)
	}
	if res := <-out; res.Decision.Behavior != engine.Allow || string(res.Input) != `{"command":"npm install left","timeout":7}` {
		t.Errorf("the agent got %s with %s", res.Decision.Behavior, res.Input)
	}
	rows, err := p.admin.Audit(t.Context(), store.Filter{Event: store.EventInputChanged})
	must(t, err)
	if len(rows.Rows) != 1 || rows.Rows[0].AskID != id || rows.Rows[0].DecidedBy != "ann" {
		t.Errorf("the rows of the change are %+v", rows.Rows)
	}
}

var inInput = regexp.MustCompile(`name="input" value="([^"]+)"`)
