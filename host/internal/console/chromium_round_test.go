package console_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/asktest"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

// TestChromium drives the console in a real browser, one process for all of it.
func TestChromium(t *testing.T) {
	c := startChromium(t)
	for name, test := range map[string]func(*testing.T, *chromium){
		"round": round, "race": raceOfBrowsers, "passkey": passkeyInBrowser, "restart": restart,
		"many": manyAsks, "hostile": hostileTexts, "keyboard": keyboard, "layout": layout,
		"rules": rulePages, "pages": otherPages, "several": severalAtOnce, "modules": modulePages,
	} {
		t.Run(name, func(t *testing.T) { test(t, c) })
	}
}

// round is the whole way: an ask comes up on the open page, a person stores a rule with it, and the
// next call of its kind runs without a question.
func round(t *testing.T, c *chromium) {
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	b := c.open(t, p, "ann")
	done := p.check("s1", "Bash", map[string]string{"command": "npm run build"})
	b.says("npm run build") // by itself
	b.until(`document.title.startsWith("(1)")`)
	b.click(`button[name=choice][value="1"]`)
	b.says("Your answer:")
	b.click(`form button.allow`)
	b.says("Approver PIN")
	b.typed("#pin", "0000 1111")
	b.click(`form button.allow`)
	b.says("wrong PIN")
	b.typed("#pin", world.PIN)
	b.click(`form button.allow`)
	b.says("Stored: allow Bash(npm run")
	if res := <-done; res.Decision.Behavior != engine.Allow {
		t.Errorf("the agent got %+v", res)
	}
	if res := <-p.check("s2", "Bash", map[string]string{"command": "npm run build"}); res.Decision.Behavior != engine.Allow || res.AskID != "" {
		t.Errorf("the next call got %+v", res)
	}
	b.visit("/rules")
	b.says("Bash(npm run")
	b.visit("/activity?show=ask_approved")
	b.says("by ann")
}

// raceOfBrowsers: two people have one ask before them. The first answer counts, the other browser
// sees its end, and an answer sent all the same changes nothing.
func raceOfBrowsers(t *testing.T, c *chromium) {
	p := newPlace(t)
	ann, ben := c.open(t, p, "ann"), c.open(t, p, "ben")
	done := p.check("s1", "Bash", map[string]string{"command": "make race"})
	ann.says("make race")
	ben.says("make race")
	send := `(() => { const f = document.querySelector("#cards form"); window.late = f.cloneNode(true); document.body.append(window.late); return true })()`
	value[bool](ben, send) // as if pressed in the moment before the page learns of the end
	ann.click(`button[name=choice][value=n]`)
	ann.says("denied")
	if res := <-done; res.Decision.Behavior != engine.Deny {
		t.Errorf("the agent got %+v", res)
	}
	ben.says("This ask has ended.")
	value[bool](ben, `(() => { window.late.querySelector("button[value=n]").click(); return true })()`)
	ben.says("Not answered: it has ended")
	rows, err := p.admin.Audit(t.Context(), store.Filter{Decision: store.AskDenied})
	must(t, err)
	if len(rows.Rows) != 1 || rows.Rows[0].DecidedBy != "ann" {
		t.Errorf("the rows are %+v", rows.Rows)
	}
}

// device gives the browser an authenticator with its person's finger on it.
func (b *tab) device() (id webauthn.AuthenticatorID) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		made, err := cdp.Call(ctx, t, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}})
		id = made.AuthenticatorID
		return err
	}))
	return id
}

// enrol adds a passkey of the browser's device.
func (b *tab) enrol(name string) {
	b.t.Helper()
	b.visit("/passkeys")
	b.typed("#name", name)
	b.click(`form[action="/passkeys/new"] button`)
	b.typed("#pin", world.PIN)
	b.click("button.allow")
	b.says("Your device asks for your finger")
	b.click("button.allow")
	b.says("Added the passkey " + name)
}

// passkeyInBrowser: a device that does not know its person's finger signs nothing, and nothing is
// approved; then it signs.
func passkeyInBrowser(t *testing.T, c *chromium) {
	p := newPlaceWith(t, settings+"defaults: {ask_approvers: {passkey_for_rules: true}}\n")
	p.ChoosePIN(p.daemon)
	b := c.open(t, p, "ann")
	device := b.device()
	verified := func(yes bool) {
		b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device, IsUserVerified: yes})
			return err
		}))
	}
	b.enrol("phone")

	done := p.check("s1", "Bash", map[string]string{"command": "npm run build"})
	b.visit("/")
	b.says("npm run build")
	b.click(`button[name=choice][value="1"]`)
	b.says("Your answer:")
	b.click("button.allow")
	b.says("What your device signs")
	verified(false)
	b.click("button.allow")
	b.says("The device did not confirm it")
	if asks := p.daemon.Host.Asks.Waiting(ask.Filter{}); len(asks) != 1 {
		t.Fatalf("after a refusal of the device %d asks wait", len(asks))
	}
	verified(true)
	b.click("button.allow")
	b.says("Stored: allow Bash(npm run")
	if res := <-done; res.Decision.Behavior != engine.Allow {
		t.Errorf("the agent got %+v", res)
	}
	// Last, because a challenge of a page that is looked at for long ends.
	p.check("s2", "Bash", map[string]string{"command": "npm run lint && make lint"})
	b.visit("/")
	b.click(`button[name=choice][value="1"]`)
	b.says("Your answer:")
	b.click("button.allow")
	b.says("What your device signs")
	b.everywhere("sign")
	b.visit("/passkeys")
	b.typed("#name", "key")
	b.click(`form[action="/passkeys/new"] button`)
	b.says("Your device asks for your finger")
	b.everywhere("newpasskey")
}

