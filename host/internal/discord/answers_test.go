package discord

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/wire"
)

func TestButton_approves(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm install left-pad")
	seen, err := w.ann.Click(w.context(), m.ID, "Allow once")
	must(t, err)
	deferred := seen.Answer == discordtest.AnswerDeferredUpdate // after two seconds, on a crowded machine
	if !deferred && (seen.Message == nil || seen.Message.ID != m.ID || len(seen.Message.Components) != 0) {
		t.Errorf("the answer to the click is not the card made new: %+v", seen)
	}
	w.wants(done, store.AskApproved)
	end := w.final(m.ID, "allowed")
	if !strings.Contains(end.Content, "npm install left-pad") || !strings.Contains(end.Content, "ann") {
		t.Errorf("the card does not keep what was asked, or who approved:\n%s", end.Content)
	}
	rows := w.rows(store.EventAskAnswered)
	if len(rows) != 1 || rows[0].AskID != a.ID || rows[0].DecidedBy != "ann" || !strings.Contains(rows[0].Detail, w.ann.ID) ||
		!strings.Contains(rows[0].Detail, "by button") || !strings.Contains(rows[0].Detail, m.ID) || rows[0].Latency <= 0 {
		t.Errorf("the audit: %+v", rows)
	}
}

func TestButton_denies(t *testing.T) {
	w := newWorld(t, usual)
	done, _, m := w.posed("rm -rf /")
	_, err := w.ann.Click(w.context(), m.ID, "Deny")
	must(t, err)
	w.wants(done, store.AskDenied)
	w.final(m.ID, "denied")
}

func TestForm_deniesWithAReason(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("git push --force")
	form, err := w.ann.Select(w.context(), m.ID, message.ValueReason)
	must(t, err)
	if form.Modal == nil {
		t.Fatalf("no form: %+v", form)
	}
	_, err = w.ann.Submit(w.context(), form, map[string]string{"reason": "push without force"})
	must(t, err)
	if r := w.outcome(done); r.Outcome != store.AskDenied || !strings.Contains(r.Decision.Message, "push without force") {
		t.Errorf("the call: got %+v", r)
	}
	w.final(m.ID, "push without force")
	if got, err := w.broker.Get(w.context(), a.ID); err != nil || got.Answer.Reason != "push without force" || got.Answer.Origin.Via != "form" {
		t.Errorf("the ask: got %+v, %v", got.Answer, err)
	}
}

// label is a button's label, by its verb.
func (w *world) label(m discordtest.Message, verb string) string {
	w.t.Helper()
	for _, row := range m.Components {
		for _, c := range row.Components {
			if strings.HasSuffix(c.CustomID, "|"+verb) {
				return c.CustomID
			}
		}
	}
	w.t.Fatalf("the card has no %s:\n%s", verb, m.String())
	return ""
}

func TestButton_allowsForTheSession(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm test")
	_, err := w.ann.Click(w.context(), m.ID, w.label(m, "session"))
	must(t, err)
	w.wants(done, store.AskApproved)
	w.final(m.ID, "allowed")
	rules := w.rules()
	if len(rules) != 1 || rules[0].Scope != engine.Session || rules[0].String() != "Probe(npm test)" || rules[0].Source != "ask "+a.ID || rules[0].CreatedBy != "ann" {
		t.Errorf("rules: got %+v", rules)
	}
	w.wants(w.check("npm test"), store.Allowed)
}

// menu is the first option of a card's menu.
func (w *world) menu(m discordtest.Message) string {
	w.t.Helper()
	for _, row := range m.Components {
		for _, c := range row.Components {
			if len(c.Options) > 0 {
				return c.Options[0].Value
			}
		}
	}
	w.t.Fatalf("the card has no menu:\n%s", m.String())
	return ""
}

// A rule that is accepted is stored, told on the card, answers the other asks that it
// covers, and can be taken back by who accepted it.
func TestMenu_storesARuleAndUndoesIt(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm run build")
	other := w.check("npm run build", func(r *wire.Request) { r.Context.Session = "s2" })
	w.eventually("two cards", func() bool { return w.surface.State().Cards == 2 })
	_, err := w.ann.Select(w.context(), m.ID, w.menu(m))
	must(t, err)
	w.wants(done, store.AskApproved)
	w.wants(other, store.AskApproved)
	end := w.final(m.ID, "allowed")
	if !strings.Contains(end.Content, "Probe(npm run build)") {
		t.Errorf("the card does not say which rule was stored:\n%s", end.Content)
	}
	if rules := w.rules(); len(rules) != 1 || rules[0].Scope != engine.Project {
		t.Errorf("rules: got %+v of %s", rules, rules[0].Scope)
	}
	undo, err := w.server.WaitMessage(w.context(), func(m discordtest.Message) bool { return m.For == w.ann.ID && len(m.Components) > 0 })
	must(t, err)
	seen, err := w.ann.Click(w.context(), undo.ID, w.label(undo, "undo"))
	must(t, err)
	if !strings.Contains(seen.Message.Content, "Taken back") {
		t.Errorf("ann sees %s", seen.Message)
	}
	if rules := w.rules(); len(rules) != 0 {
		t.Errorf("rules: got %+v", rules)
	}
	w.final(m.ID, "taken back by ann")
	if rows := w.rows(store.EventAnswerUndone); len(rows) != 1 || rows[0].AskID != a.ID || rows[0].DecidedBy != "ann" {
		t.Errorf("the audit: %+v", rows)
	}
}

