package console

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/internal/testkit/asktest"
	"github.com/callgate/callgate/host/wire"
)

// hostile are texts that a naive page would obey, or would show as something else.
var hostile = []string{
	"<script>alert(1)</script>", "</pre></code></article><form action=//evil><button>allow once</button>", "<img src=x onerror=alert(1)>",
	`" onfocus="alert(1)" autofocus x="`, "' onmouseover='alert(1)", "javascript:alert(1)", "<!-- ", "--><svg/onload=alert(1)>", "]]>", "{{.CSRF}}", "${alert(1)}",
	"&lt;b&gt;", "&#x3c;script&#x3e;", "</textarea><script>", "<style>*{display:none}</style>", "<base href=//evil>", "<meta http-equiv=refresh content=0>",
	"\u202egnirts desrever", "a\u200bb", "\u0000\u0007\u001b[2J", "\uff1cscript\uff1e", "line\nname=\"choice\" value=\"y\"", "\u2028\u2029", "+ADw-script+AD4-",
}

// asking is an ask with one text in every place where an agent's, a module's or a person's stands.
func asking(text string) ask.Ask {
	a := asktest.Bash(text)
	a.Agent, a.SubAgent, a.Session, a.User, a.CWD, a.ProjectRoot, a.CallID = text, text, text, text, "/"+text, "/"+text, text
	a.Changed = []string{text}
	a.Decision.Reason, a.Decision.Server = text, text
	for i := range a.Decision.Suggestions {
		a.Decision.Suggestions[i].Content, a.Decision.Suggestions[i].Description = &text, text
	}
	return a
}

// shape is a page as its elements and the names of their attributes; values only of those that do
// something.
func shape(t interface{ Fatal(...any) }, page string) (elements []string, text string) {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return elements, out.String()
		case html.TextToken:
			out.Write(z.Text())
		case html.CommentToken:
			t.Fatal("a comment in the page: " + z.Token().Data)
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			token := z.Token()
			line := token.Type.String() + " " + token.Data
			for _, a := range token.Attr {
				line += " " + a.Key
				if slices.Contains([]string{"href", "src", "action", "name", "type", "value", "method", "http-equiv", "content", "class"}, a.Key) && a.Key != "value" {
					line += "=" + a.Val
				}
			}
			elements = append(elements, line)
		}
	}
}

// drawnPage is the ask's own page, with all that the console draws of an ask.
func drawnPage(t interface{ Fatal(...any) }, a ask.Ask) string {
	s := &Server{}
	of := &session{csrf: "csrf"}
	d := draw(of, protocol.AskView{Ask: a}, asktest.Noon)
	d.Details, d.Alone = card.DetailsText(a), true
	out := httptest.NewRecorder()
	if err := s.render(out, 200, "ask", frame{Title: "Ask", By: "ann", Body: d}); err != nil {
		t.Fatal(err)
	}
	page := out.Body.String()
	for _, c := range d.Choices {
		if c.ShowsFull {
			continue
		}
		out = httptest.NewRecorder()
		if err := s.render(out, 200, "confirm", frame{Title: "Confirm", By: "ann", Body: step{Card: d, Choice: c, Reason: string(a.Input), pinPrompt: pinPrompt{Problem: a.Decision.Reason}}}); err != nil {
			t.Fatal(err)
		}
		page += out.Body.String()
	}
	several := severalPage{ID: "k3m9qd", Agent: a.Agent, Session: a.Session}
	several.list([]ask.Ask{a}, asktest.Noon)
	behind := waitingPage{Queues: queues([]protocol.AskView{{Ask: a}})}
	for name, body := range map[string]any{"several": several, "waiting": behind} {
		out = httptest.NewRecorder()
		if err := s.render(out, 200, name, frame{Title: "Asks", By: "ann", Body: body}); err != nil {
			t.Fatal(err)
		}
		page += out.Body.String()
	}
	return page
}

// TestT28_HostileTexts: no text changes the elements of a page, and each is there as card shows it.
func TestT28_HostileTexts(t *testing.T) {
	for _, text := range hostile {
		// Texts of the same form, so that the card has the same rows.
		plain := strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return 'x'
		}, text)
		elements, shown := shape(t, drawnPage(t, asking(text)))
		want, _ := shape(t, drawnPage(t, asking(plain)))
		for _, e := range elements {
			if !slices.Contains(want, e) && !allowedRow(e) {
				t.Errorf("%q made the element %q", text, e)
			}
		}
		if !strings.Contains(shown, card.Line(text)) && !strings.Contains(shown, card.Visible(text)) {
			t.Errorf("%q is not on its page", text)
		}
	}
}

// allowedRow are the card's own rows that a text may bring: warnings of odd letters, and blocks.
func allowedRow(element string) bool {
	return slices.Contains([]string{
		`StartTag p class=row warn`, `StartTag span class=sign role aria-label`, `StartTag div class=part block`, `StartTag div class=part`, `StartTag pre tabindex`, `EndTag pre`,
		`StartTag span class=name`, `StartTag em`, `EndTag em`,
	}, element)
}

