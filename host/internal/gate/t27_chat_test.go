package gate_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

const annsAccount = "212345678901234567"

// chat is an answer as a chat hands it in.
func chat(by string, v ask.Verdict, roles ...string) ask.Answer {
	return ask.Answer{Verdict: v, By: by, Surface: "discord", Roles: roles, Origin: &ask.Origin{
		Account: annsAccount, AccountName: "Ann\u202e the first", Via: "button", Channel: "412", Message: "512", Interaction: "612", Shown: "c0ffee",
	}}
}

// TestT27_oneHumanTwoNames: a person is known by a name and by their Discord account, to
// approve their own calls, to be two of a quorum, or to be an approver, or granter, under the
// other name.
func TestT27_oneHumanTwoNames(t *testing.T) {
	t.Parallel()
	const known = "people: {ann: {roles: [ops], discord: " + annsAccount + "}, bob: {roles: [ops]}}\n"
	bot := authority.Caller{Token: "bot", Kind: authority.Integrator}
	by := func(user string) wire.Request {
		r := call("x")
		r.Context.Agent, r.Context.User = "a", user
		return r
	}
	yes := ask.Answer{Verdict: ask.Approve}
	names := map[string]string{"their name": "ann", "their account": annsAccount}
	for called, name := range names {
		for answers, other := range names {
			t.Run(called+", answers by "+answers, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, known+"agents: {a: {ask_approvers: {roles: [ops], quorum: 2, exclude_requester: true}}}\n")
				asked, done := w.Start(bot, by(name))
				if asked.User != "ann" {
					t.Errorf("the ask is of %q, want ann", asked.User)
				}
				if _, err := w.AnswerAs(asked.ID, other, yes, "ops"); !errors.Is(err, ask.ErrNotApprover) {
					t.Errorf("the requester approves: got %v", err)
				}
				if _, err := w.AnswerAs(asked.ID, other, ask.Answer{Verdict: ask.Deny}); err != nil {
					t.Errorf("the requester denies: got %v", err)
				}
				<-done
			})
		}
	}
	t.Run("two of a quorum", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, known+"agents: {a: {user: joe, ask_approvers: {roles: [ops], quorum: 2}}}\n")
		asked, done := w.Start(bot, by(""))
		for _, name := range []string{"ann", annsAccount, "ann"} {
			if out, err := w.AnswerAs(asked.ID, name, yes, "ops"); err != nil || out.Ask.State != ask.Shown || len(out.Ask.Votes) != 1 {
				t.Fatalf("%s: got %s with %d votes, %v", name, out.Ask.State, len(out.Ask.Votes), err)
			}
		}
		if out, err := w.AnswerAs(asked.ID, "bob", yes, "ops"); err != nil || out.Ask.State != ask.Approved || out.Ask.DecidedBy() != "ann, bob" {
			t.Errorf("another: got %s by %s, %v", out.Ask.State, out.Ask.DecidedBy(), err)
		}
		<-done
	})
	t.Run("one of the users", func(t *testing.T) {
		t.Parallel()
		for _, listed := range []string{"ann", "'" + annsAccount + "'"} {
			w := newWorld(t, known+"agents: {a: {user: '"+annsAccount+"', ask_approvers: {users: ["+listed+"]}}}\n")
			asked, done := w.Start(bot, by(""))
			if asked.User != "ann" {
				t.Errorf("the ask is of %q, want ann", asked.User)
			}
			if out, err := w.AnswerAs(asked.ID, annsAccount, yes); err != nil || out.Ask.State != ask.Approved || out.Ask.Answer.By != "ann" {
				t.Errorf("users %s: got %+v, %v", listed, out.Ask.Answer, err)
			}
			<-done
		}
	})
	t.Run("a grant", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, known+"permission_grants: {ops: [open]}\n")
		for _, name := range names {
			p := w.Gate.Person(bot, name, nil, false)
			if err := w.Gate.MayGrant(context.Background(), p, "open"); p.Name != "ann" || err != nil {
				t.Errorf("%s: got %+v, %v", name, p, err)
			}
			if p := w.Gate.Person(bot, name, []string{"x"}, false); p.Name != "ann" {
				t.Errorf("%s with roles: got %+v", name, p)
			}
		}
	})
}

