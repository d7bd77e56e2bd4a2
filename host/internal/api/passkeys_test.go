package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/approval/push"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/passkeytest"
	"github.com/callgate/callgate/host/wire"
)

// passkeys drives the operations about passkeys.
func (x *exchange) passkeys(id string) {
	x.t.Helper()
	d := passkeytest.New(x.t, x.w.origin)
	options := x.do("POST", "/v1/passkeys/challenge", "?by=ana", "", 200)
	x.do("POST", "/v1/passkeys", "?by=ana", `{"name":"phone","credential":`+string(d.Create([]byte(options.body)))+`}`, 201)
	x.do("POST", "/v1/passkeys", "?by=ana", `{"name":"phone","credential":{}}`, 400)
	x.do("GET", "/v1/passkeys", "?person=ana", "", 200)
	x.do("POST", "/v1/asks/{id}/challenge", id+"/challenge", `{"verdict":"approve","by":"ana"}`, 200)
	x.do("POST", "/v1/asks/{id}/challenge", id+"/challenge", `{"verdict":"approve","by":"bob"}`, 409)
	x.do("POST", "/v1/asks/{id}/challenge", "zzzzzz/challenge", `{"verdict":"approve","by":"ana"}`, 404)
	x.do("DELETE", "/v1/passkeys/{id}", d.ID()+"?by=ana", "", 200)
	x.do("DELETE", "/v1/passkeys/{id}", d.ID(), "", 404)
}

// push drives the operations about push messages.
func (x *exchange) push() {
	x.t.Helper()
	const subscription = `{"endpoint":"https://push.example.com/x","p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}`
	added := x.do("POST", "/v1/push", "?by=ana", `{"name":"phone","subscription":`+subscription+`}`, 201)
	x.do("POST", "/v1/push", "?by=ana", `{"name":"","subscription":`+subscription+`}`, 400)
	x.do("GET", "/v1/push", "?by=ana", "", 200)
	var d push.Device
	must(x.t, json.Unmarshal([]byte(added.body), &d))
	x.do("DELETE", "/v1/push/{id}", d.ID+"?by=ana", "", 200)
	x.do("DELETE", "/v1/push/{id}", d.ID+"?by=ana", "", 404)
}

// enrol gives a person a device.
func (w *world) enrol(c *client.Client, by string) *passkeytest.Device {
	w.t.Helper()
	d := passkeytest.New(w.t, w.origin)
	options, err := c.EnrolPasskey(w.t.Context(), by)
	must(w.t, err)
	_, err = c.AddPasskey(w.t.Context(), by, "phone", d.Create(w.json(options)))
	must(w.t, err)
	return d
}

func (w *world) json(v any) []byte {
	w.t.Helper()
	text, err := json.Marshal(v)
	must(w.t, err)
	return text
}