// changing are the pages of a rule's and a module's change, of the trends and of the agents' hooks, with
// one text in every place where an agent's, a module's or a person's stands.
func changing(text string) map[string]any {
	rule := engine.Rule{ID: "r1", Tool: text, Reason: text, ScopeKey: text}
	row := store.Row{Seq: 1, Event: store.EventDecision, Decision: store.Denied, Agent: text, Tool: text, Action: text, DecidedBy: text}
	cause := store.Cause{Seq: 1, Calls: 1, Tool: text, Action: text, Decision: store.Denied, Stage: text}
	change := []wire.MemberChange{{Where: text, Was: text, Will: text}}
	module := wire.ModuleProposal{
		File: "x.wasm", Name: text, Version: text, Summary: text, Digest: text, Grant: wire.Grant{Names: []string{text}, Limits: map[string]string{"fuel": text}}, Signer: text, Unsigned: text,
		SignerWas: text, SignerWill: text, Replaces: &wire.GrantedModule{}, Changes: change, GrantChanges: change, Suspends: []string{text}, Notes: []string{text},
		NotGranted: []string{text}, ReplacesBuiltIn: text,
	}
	return map[string]any{
		"trends": trendsPage{Calls: 1, Causes: []askCause{{Rule: text, Agent: text, Example: cause}, {Why: text, Example: cause}}, Refused: []refusedCause{{Cause: cause}}},
		"rule": rulePage{
			Form: ruleForm{Behavior: "allow", Rule: text, Scope: text, Key: text, For: "24h", Reason: text}, Old: &rule, Notes: []string{text}, pinPrompt: pinPrompt{true, card.Line(text)},
			Effect: &history.Simulated{Rows: []history.SimulatedRow{{Row: row}}, Overruled: 1},
		},
		"edit":   rulePage{Old: &rule, Form: formOfRule(rule)},
		"module": modulePage{ModuleProposal: module},
		"agents": agentsPage{Accounts: []int{1001}, Apart: true, Hooks: wire.HookProbes{Every: "30m0s", Probes: []wire.HookProbe{{Client: text, File: text, Agent: text, State: text, Text: text}}}},
	}
}

// TestT28_HostileChanges: no text changes the elements of these pages, and each is there as card shows it.
func TestT28_HostileChanges(t *testing.T) {
	draw := func(name string, body any) (elements []string, text string) {
		out := httptest.NewRecorder()
		if err := (&Server{}).render(out, 200, name, frame{Title: "Page", By: "ann", Body: body}); err != nil {
			t.Fatal(err)
		}
		return shape(t, out.Body.String())
	}
	plain := changing("x")
	for _, text := range hostile {
		for name, body := range changing(text) {
			elements, shown := draw(name, body)
			if want, _ := draw(name, plain[name]); !slices.Equal(elements, want) {
				t.Errorf("%s: %q made other elements:\n%q\nwant %q", name, text, elements, want)
			}
			line, visible := card.Line(text), card.Visible(text)
			if name != "edit" && !strings.Contains(shown, line) && !strings.Contains(shown, visible) {
				t.Errorf("%s: %q is not on its page", name, text)
			}
			if line != text && visible != text && strings.Contains(shown, text) {
				t.Errorf("%s: %q is on its page with its invisible characters", name, text)
			}
		}
	}
}

// TestT28_AnyText is the same law for texts that are drawn.
func TestT28_AnyText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("<>\"'&/=`\n -!ax{}")))).Draw(rt, "text")
		a := asktest.Bash("x")
		input, err := json.Marshal(map[string]string{"command": text, "more": text})
		if err != nil {
			rt.Fatal(err)
		}
		a.Input, a.Decision.Reason, a.Agent = input, text, text
		known := map[string]bool{}
		for _, page := range []string{drawnPage(rt, asktest.Bash("x\nx")), drawnPage(rt, asktest.Bash("x"))} {
			elements, _ := shape(rt, page)
			for _, e := range elements {
				known[e] = true
			}
		}
		for _, e := range func() []string { all, _ := shape(rt, drawnPage(rt, a)); return all }() {
			if !known[e] && !allowedRow(e) {
				rt.Fatalf("%q made the element %q", text, e)
			}
		}
	})
}

// TestKinds: every kind of ask is drawn, with the same form for each of its choices.
func TestKinds(t *testing.T) {
	for name, a := range asktest.Kinds() {
		page := drawnPage(t, a)
		for _, c := range card.Choices(a) {
			if !c.ShowsFull && !strings.Contains(page, `name="choice" value="`+c.Key+`"`) {
				t.Errorf("%s: no button for %q", name, c.Label)
			}
			for _, rule := range c.Rules {
				if !strings.Contains(html.UnescapeString(page), rule) {
					t.Errorf("%s: the rule %q is not shown", name, rule)
				}
			}
		}
	}
}

// TestEndedCard: on a list, an ended ask is its outcome and its call; its own page has the rest.
func TestEndedCard(t *testing.T) {
	a := asktest.Kinds()["ended"]
	d := draw(&session{csrf: "csrf"}, protocol.AskView{Ask: a}, asktest.Noon)
	page := func() string {
		var out strings.Builder
		if err := pages().ExecuteTemplate(&out, "card", d); err != nil {
			t.Fatal(err)
		}
		_, text := shape(t, out.String())
		return text
	}
	listed := page()
	d.Alone = true
	alone := page()
	for _, text := range []string{listed, alone} {
		if strings.Count(text, "Denied k3m9qd by marta in Discord") != 1 || strings.Count(text, "npm run build") != 1 {
			t.Errorf("the outcome and the call stand not once each:\n%s", text)
		}
	}
	if row := "Bash in site"; strings.Contains(listed, row) || !strings.Contains(alone, row) {
		t.Errorf("listed:\n%s\nalone:\n%s", listed, alone)
	}
}
