package console

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/testkit/asktest"
)

// drawnEdit is a card as a page, with the text of its edit as a browser has it; false without one.
func drawnEdit(t *testing.T, a ask.Ask, limits ...string) (page, text string, there bool) {
	t.Helper()
	var out strings.Builder
	if err := pages().ExecuteTemplate(&out, "card", draw(&session{csrf: "csrf"}, protocol.AskView{Ask: a, Limits: limits}, asktest.Noon)); err != nil {
		t.Fatal(err)
	}
	z := html.NewTokenizer(strings.NewReader(out.String()))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Data != "textarea" || !slices.Contains(token.Attr, html.Attribute{Key: "name", Val: "input"}) {
			continue
		}
		if z.Next() == html.TextToken {
			text = strings.TrimPrefix(z.Token().Data, "\n") // as HTML has it
		}
		return out.String(), text, true
	}
	return out.String(), "", false
}

// TestEditKeepsText: the input to be changed is on the page as it is, whatever it holds, and not
// at all where a person would not see all of it.
func TestEditKeepsText(t *testing.T) {
	t.Parallel()
	for _, command := range append(hostile, "npm test", "a\nb", " x", strings.Repeat("x", 9000)) {
		a := asktest.Bash(command)
		if page, _, there := drawnEdit(t, a); there || strings.Contains(page, "edit and allow") {
			t.Fatalf("a client that takes no input is offered one:\n%s", page)
		}
		a.TakesInput = true
		d := draw(&session{}, protocol.AskView{Ask: a}, asktest.Noon)
		page, text, there := drawnEdit(t, a)
		if there != (d.Edit != nil) || strings.Contains(page, ">edit and allow</button>") {
			t.Fatalf("%q: the page offers an edit otherwise than with its text:\n%s", command, page)
		}
		if !there {
			continue
		}
		if text != d.Edit.Text {
			t.Errorf("the page has %q, want %q", text, d.Edit.Text)
		}
		if _, err := editedInput(d.Edit, strings.ReplaceAll(text, "\n", "\r\n")); err == nil {
			t.Errorf("%q as a browser sends it counts as changed", text)
		}
		input, err := editedInput(d.Edit, strings.Replace(text, text[:1], text[:1]+" ", 1))
		if err != nil || !json.Valid(input) {
			t.Errorf("%q changed: got %s, %v", text, input, err)
		}
	}
}

// TestLimitsAreOnTheCard: a page says which limits are near, and is drawn anew when they are.
func TestLimitsAreOnTheCard(t *testing.T) {
	t.Parallel()
	a := asktest.Bash("npm test")
	page, _, _ := drawnEdit(t, a, "9 of at most <b>10</b> asks wait")
	if !strings.Contains(page, "9 of at most &lt;b&gt;10&lt;/b&gt; asks wait") {
		t.Errorf("no limit in\n%s", page)
	}
	near := draw(&session{}, protocol.AskView{Ask: a, Limits: []string{"x"}}, asktest.Noon)
	if far := draw(&session{}, protocol.AskView{Ask: a}, asktest.Noon); far.Rev == near.Rev || far.Read != near.Read {
		t.Error("a limit that is near changes what was read, or draws nothing anew")
	}
}