// TestAnswer_coversWhatThePersonSaw: a rule accepted under a person's account answers the other
// asks shown to them under their name, and no others.
func TestAnswer_coversWhatThePersonSaw(t *testing.T) {
	t.Parallel()
	w := newWorld(t, listing+"agents: {worker: {user: joe}}\n")
	w.Tool.Prefixes = true
	other := func(session string) wire.Request {
		r := call("x")
		r.Context.Session = session
		return r
	}
	asked, one := w.Start(worker, other("s1"))
	shown, two := w.Start(worker, other("s2"))
	unseen, three := w.Start(worker, other("s3"))
	w.Broker.MarkSeen(shown.ID, "ann")
	w.Broker.MarkSeen(unseen.ID, "bob")
	a := chat(annsAccount, ask.Approve)
	a.Sets, a.Scope, a.ConfirmID = []int{1}, engine.Agent, asked.ID
	out, err := w.Gate.Answer(t.Context(), asked.ID, a)
	if err != nil || len(out.AlsoAnswered) != 1 || out.AlsoAnswered[0] != shown.ID {
		t.Errorf("also answered: %v, %v, want %s", out.AlsoAnswered, err, shown.ID)
	}
	for _, done := range []<-chan wire.Result{one, two} {
		if res := <-done; res.Decision.Behavior != engine.Allow || res.DecidedBy != "ann" {
			t.Errorf("got %s by %q", res.Decision.Behavior, res.DecidedBy)
		}
	}
	if _, err := w.AnswerAs(unseen.ID, "joe", ask.Answer{Verdict: ask.Deny}); err != nil {
		t.Error(err)
	}
	<-three
}

// immune makes the world's tool have a safety check ask about every call.
func (w *world) immune() {
	w.Tool.Check = func(*engine.Call) engine.Verdict {
		return engine.Verdict{Behavior: engine.Ask, BypassImmune: true, Reason: "it deletes what nobody can bring back"}
	}
}

