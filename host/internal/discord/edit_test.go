package discord_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
)

// editable is a call of a client that takes another input.
func (w *world) editable(command string) *pending {
	r := request("s1", command)
	r.TakesInput = true
	return w.put("worker", r, command)
}

func TestEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p := w.editable("rm -rf build dist")
	c := p.card()
	form := c.press(w.ann, message.VerbEdit)
	if form.Modal == nil {
		t.Fatalf("no form: %s", told(form))
	}
	text := form.Modal.Components[0].Components[0].Value
	if !strings.Contains(text, `"command": "rm -rf build dist"`) {
		t.Errorf("the form has %q", text)
	}
	for _, tt := range []struct{ typed, says string }{
		{text, "Nothing was changed"},
		{"rm -rf build", "no JSON object"},
	} {
		seen, err := w.ann.Submit(within(t), form, map[string]string{message.InputEdited: tt.typed})
		if err != nil || !strings.Contains(told(seen), tt.says) {
			t.Errorf("%q: ann is told %q, %v", tt.typed, told(seen), err)
		}
		form = c.press(w.ann, message.VerbEdit)
	}
	if _, err := w.ann.Submit(within(t), form, map[string]string{message.InputEdited: strings.Replace(text, " dist", "", 1)}); err != nil {
		t.Fatal(err)
	}
	res := p.got()
	var input map[string]string
	if err := json.Unmarshal(res.Input, &input); err != nil || input["command"] != "rm -rf build" || res.Outcome != store.AskApproved {
		t.Errorf("got %s with %s: %v", res.Outcome, res.Input, err)
	}
	w.audited(store.EventInputChanged, c.ask, "ann", "the input was changed")
	c.ends("**Allowed", "by `ann`")
}

// A client that takes no other input has no button, and a stranger gets no form.
func TestEdit_notOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	c := w.call("worker", "s2", "make").card()
	if verbs(c.Message)[message.VerbEdit] != "" {
		t.Errorf("an edit is offered:\n%s", c.Message)
	}
	other := w.editable("make all").card()
	if seen := other.press(w.eve, message.VerbEdit); seen.Modal != nil || !strings.Contains(told(seen), "may not answer") {
		t.Errorf("eve sees %+v", seen)
	}
}
