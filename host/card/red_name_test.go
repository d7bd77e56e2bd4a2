package card_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

// Attack T28: the name of a parameter is as much a part of the call as its value, and it
// can be long. A card that shortened it would offer one click for what it does not show.
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

// Values that are no texts stand as they came: a number keeps its digits, whatever its size.
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
