package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// step is a page between an answer and its effect: a second confirmation, or the PIN.
type step struct {
	Card   drawn
	Choice card.Choice
	Reason string
	// Edited is the text of the changed input, as it was typed.
	Edited string
	// Confirmed tells that the second confirmation was given.
	Confirmed bool
	pinPrompt
	// Sign are the browser's options for the person's passkey, as JSON, and Statement what it
	// signs; empty without one.
	Sign, Statement string
}

// answer answers an ask with a choice of its card. What the person read comes along as a digest: a
// card that has changed since is shown again and not answered. Rights, the PIN and the effect are
// the API's.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, of *session) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	view, err := of.client.Ask(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	d := draw(of, view, s.c.Now())
	d.Details, d.Alone = card.DetailsText(view.Ask), true
	if view.State != ask.Shown || form.Get("read") != d.Read {
		f := framed(r, of, "Ask "+view.ID, "/", d)
		f.Said = []string{"Not answered: " + why(view.Ask)}
		return s.render(w, http.StatusConflict, "ask", f)
	}
	i := slices.IndexFunc(d.Choices, func(c card.Choice) bool { return c.Key == form.Get("choice") && !c.ShowsFull })
	if i < 0 {
		return refuse(http.StatusBadRequest, "the card offers no such answer; load the page again")
	}
	now := step{Card: d, Choice: d.Choices[i], Confirmed: form.Get("confirm") == view.ID}
	a, err := now.answerOf(form, of.by, view.ID)
	if err != nil {
		return err
	}
	if now.Choice.WantsID && !now.Confirmed {
		return s.render(w, http.StatusOK, "confirm", framed(r, of, "Confirm", "/", now))
	}
	if signed := form.Get("assertion"); signed != "" {
		if !json.Valid([]byte(signed)) {
			return refuse(http.StatusBadRequest, "the passkey's answer cannot be read; answer again")
		}
		a.Assertion = json.RawMessage(signed)
	}
	if now.Problem = unlock(r, of, form); now.Problem != "" {
		return s.askPIN(w, r, of, now)
	}
	done, err := of.client.Answer(r.Context(), view.ID, a)
	if protocol.NeedsPasskey(err) || protocol.NotSigned(err) {
		now.Problem = card.Line(err.Error())
		return s.askPasskey(w, r, of, now, a)
	}
	if protocol.NeedsPresence(err) {
		if challenge, err := of.client.Challenge(r.Context(), view.ID, a); err == nil { // else there is none
			now.WantsPIN = true
			return s.sign(w, r, of, now, challenge)
		}
		if canUnlock(r, of) {
			return s.askPIN(w, r, of, now)
		}
		return refuse(http.StatusForbidden, card.Line(err.Error()))
	}
	if err != nil {
		return err
	}
	of.say(told(done)...)
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// askPasskey asks for the signature of the person's passkey under this answer. Without one, the page
// says where to add it.
func (s *Server) askPasskey(w http.ResponseWriter, r *http.Request, of *session, now step, a ask.Answer) error {
	a.Assertion = nil
	challenge, err := of.client.Challenge(r.Context(), now.Card.ID, a)
	if err != nil {
		return err
	}
	return s.sign(w, r, of, now, challenge)
}

// sign renders the page that has a passkey sign.
func (s *Server) sign(w http.ResponseWriter, r *http.Request, of *session, now step, challenge passkey.Challenge) error {
	options, err := json.Marshal(challenge.Options)
	if err != nil {
		return err
	}
	now.Sign, now.Statement = string(options), challenge.Statement
	f := framed(r, of, "Passkey", "/", now)
	f.Signs = true
	return s.render(w, http.StatusOK, "sign", f)
}

// askPIN asks for the PIN; the form repeats the answer.
func (s *Server) askPIN(w http.ResponseWriter, r *http.Request, of *session, now step) error {
	now.WantsPIN = true
	return s.render(w, http.StatusOK, "confirm", framed(r, of, "PIN", "/", now))
}

// answerOf is the chosen answer with the person's words, or with the input that they changed.
func (now *step) answerOf(form url.Values, by, id string) (ask.Answer, error) {
	a := now.Choice.Answer
	a.By, a.Surface = by, surface
	if now.Choice.AsksReason {
		now.Reason = strings.TrimSpace(strings.ReplaceAll(form.Get("reason"), "\r\n", "\n"))
		if now.Reason == "" {
			return a, refuse(http.StatusBadRequest, "write the words for the agent, or choose deny")
		}
		a.Reason = now.Reason
	}
	if now.Choice.Edits {
		now.Edited = form.Get("input")
		input, err := editedInput(now.Card.Edit, now.Edited)
		if err != nil {
			return a, err
		}
		a.Input = input
	}
	if now.Confirmed {
		a.ConfirmID = id
	}
	return a, nil
}

// editedInput is the whole input with the person's text in it. A text that changes nothing is no
// answer: the person wanted another call.
func editedInput(e *card.Edit, text string) (json.RawMessage, error) {
	if e == nil || len(text) > maxEdit {
		return nil, refuse(http.StatusBadRequest, "this input cannot be changed here; use callgate asks answer ID approve --input FILE")
	}
	input, err := e.Input(text)
	switch {
	case errors.Is(err, card.ErrUnchanged):
		return nil, refuse(http.StatusBadRequest, "nothing was changed, so nothing was decided; choose allow once")
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "nothing was decided: this is no JSON object: "+card.Line(err.Error()))
	}
	return input, nil
}

// why says why an ask was not answered.
func why(a ask.Ask) string {
	switch {
	case a.State == ask.Queued:
		return "it waits behind another ask of its session"
	case a.State.Waiting():
		return "the card has changed since you read it; read it again"
	}
	return "it has ended"
}

// told says what an answer did.
func told(done ask.AnswerResult) []string {
	lines := []string{fmt.Sprintf("Ask %s: %s", done.Ask.ID, done.Ask.State)}
	for _, r := range done.Rules {
		lines = append(lines, fmt.Sprintf("Stored: %s (%s)", card.RuleText(r), r.Scope))
	}
	for _, id := range done.AlsoAnswered {
		lines = append(lines, "The rule also answered ask "+id)
	}
	for _, note := range done.Notes {
		lines = append(lines, card.Line(note))
	}
	return lines
}
