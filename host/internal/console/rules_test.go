package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

var inRemoval = regexp.MustCompile(`action="(/rules/[^"]+/remove)"`)

// TestRules: a rule's effect on past calls is shown before it is stored; storing it, and taking it
// back, are the API's, with the PIN where the change loosens.
func TestRules(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	<-p.check("s1", "Bash", map[string]string{"command": "pwd"})
	<-p.check("s1", "Bash", map[string]string{"command": "date"})
	b := p.open(p.admin, "ann")
	form := url.Values{"csrf": {found(t, inCSRF, b.page("/rules"))}, "behavior": {"deny"}, "rule": {"Bash(pwd)"}, "scope": {"global"}, "reason": {"<i>no</i>"}}

	preview := b.do(http.MethodPost, "/rules", form)
	for _, want := range []string{"matches <strong>1</strong> of 2 calls", "changed <strong>1</strong>", "would have been denied"} {
		if preview.status != http.StatusOK || !strings.Contains(preview.body, want) {
			t.Fatalf("the preview has no %q: %d\n%s", want, preview.status, preview.body)
		}
	}
	if rules, err := p.admin.Rules(t.Context(), store.RuleFilter{}); err != nil || len(rules) != 0 {
		t.Fatalf("the preview stored %v, %v", rules, err)
	}
	if g := b.do(http.MethodPost, "/rules", with(form, "store", "yes")); g.status != http.StatusSeeOther {
		t.Fatalf("storing: %d\n%s", g.status, g.body)
	}
	if res := <-p.check("s2", "Bash", map[string]string{"command": "pwd"}); res.Decision.Behavior.String() != "deny" {
		t.Errorf("with the rule the call got %v", res.Decision.Behavior)
	}
	page := b.page("/rules")
	if !strings.Contains(page, "Bash(pwd)") || !strings.Contains(page, "&lt;i&gt;no&lt;/i&gt;") || strings.Contains(page, "<i>no") {
		t.Errorf("the list:\n%s", page)
	}

	remove, id := found(t, inRemoval, page), ""
	id = strings.Split(remove, "/")[2]
	back := url.Values{"csrf": form["csrf"]}
	if g := b.do(http.MethodPost, remove, back); g.status != http.StatusOK || !strings.Contains(g.body, "Take this rule back?") {
		t.Errorf("without a confirmation: %d\n%s", g.status, g.body)
	}
	if g := b.do(http.MethodPost, remove, with(back, "confirm", id)); g.status != http.StatusOK || !strings.Contains(g.body, `name="pin"`) {
		t.Errorf("without the PIN: %d\n%s", g.status, g.body)
	}
	if g := b.do(http.MethodPost, remove, with(back, "confirm", id, "pin", "0000 0000")); g.status != http.StatusOK || !strings.Contains(g.body, `name="pin"`) {
		t.Errorf("with another PIN: %d\n%s", g.status, g.body)
	}
	if g := b.do(http.MethodPost, remove, with(back, "confirm", id, "pin", world.PIN)); g.status != http.StatusSeeOther {
		t.Errorf("with the PIN: %d\n%s", g.status, g.body)
	}
	if rules, err := p.admin.Rules(t.Context(), store.RuleFilter{}); err != nil || len(rules) != 0 {
		t.Errorf("after taking back: %v, %v", rules, err)
	}
	for name, c := range map[string]struct {
		form url.Values
		want int
	}{
		"no form token": {url.Values{"behavior": {"deny"}, "rule": {"Bash(ls)"}}, 403}, "no behavior": {with(form, "behavior", "x"), 400},
		"no rule": {with(form, "rule", ""), 400}, "a rule of nothing": {with(form, "rule", "Bash(", "store", "yes"), 400},
		"a wrong time": {with(form, "for", "-1h"), 400}, "a scope without its key": {with(form, "scope", "agent", "store", "yes"), 400},
	} {
		if g := b.do(http.MethodPost, "/rules", c.form); g.status != c.want {
			t.Errorf("%s: %d, want %d\n%s", name, g.status, c.want, g.body)
		}
	}
	if g := b.do(http.MethodPost, "/rules/nosuch/remove", back); g.status != http.StatusNotFound {
		t.Errorf("no such rule: %d", g.status)
	}
}

// TestMachinePages: the pages about tools, agents and health have what the API tells, and the first
// view of each page stays below 100 kB with its style and script.
func TestMachinePages(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	<-p.check("s1", "Bash", map[string]string{"command": "pwd"})
	b := p.open(p.admin, "ann")
	assets := len(b.page("/assets/style.css")) + len(b.page("/assets/app.js")) + len(b.page("/assets/icon.svg"))
	for path, wants := range map[string][]string{
		"/": {"No ask waits"}, "/activity": {"pwd"}, "/rules": {"New rule"}, "/tools": {"Bash", "built_in"},
		"/agents": {`href="/activity?session=s1"`, "in use"}, "/health": {"Stored rules are intact", "callgate pin set"},
	} {
		page := b.page(path)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s has no %q:\n%s", path, want, page)
			}
		}
		if size := len(page) + assets; size > 100_000 {
			t.Errorf("%s has %d bytes in total", path, size)
		}
		if !strings.Contains(page, `href="`+path+`" aria-current="page"`) {
			t.Errorf("%s is not marked in the navigation", path)
		}
		if g := b.get(path + "?x=1"); g.status != http.StatusBadRequest {
			t.Errorf("%s with an unknown parameter: %d", path, g.status)
		}
	}
}
