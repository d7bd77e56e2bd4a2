package console_test

import (
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
)

// rulePages: a rule from Trends is seen with its effect before it is stored, changed with an end, and
// taken back; each step shows its progress and counts from the next call on.
func rulePages(t *testing.T, c *chromium) {
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	b := c.open(t, p, "ann")
	done := p.check("s1", "Bash", map[string]string{"command": "terraform plan"})
	b.says("terraform plan")
	b.click(`#cards button[name=choice][value=n]`)
	b.says("denied")
	<-done
	b.visit("/trends?since=24h")
	b.says("Why people were asked")
	b.click(`form.try button`)
	b.says("Store this rule?")
	b.says("A person denied")
	if rules, err := p.admin.Rules(t.Context(), store.RuleFilter{}); err != nil || len(rules) != 0 {
		t.Fatalf("the preview stored %v, %v", rules, err)
	}
	b.click(`button.allow`)
	b.typed("#pin", world.PIN)
	b.click(`button.allow`)
	b.says("Stored: allow Bash(terraform plan")
	if res := <-p.check("s2", "Bash", map[string]string{"command": "terraform plan"}); res.Decision.Behavior != engine.Allow {
		t.Errorf("with the rule the call got %+v", res.Decision)
	}

	b.click(`a[href$="/edit"]`)
	b.says("Change this rule")
	value[bool](b, `(document.querySelector("select[name=behavior]").value = "deny", document.querySelector("select[name=for]").value = "24h", true)`)
	b.click(`form[data-effect] button`)
	b.says("becomes")
	b.says("would have been denied")
	b.click(`button.allow`)
	b.says("Changed: allow Bash(terraform plan")
	rules, err := p.admin.Rules(t.Context(), store.RuleFilter{})
	must(t, err)
	if len(rules) != 1 || rules[0].Behavior != engine.Deny || rules[0].ExpiresAt.Before(time.Now().Add(23*time.Hour)) {
		t.Fatalf("the changed rules are %+v", rules)
	}
	if res := <-p.check("s2", "Bash", map[string]string{"command": "terraform plan"}); res.Decision.Behavior != engine.Deny {
		t.Errorf("with the changed rule the call got %+v", res.Decision)
	}
	b.visit("/rules?show=ends")
	b.says("Bash(terraform plan")
	b.click(`form[action$="/remove"] button`)
	b.says("Take this rule back?")
	b.click(`button.allow`)
	b.says("Taken back: deny Bash(terraform plan")
	b.says("No rules. The mode of each agent decides.")
}

// otherPages: Tools, Agents and Health have what the API tells, and their links lead to Activity.
func otherPages(t *testing.T, c *chromium) {
	p := newPlace(t)
	b := c.open(t, p, "ann")
	<-p.check("s1", "Bash", map[string]string{"command": "pwd"})
	b.visit("/tools")
	b.says("Shell command lines")
	b.click(`a[href="/activity?tool=Bash"]`)
	b.says("pwd")
	b.visit("/agents")
	b.says("level A")
	b.click(`a[href="/activity?session=s1"]`)
	b.says("Session s1, agent default")
	b.visit("/health")
	b.says("Stored rules are intact")
	b.says("callgate pin set")
}

// severalAtOnce: two asks of a session are answered by one tap, and the page stands while a third comes.
func severalAtOnce(t *testing.T, c *chromium) {
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	b := c.open(t, p, "ann")
	results := p.crowd("s1", "npm install", "npm test")
	b.click(`#queued a`)
	b.says("2 asks of one session")
	results = append(results, p.crowd("s1", "npm run build")...)
	if n := value[int](b, `document.querySelectorAll(".lines li").length`); n != 2 {
		t.Errorf("the list has grown to %d lines", n)
	}
	b.click(`button[name=do][value=allow]`)
	b.typed("#pin", world.PIN)
	b.click(`button.allow`)
	b.says("Allowed from the list: 2.")
	for i, result := range results[:2] {
		if res := <-result; res.Decision.Behavior != engine.Allow {
			t.Errorf("call %d got %+v", i+1, res.Decision)
		}
	}
	b.visit("/")
	b.says("npm run build")
	b.click(`#cards article:not(.ended) button[name=choice][value=n]`)
	b.says("denied")
	if res := <-results[2]; res.Decision.Behavior != engine.Deny {
		t.Errorf("the third call got %+v", res.Decision)
	}
}

// modulePages: an update of a module shows how it answers the calls that people have decided, before
// it is approved and before it is taken back.
func modulePages(t *testing.T, c *chromium) {
	p := newPlace(t)
	p.ChoosePIN(p.daemon)
	p.putDeploy()
	b := c.open(t, p, "ann")
	answered := p.check("s1", "Deploy", map[string]string{"operation": "deploy", "target": "prod/web"})
	b.says("prod/web")
	b.click(`#cards button[name=choice][value=n]`)
	b.says("denied")
	<-answered
	p.updateDeploy()
	change := func(button, question, effect, done, version string) {
		t.Helper()
		b.visit("/tools")
		b.click(button)
		b.says(question)
		b.says(effect)
		b.says("prod/web")
		b.click(`main form button.allow`)
		b.says("Approver PIN")
		b.says(effect)
		b.typed("#pin", world.PIN)
		b.click(`main form button.allow`)
		b.says(done)
		list, err := p.admin.Modules(t.Context())
		must(t, err)
		if i := slices.IndexFunc(list.Modules, func(m wire.Module) bool { return m.File == "deploy.wasm" }); i < 0 || list.Modules[i].Version != version {
			t.Errorf("after %q the modules are %+v", done, list.Modules)
		}
	}
	change(`button[aria-label="Look at it: the update of deploy.wasm"]`, "Approve this update?", "It is more permissive for some of them.", "In force: deploy 2.0.0.", "2.0.0")
	b.do(chromedp.Navigate(b.origin + "/"))
	b.click(`form[action="/lock"] button`)
	b.says("Locked")
	change(`button[aria-label="Go back to the version before of deploy.wasm"]`, "Go back to this version?", "Stricter", "In force: deploy 1.0.0.", "1.0.0")
}