// TestT27_safetyChecks: approvers of other asks, or a program in place of people, answer a
// safety check reserved by the operator for others.
func TestT27_safetyChecks(t *testing.T) {
	t.Parallel()
	const strict = "agents: {worker: {user: joe, ask_approvers: {roles: [dev], safety_checks: {roles: [admin], quorum: 2}}}}\n"
	yes := ask.Answer{Verdict: ask.Approve}
	t.Run("another ask", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, strict)
		asked, done := w.Start(worker, call("x"))
		if out, err := w.AnswerAs(asked.ID, "ann", yes, "dev"); err != nil || out.Ask.State != ask.Approved {
			t.Errorf("got %s, %v, want it approved by one", out.Ask.State, err)
		}
		<-done
	})
	t.Run("a safety check", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, strict)
		w.immune()
		asked, done := w.Start(worker, call("x"))
		if got := asked.Approvers.String(); got != "the role dev; the role admin; 2 have to approve" {
			t.Errorf("the card says %q", got)
		}
		for by, roles := range map[string][]string{"ann": {"dev"}, "cy": {"admin"}} {
			if _, err := w.AnswerAs(asked.ID, by, yes, roles...); !errors.Is(err, ask.ErrNotApprover) {
				t.Errorf("%s with %v: got %v", by, roles, err)
			}
		}
		if out, err := w.AnswerAs(asked.ID, "bob", yes, "dev", "admin"); err != nil || out.Ask.State != ask.Shown {
			t.Errorf("the first of two: got %s, %v", out.Ask.State, err)
		}
		if out, err := w.AnswerAs(asked.ID, "eve", yes, "dev", "admin"); err != nil || out.Ask.State != ask.Approved {
			t.Errorf("the second of two: got %s, %v", out.Ask.State, err)
		}
		if res := <-done; res.Decision.Behavior != engine.Allow || res.DecidedBy != "bob, eve" {
			t.Errorf("got %s by %q", res.Decision.Behavior, res.DecidedBy)
		}
	})
	t.Run("asked before they were named", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "agents: {worker: {user: joe}}\n")
		w.immune()
		asked, done := w.Start(worker, call("x"))
		*w.Settings = *w.parse(strict)
		if _, err := w.AnswerAs(asked.ID, "ann", yes, "dev"); !errors.Is(err, ask.ErrNotApprover) {
			t.Errorf("got %v", err)
		}
		if out, err := w.AnswerAs(asked.ID, "joe", ask.Answer{Verdict: ask.Deny}); err != nil || out.Ask.State != ask.Denied {
			t.Errorf("got %s, %v", out.Ask.State, err)
		}
		<-done
	})
	t.Run("a callback", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "agents: {worker: {user: joe, ask_approvers: {safety_checks: {roles: [admin]}}}}\n")
		cb := answers(allowing)
		w.withCallback(cb)
		if res := w.Check(worker, call("x")); res.DecidedBy != "callback fake" {
			t.Errorf("another ask: got it decided by %q", res.DecidedBy)
		}
		w.immune()
		asked, done := w.Start(worker, call("y"))
		if len(cb.asked) != 1 {
			t.Errorf("the callback was asked %d times, want people asked", len(cb.asked))
		}
		if _, err := w.AnswerAs(asked.ID, "joe", ask.Answer{Verdict: ask.Deny}); err != nil {
			t.Error(err)
		}
		<-done
	})
}

// TestT27_globalScopeInAChat: an approver of a call in a chat stores a rule for everybody with
// it.
func TestT27_globalScopeInAChat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, grants string
		answer       ask.Answer
		ok           bool
	}{
		{"a member", "", chat("ann", ask.Approve, "dev"), false},
		{"a member, and another role grants it", "permission_grants: {ops: ['rules:global']}\n", chat("ann", ask.Approve, "dev"), false},
		{"a member whose role grants it", "permission_grants: {ops: ['rules:global']}\n", chat("ann", ask.Approve, "dev", "ops"), true},
		{"an administrator", "", func() ask.Answer { a := chat("ann", ask.Approve, "dev"); a.Administrator = true; return a }(), true},
		{"at the terminal", "", ask.Answer{Verdict: ask.Approve, By: "ann", Roles: []string{"dev"}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, listing+tt.grants+"agents: {worker: {user: joe}}\n")
			asked, done := w.Start(worker, call("x"))
			tt.answer.Sets, tt.answer.Scope, tt.answer.ConfirmID = []int{1}, engine.Global, asked.ID
			out, err := w.Gate.Answer(t.Context(), asked.ID, tt.answer)
			if tt.ok != (err == nil && len(out.Rules) == 1) || !tt.ok && (!errors.Is(err, ask.ErrBadAnswer) || !strings.Contains(err.Error(), "a stored rule")) {
				t.Errorf("got %v, %v, want it stored: %t", out.Rules, err, tt.ok)
			}
			if rows := len(w.EventsOf(store.EventGrantRefused)); (rows == 0) != tt.ok {
				t.Errorf("%d rows of a refused grant", rows)
			}
			if !tt.ok {
				tt.answer.Scope = engine.Agent
				if out, err := w.Gate.Answer(t.Context(), asked.ID, tt.answer); err != nil || len(out.Rules) != 1 {
					t.Errorf("for the agent alone: got %v, %v", out.Rules, err)
				}
			}
			<-done
		})
	}
}

