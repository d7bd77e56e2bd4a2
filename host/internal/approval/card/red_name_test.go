package card_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// Attack T28: the name of a parameter is as much a part of the call as its value, and it can be
// long. A card with a shortened name would offer one click for a hidden part.
func TestT28_aLongNameIsShownWhole(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("a", 900) + " && rm -rf ~ && " + strings.Repeat("b", 900)
	input, err := json.Marshal(map[string]string{name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	a := ask.Ask{ID: "k3m9qd", Tool: "Env", Input: input, State: ask.Shown, ShownAt: time.Unix(0, 0)}
	if a.Long() {
		t.Fatal("the call counts as long: choose a shorter name")
	}
	for what, text := range map[string]string{
		"the card": card.Terminal(card.Render(a, a.ShownAt), 4000, false), "everything": card.Full(a), "the parameters": card.InputOf(a).Parameters()[0].Name,
	} {
		if !strings.Contains(text, name) {
			t.Errorf("%s does not have the whole name: %.200s", what, text)
		}
	}
}

// Values other than texts stand unchanged: a number keeps its digits, at any size.
func TestT28_numbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	const huge = "123456789012345678901234567890.00000000000000000001e400"
	for _, value := range []string{huge, "-0", "1E5", "true", "false", "null", "[" + huge + "]"} {
		a := ask.Ask{Tool: "Bash", Input: json.RawMessage(`{"timeout": ` + value + ` }`)}
		if got := strings.Join(strings.Fields(card.InputOf(a).Parameters()[0].Text), ""); got != value {
			t.Errorf("%s is shown as %s", value, got)
		}
	}
}

// Attack T28: a tool calls itself Bash in Cyrillic letters alone. No letter is escaped, for the
// word mixes nothing; the card of every place warns of it, as of an agent's, a session's or a
// server's name.
func TestT28_namesInLookAlikeLetters(t *testing.T) {
	t.Parallel()
	const cyrillic = "\u0412\u0430\u0455\u04bb"
	for name, test := range map[string]struct {
		change func(*ask.Ask)
		want   string
	}{
		"a tool":        {func(a *ask.Ask) { a.Tool = cyrillic }, "a name has Cyrillic letters"},
		"a server":      {func(a *ask.Ask) { a.Decision.Server = cyrillic }, "a name has Cyrillic letters"},
		"an agent":      {func(a *ask.Ask) { a.Agent = cyrillic }, "a name has Cyrillic letters"},
		"a sub-agent":   {func(a *ask.Ask) { a.SubAgent = cyrillic }, "a name has Cyrillic letters"},
		"a session":     {func(a *ask.Ask) { a.Session = cyrillic }, "a name has Cyrillic letters"},
		"the input":     {func(a *ask.Ask) { a.Input = json.RawMessage(`{"x":"` + cyrillic + `"}`) }, "the input has Cyrillic letters"},
		"both":          {func(a *ask.Ask) { a.Input, a.Tool = json.RawMessage(`{"x":"\u03b1"}`), cyrillic }, "the input and a name have Cyrillic and Greek letters"},
		"none":          {func(*ask.Ask) {}, ""},
		"a long input":  {func(a *ask.Ask) { a.Input, a.Tool = json.RawMessage(`{"x":"`+strings.Repeat("y", 5000)+`"}`), cyrillic }, "a name has Cyrillic letters"},
		"no input left": {func(a *ask.Ask) { a.Input, a.Tool = nil, cyrillic }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ask.Ask{ID: "k3m9qd", Tool: "Bash", Agent: "coder", Session: "s1", Input: json.RawMessage(`{"x":"y"}`), State: ask.Shown, ShownAt: time.Unix(0, 0)}
			test.change(&a)
			text := card.Terminal(card.Render(a, a.ShownAt), 400, false)
			if warns := strings.Contains(text, "look like Latin ones"); warns != (test.want != "") || !strings.Contains(text, test.want) {
				t.Errorf("got\n%s\nwant %q", text, test.want)
			}
		})
	}
}
