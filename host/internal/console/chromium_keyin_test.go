package console_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestChromiumBeyond: on another machine a person comes in with the passkey that they added before, by
// their finger alone; a device without it lets nobody in, and a revoked one ends the session at once.
func TestChromiumBeyond(t *testing.T) {
	o := newOutside(t, people)
	o.ChoosePIN(o.daemon)
	c := startChromium(t, chromedp.Flag("host-resolver-rules", "MAP gate.example.org:8443 127.0.0.1:"+o.port),
		chromedp.Flag("ignore-certificate-errors-spki-list", o.spki))
	b := c.open(t, o.place, "ann")
	b.device()
	b.visit("/signin/passkey")
	b.click("button.allow")
	b.says("The device did not confirm it")
	b.enrol("phone")
	b.click(`form[action="/leave"] button`)
	b.says("You have left the console.")
	b.click(`a[href="/signin/passkey"]`)
	b.says("Your device asks for your finger")
	b.click("button.allow")
	b.until(`document.querySelector("#cards") !== null`)
	b.says("ann")

	keys, err := o.admin.Passkeys(t.Context(), "ann")
	must(t, err)
	_, err = o.admin.RevokePasskey(t.Context(), "ann", keys[0].ID)
	must(t, err)
	b.visit("/")
	b.says("Sign in with a passkey")
	b.click(`a[href="/signin/passkey"]`)
	b.click("button.allow")
	b.says("This passkey lets nobody in")
	b.everywhere("refused")
	b.visit("/")
	b.everywhere("left")
	b.visit("/signin/passkey")
	b.says("Your device asks for your finger")
	b.everywhere("signin")
}
