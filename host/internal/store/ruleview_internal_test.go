package store

import (
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
)

// TestRuleView_changedContent: a rule put again with another content or behavior is found by the new
// one.
func TestRuleView_changedContent(t *testing.T) {
	t.Parallel()
	v := &ruleView{byID: map[string]numbered{}, byPlace: map[place]*placed{}}
	put := func(content string, b engine.Behavior) {
		v.put(engine.Rule{ID: "1", Tool: "Bash", Content: &content, Behavior: b, Scope: engine.Global})
	}
	found := func(words engine.RuleWords) int {
		req := engine.Request{Call: &engine.Call{Tool: "Bash"}, Entry: engine.Entry{Name: "Bash"}, Words: &words}
		return len(v.at(time.Now(), req.About(), place{engine.Global, ""}))
	}
	put("npm:*", engine.Deny)
	put("rm:*", engine.Deny)
	if found(engine.RuleWords{Other: []string{"rm"}}) != 1 || found(engine.RuleWords{Other: []string{"npm"}}) != 0 {
		t.Error("the rule is found by its old content")
	}
	put("rm:*", engine.Allow)
	if found(engine.RuleWords{Allow: []string{"rm"}}) != 1 || found(engine.RuleWords{Other: []string{"rm"}}) != 0 {
		t.Error("the rule is found by its old behavior")
	}
	v.drop("1")
	if found(engine.RuleWords{Allow: []string{"rm"}, Other: []string{"rm"}}) != 0 {
		t.Error("the removed rule is found")
	}
}