func TestReactions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		emoji string
		want  store.Outcome
		rules int
	}{
		{"✅", store.AskApproved, 0}, {"❌", store.AskDenied, 0}, {"🔓", store.AskApproved, 1},
	} {
		t.Run(tt.emoji, func(t *testing.T) {
			w := newWorld(t, strings.Replace(usual, "token_file", "reactions: true, token_file", 1))
			done, _, m := w.posed("npm ci")
			_, err := w.server.WaitEdit(w.context(), m.ID, func(m discordtest.Message) bool { return len(m.Reactions) == 3 })
			must(t, err)
			must(t, w.ann.React(m.ID, "👍"))
			must(t, w.ann.React(m.ID, tt.emoji))
			w.wants(done, tt.want)
			w.final(m.ID, "ann")
			if rules := w.rules(); len(rules) != tt.rules {
				t.Errorf("rules: got %+v", rules)
			}
		})
	}
}

// Where nobody may approve there is nothing under a card that does; a denial counts.
func TestReactionsWhereNobodyApproves(t *testing.T) {
	yaml := strings.Replace(usual, "token_file", "reactions: true, token_file", 1)
	w := newWorld(t, strings.Replace(yaml, "user: cy,", "ask_approvers: {exclude_requester: true},", 1))
	done, _, m := w.posed("npm ci")
	m, err := w.server.WaitEdit(w.context(), m.ID, func(m discordtest.Message) bool { return len(m.Reactions) > 0 })
	must(t, err)
	if m.Reactions[0].Emoji != "❌" || !strings.Contains(m.Content, "No one may approve this") {
		t.Errorf("got %+v under\n%s", m.Reactions[0], m.Content)
	}
	must(t, w.ann.React(m.ID, "❌"))
	w.wants(done, store.AskDenied)
}

func TestReplies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want store.Outcome
	}{
		{"yes", store.AskApproved}, {"No, use the cache", store.AskDenied},
	} {
		t.Run(tt.text, func(t *testing.T) {
			w := newWorld(t, usual)
			done, a, m := w.posed("npm ci")
			_, err := w.ann.Reply(m.ID, tt.text)
			must(t, err)
			w.wants(done, tt.want)
			w.final(m.ID, "ann")
			if got, err := w.broker.Get(w.context(), a.ID); err != nil || got.Answer.Origin == nil || got.Answer.Origin.Via != "reply" {
				t.Errorf("the ask: got %+v, %v", got.Answer, err)
			}
		})
	}
}

// With the ask's id text answers without being a reply, where the card stands; without
// both it is nothing.
func TestReply_byTheID(t *testing.T) {
	w := newWorld(t, usual)
	w.server.SetPortal(discordtest.Portal{MessageContent: true})
	done, a, m := w.posed("npm ci")
	elsewhere := w.server.AddChannel(w.server.Guild, "elsewhere")
	for channel, text := range map[string]string{w.server.Channel: "yes", elsewhere: "yes " + a.ID} {
		_, err := w.ann.Write(channel, text)
		must(t, err)
	}
	_, err := w.ann.Write(w.server.Channel, "<@"+w.server.Bot+"> "+strings.ToUpper(a.ID)+" no, not now")
	must(t, err)
	w.wants(done, store.AskDenied)
	w.final(m.ID, "not now")
}

// Where the bot may not read what people write, it says so once.
func TestReply_thatCannotBeRead(t *testing.T) {
	w := newWorld(t, usual)
	done, _, m := w.posed("npm ci")
	for range 2 {
		_, err := w.ann.ReplyQuiet(m.ID, "yes")
		must(t, err)
	}
	_, err := w.server.WaitMessage(w.context(), func(n discordtest.Message) bool {
		return n.ReplyTo == m.ID && strings.Contains(n.Content, "cannot read")
	})
	must(t, err)
	_, err = w.ann.Click(w.context(), m.ID, "Deny")
	must(t, err)
	w.wants(done, store.AskDenied)
	n := 0
	for _, m := range w.server.Messages() {
		if strings.Contains(m.Content, "cannot read") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("it was said %d times", n)
	}
}