// TestT27_ruleOfAnOutsider: an unlisted member of the server, with a role for one agent's asks,
// stores a rule with it that answers calls of others; in a chat only listed people answer
// these.
func TestT27_ruleOfAnOutsider(t *testing.T) {
	t.Parallel()
	const yaml = "people: {bob: {discord: 212345678901234568}}\nagents: {worker: {user: joe, ask_approvers: {roles: [dev]}}, other: {user: joe, ask_approvers: {quorum: 1}}}\npermission_grants: {dev: ['rules:global']}\n"
	member := func(by, account string, administrator bool) ask.Answer {
		a := chat(by, ask.Approve, "dev")
		a.Origin.Account, a.Administrator, a.Sets = account, administrator, []int{1}
		return a
	}
	for _, tt := range []struct {
		name   string
		answer ask.Answer
		scope  engine.Scope
		ok     bool
	}{
		{"for everybody", member(annsAccount, annsAccount, false), engine.Global, false},
		{"for the agent", member(annsAccount, annsAccount, false), engine.Agent, true},
		{"for the session", member(annsAccount, annsAccount, false), engine.Session, true},
		{"who is listed", member("bob", "212345678901234568", false), engine.Global, true},
		{"an administrator", member(annsAccount, annsAccount, true), engine.Global, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, yaml)
			asked, done := w.Start(worker, call("x"))
			tt.answer.Scope, tt.answer.ConfirmID = tt.scope, asked.ID
			out, err := w.Gate.Answer(t.Context(), asked.ID, tt.answer)
			if (err == nil) != tt.ok || tt.ok != (len(out.Rules) == 1) || !tt.ok && !strings.Contains(err.Error(), `calls of Probe by the agent "`) {
				t.Errorf("got %v, %v, want it stored: %t", out.Rules, err, tt.ok)
			}
			if !tt.ok {
				tt.answer.Sets, tt.answer.Scope = nil, ""
				if _, err := w.Gate.Answer(t.Context(), asked.ID, tt.answer); err != nil {
					t.Errorf("the call alone: got %v", err)
				}
			}
			<-done
		})
	}
}

// TestT27_looseningInAChat: a person without a sufficient role gives a session a looser mode,
// or removes an ask rule, with a command in a chat.
func TestT27_looseningInAChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "permission_grants: {ops: ['mode:bypass', 'rules:global']}\nagents: {worker: {user: joe}}\n")
	asked, done := w.Start(worker, call("x"))
	if _, err := w.AnswerAs(asked.ID, "joe", ask.Answer{Verdict: ask.Deny}); err != nil {
		t.Fatal(err)
	}
	<-done
	session := admin.Where{Scope: engine.Session, Key: "s1"}
	as := func(roles ...string) admin.Change {
		return admin.Change{By: "ann", Person: approvers.Person{Name: "ann", Roles: roles}}
	}
	if _, err := w.Gate.Command(t.Context(), as("ops"), session, "/ask Probe"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"/permission bypass", "/ask -Probe", "/allow Probe"} {
		if out, err := w.Gate.Command(t.Context(), as("dev"), session, text); !errors.Is(err, authority.ErrNotEntitled) {
			t.Errorf("%s: got %q, %v, want it refused", text, out.Message, err)
		}
	}
	for _, text := range []string{"/permission bypass", "/ask -Probe", "/allow Probe"} {
		if out, err := w.Gate.Command(t.Context(), as("ops"), session, text); err != nil || !out.OK {
			t.Errorf("%s with the role: got %q, %v", text, out.Message, err)
		}
	}
}