// restart: the daemon ends under an open page, which says so and offers no answer that looks as if
// it counted; a new link of the next daemon opens the console again.
func restart(t *testing.T, c *chromium) {
	w := world.New(t, settings)
	w.Port = true
	d, stop := w.Serve(nil)
	p := &place{World: w, t: t, daemon: d, address: d.Address().String()}
	p.admin = w.Admin(p.address)
	b := c.open(t, p, "ann")
	b.until(`document.querySelector("#lost").hidden`)
	stop()
	b.until(`!document.querySelector("#lost").hidden`)
	d, _ = w.Serve(nil)
	p.daemon, p.address = d, d.Address().String()
	p.admin = w.Admin(p.address)
	again := c.open(t, p, "ann")
	done := p.check("s1", "Bash", map[string]string{"command": "make again"})
	again.says("make again")
	again.click(`button[name=choice][value=n]`)
	again.says("denied")
	<-done
}

// manyAsks: with 500 waiting asks the page stays small and quick to use, and a new one is counted.
func manyAsks(t *testing.T, c *chromium) {
	const many = 500
	p := newPlaceWith(t, "asks: {per_session: 1000, per_agent: 1000, timeout: 30m}\n")
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error, many)
	for i := range many { // at the broker: the daemon takes no 500 connections of one client
		a := asktest.Bash(fmt.Sprint("make target-", i))
		a.Session, a.CallID, a.Agent = fmt.Sprint("s", i), fmt.Sprint(i), "default"
		go func() {
			_, err := p.daemon.Host.Asks.Ask(ctx, &a)
			results <- err
		}()
	}
	b := c.open(t, p, "ann")
	b.until(fmt.Sprintf(`document.querySelector("#count").textContent === "%d"`, many))
	b.until(`document.querySelectorAll("#cards article:not(.ended)").length >= 20`)
	b.visit("/?page=25")
	b.says("page 25 of 25")
	b.click(`#cards button[name=choice][value=n]`)
	b.says("denied")
	if err := <-results; err != nil {
		t.Error(err)
	}
	b.until(fmt.Sprintf(`document.querySelector("#count").textContent === "%d"`, many-1))
	if n := value[int](b, `document.querySelectorAll("#cards article").length`); n > 40 {
		t.Errorf("the page holds %d cards", n)
	}
	cancel()
	for range many - 1 {
		<-results
	}
}

// hostileTexts: the texts that surfaces for people have been attacked with are text in the browser.
func hostileTexts(t *testing.T, c *chromium) {
	p := newPlace(t)
	b := c.open(t, p, "ann")
	for i, text := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</pre></article><h1 id="fake">Approved</h1>`, "```\n@everyone <@1> **b**\n```",
		"\u202Etxt.exe\u2066", `javascript:alert(1)`, `<svg/onload=alert(1)>`, `{{.}} ${alert(1)} <%= 1 %>`, `<style>*{display:none}</style>`, `<meta http-equiv=refresh content=0;url=//x>`,
		`<form action=//x><button>Approve</button></form>`, `&lt;b&gt; &amp;`, `<base href=//x>`, `'-alert(1)-'`, `<a href="javascript:alert(1)">x</a>`,
	} {
		session := fmt.Sprintf("s%d<i>", i)
		done := p.check(session, "Bash", map[string]string{"command": "make x # " + text, "description": text})
		b.until(`document.querySelector("#cards article:not(.ended) button[value=n]") !== null`)
		if got := value[int](b, `document.querySelectorAll("main script, main img, main svg, main style, main meta, main base, main a[href^='javascript'], #fake, main i, main form:not([action^='/'])").length`); got != 0 {
			t.Errorf("%q made %d elements", text, got)
		}
		b.click(`#cards article:not(.ended) a[href^="/asks/"]`)
		b.says("Details")
		if got := value[int](b, `document.querySelectorAll("main script, main img, main svg, main style, main meta, main base, #fake, main i").length`); got != 0 {
			t.Errorf("%q made %d elements on its own page", text, got)
		}
		b.click(`button[value=n]`)
		<-done
		b.says("denied")
	}
	b.visit("/activity")
	b.says("<svg/onload=alert(1)>")
	b.visit("/agents")
	b.says("s1<i>")
}

// keyboard: an ask is found, read and denied without a mouse.
func keyboard(t *testing.T, c *chromium) {
	p := newPlace(t)
	b := c.open(t, p, "ann")
	done := p.check("s1", "Bash", map[string]string{"command": "make keys"})
	b.says("make keys")
	for range 60 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if value[bool](b, `document.activeElement.matches("button[name=choice][value=n]")`) {
			break
		}
		if !value[bool](b, `document.activeElement === document.body || document.activeElement.matches(":focus-visible")`) {
			t.Fatalf("the focus is not visible on %s", value[string](b, `document.activeElement.outerHTML`))
		}
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.says("denied")
	if res := <-done; res.Decision.Behavior != engine.Deny {
		t.Errorf("the agent got %+v", res)
	}
}
