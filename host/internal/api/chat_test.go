package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// TestOpenAPI_asksOfAChat: a chat's additions to an ask are in the document: that the card
// could not be shown there, and an answer's place.
func TestOpenAPI_asksOfAChat(t *testing.T) {
	t.Parallel()
	d, w := openDocument(t), newWorld(t, nil)
	w.attach()
	x := exchange{t: t, d: d, w: w, driven: map[string]bool{}}
	events := w.broker.Subscribe(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := w.client("long").Check(t.Context(), bash("make"), nil)
		done <- err
	}()
	a := shown(t, events)
	must(t, w.broker.Undelivered(t.Context(), a.ID, "discord"))
	if got := x.do("GET", "/v1/asks/{id}", a.ID, "", 200).body; !strings.Contains(got, `"undelivered":["discord"]`) {
		t.Errorf("got %s, want that Discord could not show it", got)
	}
	answer := ask.Answer{Verdict: ask.Approve, By: "bob", Surface: "discord", Origin: &ask.Origin{
		Account: "212345678901234568", AccountName: "bob\u202e", Via: "button", Server: "1", Channel: "2", Message: "3", Interaction: "4", Shown: "ab", Latency: time.Second,
	}}
	_, err := w.broker.Answer(t.Context(), a.ID, answer)
	must(t, err)
	if got := x.do("GET", "/v1/asks/{id}", a.ID, "", 200).body; !strings.Contains(got, "\"account_name\":\"bob\uFFFD\"") {
		t.Errorf("got %s, want where the answer came from", got)
	}
	must(t, receive(t, done))
}