// TestT27_cardChanged: an attacker changes the text of the card, so people approve another text
// than the ask's. The ask ends, no approval counts, and the audit and the log say so; a later
// alarm about it has its row as well.
func TestT27_cardChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {user: joe, ask_approvers: {quorum: 2}}}\n")
	var log bytes.Buffer
	parts := w.Parts(w.Broker)
	parts.Log = slog.New(slog.NewTextHandler(&log, nil))
	var err error
	if w.Gate, err = assembly.NewGate(parts); err != nil {
		t.Fatal(err)
	}
	asked, done := w.Start(worker, call("x"))
	if _, err := w.Gate.Answer(t.Context(), asked.ID, chat("ann", ask.Approve)); err != nil {
		t.Fatal(err)
	}
	if err := w.Gate.CardChanged(t.Context(), asked.ID, "message 512 has another text than was posted"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Gate.Answer(t.Context(), asked.ID, chat("bob", ask.Approve)); !errors.Is(err, ask.ErrSettled) {
		t.Errorf("a later approval: got %v", err)
	}
	res := <-done
	if res.Decision.Behavior != engine.Deny || res.Outcome != store.AskCancelled || !strings.Contains(res.Decision.Message, "someone changed its approval card") {
		t.Errorf("got %s, %s: %s", res.Decision.Behavior, res.Outcome, res.Decision.Message)
	}
	if err := w.Gate.CardChanged(t.Context(), asked.ID, "again"); err != nil {
		t.Error(err)
	}
	rows := w.EventsOf(store.EventCardChanged)
	if len(rows) != 2 || rows[0].AskID != asked.ID || rows[0].User != "joe" || !strings.Contains(rows[0].Detail, "message 512") {
		t.Errorf("audit: got %+v", rows)
	}
	if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), asked.ID) {
		t.Errorf("log: got %s", log.String())
	}
	if err := w.Gate.CardChanged(t.Context(), "zzzzzz", "x"); !errors.Is(err, ask.ErrUnknown) {
		t.Errorf("an unknown ask: got %v", err)
	}
}

// TestT27_foreignAnswers: a surface refuses a bystander, who tries again and again, by the
// card, by another card, and with an unknown account.
func TestT27_foreignAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "people: {ann: {discord: "+annsAccount+"}}\nagents: {worker: {user: joe}}\n")
	asked, done := w.Start(worker, call("x"))
	for _, by := range []string{"ann", annsAccount, "eve", "eve", "", ""} {
		if err := w.Gate.RefuseAnswer(t.Context(), asked.ID, chat(by, ask.Approve, "viewer"), "eve is not listed"); err != nil {
			t.Errorf("%q: got %v", by, err)
		}
	}
	rows := w.EventsOf(store.EventAnswerRefused)
	var who []string
	for _, r := range rows {
		who = append(who, r.DecidedBy)
	}
	if strings.Join(who, " ") != "ann eve "+annsAccount {
		t.Errorf("got rows of %v, want one of each", who)
	}
	if d := rows[1].Detail; !strings.Contains(d, "eve is not listed") || !strings.Contains(d, "by button") || !strings.Contains(d, `roles ["viewer"]`) || strings.Contains(d, "\u202e") {
		t.Errorf("got %q", d)
	}
	if a, err := w.Broker.Get(t.Context(), asked.ID); err != nil || a.State != ask.Shown {
		t.Errorf("the ask: got %s, %v", a.State, err)
	}
	if _, err := w.AnswerAs(asked.ID, "joe", ask.Answer{Verdict: ask.Deny}); err != nil {
		t.Fatal(err)
	}
	<-done
	for _, id := range []string{asked.ID, "zzzzzz"} {
		if err := w.Gate.RefuseAnswer(t.Context(), id, chat("pete", ask.Approve), "no"); err != nil {
			t.Errorf("%s: got %v", id, err)
		}
	}
	if got := len(w.EventsOf(store.EventAnswerRefused)); got != 3 {
		t.Errorf("%d rows, want none of what has ended", got)
	}
	open, done := w.Start(worker, call("y"))
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Gate.RefuseAnswer(t.Context(), open.ID, chat("eve", ask.Approve), "no"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("without the audit: got %v", err)
	}
	w.Broker.Close()
	<-done
}