// A call that the card cannot show whole takes the id; reactions and text get a hint.
func TestLong_takesTheID(t *testing.T) {
	w := newWorld(t, usual)
	long := "echo begin " + strings.Repeat("x", 9000)
	done := w.check(long)
	a := w.shown("echo begin")
	m := w.card("echo begin")
	must(t, w.ann.React(m.ID, "✅"))
	hint, err := w.server.WaitMessage(w.context(), func(n discordtest.Message) bool { return n.ReplyTo == m.ID })
	must(t, err)
	if !strings.Contains(hint.Content, "confirmed") || len(hint.Pings.Users) != 0 {
		t.Errorf("the hint: %s", hint.String())
	}
	form, err := w.ann.Click(w.context(), m.ID, w.label(m, "approve"))
	must(t, err)
	seen, err := w.ann.Submit(w.context(), form, map[string]string{"id": "xxxxxx"})
	must(t, err)
	if !strings.Contains(seen.Message.Content, "not the id") || w.surface.display(a.ID) == nil {
		t.Errorf("a wrong id: ann sees %s", seen.Message)
	}
	all, err := w.ann.Select(w.context(), m.ID, message.ValueDetails)
	must(t, err)
	if len(all.Message.Attachments) == 0 || !strings.Contains(string(all.Message.Attachments[0].Data), strings.Repeat("x", 9000)) {
		t.Errorf("the whole call is not shown: %s", all.Message)
	}
	form, err = w.ann.Click(w.context(), m.ID, w.label(m, "approve"))
	must(t, err)
	_, err = w.ann.Submit(w.context(), form, map[string]string{"id": " " + strings.ToUpper(a.ID)})
	must(t, err)
	w.wants(done, store.AskApproved)
	w.final(m.ID, "allowed")
}

// The first answer wins, wherever it is given; the card says so, and who comes later is
// told.
func TestFirstAnswerWins_elsewhere(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm ci")
	_, err := w.gate.Answer(w.context(), a.ID, ask.Answer{Verdict: ask.Approve, Sets: []int{a.Decision.Suggestions[0].Set}, Scope: engine.Agent, ConfirmID: a.ID, By: "cy", Surface: "terminal"})
	must(t, err)
	w.wants(done, store.AskApproved)
	end := w.final(m.ID, "terminal")
	if !strings.Contains(end.Content, "Probe(npm ci)") {
		t.Errorf("the card does not say which rule was stored elsewhere:\n%s", end.Content)
	}
	seen, err := w.server.Forge(w.context(), w.ann.ID, m.ChannelID, m.ID, w.customID(a, "deny"), nil)
	must(t, err)
	if !strings.Contains(seen.Message.Content, "too late") || !strings.Contains(seen.Message.Content, "cy") || seen.Message.For != w.ann.ID {
		t.Errorf("a late click: ann sees %s", seen.Message)
	}
}

func (w *world) customID(a ask.Ask, verb string) string {
	return fmt.Sprintf("g1|%s|%s|%s", w.surface.instance, a.ID, verb)
}

// However an ask ends, its card says so and has no buttons.
func TestEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(*world, ask.Ask)
		says string
	}{
		"interrupt": {func(w *world, a ask.Ask) { w.must(w.broker.Interrupt(w.context(), a.Session)) }, "interrupted"},
		"clear":     {func(w *world, a ask.Ask) { w.must(w.broker.Clear(w.context(), a.Session)) }, "cleared"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, usual)
			_, a, m := w.posed("npm ci")
			tt.end(w, a)
			w.final(m.ID, tt.says)
			w.eventually("nothing is followed any more", func() bool { s := w.surface.State(); return s.Asks == 0 && s.Cards == 0 })
		})
	}
}

func (w *world) must(_ int, err error) {
	w.t.Helper()
	must(w.t, err)
}

func TestTimeout(t *testing.T) {
	// Long enough for the card to be posted and found first, where many tests share a core.
	w := newWorld(t, usual, func(w *world) { w.timeout = "10s" })
	done := w.check("npm ci")
	m := w.card("npm ci")
	w.wants(done, store.AskTimeout)
	w.final(m.ID, "no one answered")
}

// One tap in the menu grants no whole tool: it shows what would be stored, and a second
// tap stores it.
func TestMenu_wholeToolTakesASecondTap(t *testing.T) {
	w := newWorld(t, usual)
	done, _, m := w.posed("npm test")
	seen, err := w.ann.Select(w.context(), m.ID, "w")
	must(t, err)
	if seen.Message == nil || !strings.Contains(seen.Message.Content, "allow Probe") || len(w.rules()) != 0 {
		t.Fatalf("the first tap: ann sees %v, rules %v; want the rule in words, and none stored", seen.Message, w.rules())
	}
	_, err = w.ann.Click(w.context(), seen.Message.ID, w.label(*seen.Message, "store|w"))
	must(t, err)
	w.wants(done, store.AskApproved)
	if rules := w.rules(); len(rules) != 1 || !rules[0].WholeTool() || rules[0].Scope != engine.Session {
		t.Errorf("rules: got %+v, want the whole tool for the session", rules)
	}
}