// TestPasskey_answersWithoutThePIN: a signed approval counts where no PIN was typed, its row carries
// evidence that stands by itself, and the same assertion counts for nothing else.
func TestPasskey_answersWithoutThePIN(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t, nil)
	w.attach()
	events := w.broker.Subscribe(t.Context())
	checked := make(chan wire.Result, 1)
	go func() {
		res, err := w.client("default").Check(t.Context(), wire.Request{CallID: "c1", Tool: "Bash", Input: json.RawMessage(`{"command":"make"}`), Context: wire.CallContext{Session: "s"}}, nil)
		if err != nil {
			t.Error(err)
		}
		checked <- res
	}()
	a := shown(t, events)
	admin := w.dial(w.port, "admin")
	_, err := admin.EnrolPasskey(t.Context(), "ana")
	if !protocol.NeedsPresence(err) {
		t.Fatalf("an enrolment without the PIN: %v", err)
	}
	_, err = admin.Unlock(t.Context(), "ana", approverPIN)
	must(t, err)
	d := w.enrol(admin, "ana")
	fresh := w.dial(w.port, "admin") // without the PIN
	answer := ask.Answer{Verdict: ask.Approve, By: "ana"}
	if _, err := fresh.Answer(t.Context(), a.ID, answer); !protocol.NeedsPresence(err) {
		t.Fatalf("an approval without PIN and passkey: %v", err)
	}
	answer.Assertion = d.Get(w.json(passkey.RequestOptions{Challenge: "AAAA", RPID: "x.localhost"}))
	if _, err := fresh.Answer(t.Context(), a.ID, answer); !protocol.NotSigned(err) {
		t.Fatalf("an assertion without a challenge: %v", err)
	}
	answer.Assertion = nil
	c, err := fresh.Challenge(t.Context(), a.ID, answer)
	must(t, err)
	signed := answer
	signed.Assertion = d.Get(w.json(c.Options))
	wider := signed
	wider.WholeTool, wider.ForSession, wider.ConfirmID = true, true, a.ID
	if _, err := fresh.Answer(t.Context(), a.ID, wider); !protocol.NotSigned(err) {
		t.Fatalf("a signature for once, used for the whole tool: %v", err)
	}
	denied := signed
	denied.Verdict = ask.Deny
	var bad *protocol.Error
	if _, err := fresh.Answer(t.Context(), a.ID, denied); !errors.As(err, &bad) || bad.Status != http.StatusBadRequest {
		t.Fatalf("a signed denial: %v", err)
	}
	c, err = fresh.Challenge(t.Context(), a.ID, answer)
	must(t, err)
	signed.Assertion = d.Get(w.json(c.Options))
	out, err := fresh.Answer(t.Context(), a.ID, signed)
	must(t, err)
	if out.Ask.State != ask.Approved || (<-checked).Decision.Behavior != engine.Allow {
		t.Errorf("the signed approval: %+v", out)
	}
	w.signedRow(a, c.Statement)
}

// signedRow requires the evidence of an approval in the audit, and nothing of it with the ask.
func (w *world) signedRow(a ask.Ask, statement string) {
	w.t.Helper()
	var rows []store.Row
	for row, err := range w.store.Audit(w.t.Context(), store.Filter{Event: store.EventAskSigned}) {
		must(w.t, err)
		rows = append(rows, row)
	}
	if len(rows) != 1 || rows[0].AskID != a.ID || rows[0].DecidedBy != "ana" {
		w.t.Fatalf("the rows of signatures are %+v", rows)
	}
	proof, stated, err := passkey.Check([]byte(rows[0].Evidence))
	must(w.t, err)
	if proof.Statement != statement || stated.Call != a.Digest || stated.Ask != a.ID {
		w.t.Errorf("the evidence is of %+v", stated)
	}
	report, err := w.store.VerifyAudit(w.t.Context())
	must(w.t, err)
	if !report.OK() {
		w.t.Errorf("the audit: %+v", report.Break)
	}
	stored, err := w.broker.Get(context.Background(), a.ID)
	must(w.t, err)
	if stored.Answer == nil || stored.Answer.Proof != nil || strings.Contains(string(w.json(stored)), "assertion") {
		w.t.Errorf("the ended ask keeps %+v", stored.Answer)
	}
}

// TestPasskey_isOfItsPerson: an approver's token sees, adds and revokes only the passkeys of its own
// person; an admin revokes anybody's.
func TestPasskey_isOfItsPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, approver := w.client("admin"), w.client("approver")
	ana := w.enrol(admin, "ana")
	own := w.enrol(approver, "ana") // "by" of an approver's token does not count
	seen, err := approver.Passkeys(t.Context(), "ana")
	must(t, err)
	if len(seen) != 1 || seen[0].Person != "approver" || seen[0].ID != own.ID() {
		t.Errorf("the approver sees %+v", seen)
	}
	if _, err := approver.RevokePasskey(t.Context(), "ana", ana.ID()); err == nil {
		t.Error("an approver revoked another person's passkey")
	}
	if all, err := admin.Passkeys(t.Context(), ""); err != nil || len(all) != 2 {
		t.Errorf("the admin sees %+v, %v", all, err)
	}
	_, err = admin.RevokePasskey(t.Context(), "", own.ID())
	must(t, err)
}
