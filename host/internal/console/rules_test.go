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
	for _, want := range []string{"changed 1 of 2 calls: 1 would have been denied", "<strong>would have been denied</strong>"} {
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

	remove := found(t, inRemoval, page)
	back := url.Values{"csrf": form["csrf"]}
	if g := b.do(http.MethodPost, remove, back); g.status != http.StatusOK || !strings.Contains(g.body, "Take this rule back?") || !strings.Contains(g.body, "It would have changed 1 of 3 calls: 1 would have run without a question") {
		t.Errorf("without a confirmation: %d\n%s", g.status, g.body)
	}
	if g := b.do(http.MethodPost, remove, with(back, "store", "yes")); g.status != http.StatusOK || !strings.Contains(g.body, `name="pin"`) {
		t.Errorf("without the PIN: %d\n%s", g.status, g.body)
	}
	if g := b.do(http.MethodPost, remove, with(back, "store", "yes", "pin", "0000 0000")); g.status != http.StatusOK || !strings.Contains(g.body, `name="pin"`) {
		t.Errorf("with another PIN: %d\n%s", g.status, g.body)
	}
	if g := b.do(http.MethodPost, remove, with(back, "store", "yes", "pin", world.PIN)); g.status != http.StatusSeeOther {
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
		"/": {"No ask waits"}, "/activity": {"pwd"}, "/rules": {"New rule"}, "/tools": {"Bash", "Built in"},
		"/agents": {`href="/activity?session=s1"`, "in use", ">level A<", "--level b"}, "/health": {"Stored rules are intact", "callgate pin set"},
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

// TestRules_change: a stored rule's form has it as it is, the effect of another answer and end is shown,
// and the change takes the PIN where it loosens. The script's request tells its progress, and the
// page after it has the same result.
func TestRules_change(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	<-p.check("s1", "Bash", map[string]string{"command": "pwd"})
	b := p.open(p.admin, "ann")
	csrf := found(t, inCSRF, b.page("/rules"))
	add := url.Values{"csrf": {csrf}, "behavior": {"deny"}, "rule": {"Bash(date)"}, "scope": {"global"}, "for": {"24h"}, "reason": {"<i>no</i>"}, "store": {"yes"}}
	if g := b.do(http.MethodPost, "/rules", add); g.status != http.StatusSeeOther {
		t.Fatalf("storing: %d\n%s", g.status, g.body)
	}
	page := b.page("/rules?show=never")
	edit := found(t, regexp.MustCompile(`href="(/rules/[^"]+/edit)"`), page)
	for _, other := range []string{"month", "idle"} {
		if strings.Contains(b.page("/rules?show="+other), "Bash(date)") {
			t.Errorf("a new rule is among %q", other)
		}
	}
	if g := b.get("/rules?show=x"); g.status != http.StatusBadRequest {
		t.Errorf("an unknown part: %d", g.status)
	}
	form := b.page(edit)
	for _, want := range []string{`value="Bash(date)"`, `<option value="deny" selected>`, `<option value="keep" selected>Until `, `value="&lt;i&gt;no&lt;/i&gt;"`} {
		if !strings.Contains(form, want) {
			t.Errorf("the form has no %q:\n%s", want, form)
		}
	}
	id := strings.Split(edit, "/")[2]
	change := url.Values{"csrf": {csrf}, "id": {id}, "behavior": {"deny"}, "rule": {"Bash(pwd)"}, "scope": {"global"}, "for": {"keep"}}
	told := b.do(http.MethodPost, "/rules/effect", change)
	if told.status != http.StatusOK || !strings.Contains(told.body, `"total":`) || !strings.HasSuffix(told.body, "\"done\"\n") {
		t.Errorf("the progress: %d\n%s", told.status, told.body)
	}
	preview := b.do(http.MethodPost, edit, change)
	for _, want := range []string{"Change this rule?", "Bash(date)", "Bash(pwd)", "changed 1 of 1 calls: 1 would have been denied", "until 2"} {
		if preview.status != http.StatusOK || !strings.Contains(preview.body, want) {
			t.Errorf("the preview has no %q: %d\n%s", want, preview.status, preview.body)
		}
	}
	if g := b.do(http.MethodPost, edit, with(change, "store", "yes")); g.status != http.StatusOK || !strings.Contains(g.body, `name="pin"`) {
		t.Errorf("taking a deny rule away without the PIN: %d\n%s", g.status, g.body)
	}
	if g := b.do(http.MethodPost, edit, with(change, "store", "yes", "pin", world.PIN)); g.status != http.StatusSeeOther {
		t.Errorf("with the PIN: %d\n%s", g.status, g.body)
	}
	rules, err := p.admin.Rules(t.Context(), store.RuleFilter{})
	if err != nil || len(rules) != 1 || rules[0].String() != "Bash(pwd)" || rules[0].ExpiresAt.IsZero() {
		t.Errorf("the rules are %v, %v", rules, err)
	}
	if res := <-p.check("s1", "Bash", map[string]string{"command": "pwd"}); res.Decision.Behavior.String() != "deny" {
		t.Errorf("with the rule the call got %v", res.Decision.Behavior)
	}
	if page := b.page("/rules"); !strings.Contains(page, ">1 time<") {
		t.Errorf("the use is not told:\n%s", page)
	}
	for path, form := range map[string]url.Values{"/rules/effect": {"behavior": {"deny"}, "rule": {"Bash"}}, edit: {"rule": {"Bash"}}} {
		if g := b.do(http.MethodPost, path, form); g.status != http.StatusForbidden {
			t.Errorf("%s without the form's token: %d", path, g.status)
		}
	}
	if g := b.get(edit); g.status != http.StatusNotFound {
		t.Errorf("the form of a rule that is gone: %d", g.status)
	}
}
