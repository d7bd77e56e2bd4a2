package tool

import (
	"bytes"
	"encoding/json"
)

// rehearsedContext has each possible member of a context, so the types of all are known afterwards.
const rehearsedContext = `{"agent":"a","session":"s","user":"u","mode":"default","cwd":"/project","working_directories":["/project"],` +
	`"project_root":"/project","home":"/home/user","kind":"main","dialect":"bash","shell_changed":[],"resumed":false,"approver":"","active_skills":[],` +
	`"annotations":{},"targets":[{"kind":"path","value":"a","access":"read","resolved":"/project/a","lexical":"/project/a","exists":true,"inside":"/project",` +
	`"repo":{"root":"/project","dirty":[]}}],"targets_unknown":false}`

// rehearse sends a call to each tool of m, without the author's functions. Go prepares JSON for a
// type at its first use. Calls begin in the state after the module's init functions, so every call
// saves this preparation: three quarters of its time. The author's functions do not run, because a
// call's data kept in a variable would stay for all calls.
func (m Module) rehearse() {
	_, _ = Handle(m, verbModule, nil)
	for i, t := range m.Tools {
		m.Tools[i] = t.bare()
	}
	for _, t := range m.Tools {
		e := RuleExample{Behavior: Deny, Input: json.RawMessage("{}")}
		if all := t.examples(); len(all) > 0 {
			e = all[0]
		}
		m.rehearseCall(t.names()[0], e)
		// The same with an escape, where a scanner is stuck: for the complete decoder.
		e.Input = bytes.Replace(e.Input, []byte(`":"`), []byte(`":"\u0020`), 1)
		m.rehearseCall(t.names()[0], e)
	}
}

func (m Module) rehearseCall(name string, e RuleExample) {
	env, err := json.Marshal(map[string]any{
		"tool": name, "input": e.Input, "config": json.RawMessage("{}"), "context": json.RawMessage(rehearsedContext),
		"behavior": e.Behavior, "rules": []Rule{{Content: e.Content}},
	})
	if err != nil {
		return // the host refuses such an example
	}
	for _, verb := range []string{verbDescribe, verbCheck, verbReadOnly, verbMatch, verbSuggest} {
		_, _ = Handle(m, verb, env)
	}
}
