package message_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/asktest"
	"github.com/callgate/callgate/host/internal/testkit/discordfacts"
)

// schema is Discord's schema of the body.
func schema(t *testing.T, method, path string) *discordfacts.Schema {
	t.Helper()
	table, err := discordfacts.Load()
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.Request(method, path)
	if err != nil || s == nil {
		t.Fatalf("%s %s: %v, %v", method, path, s, err)
	}
	return s
}

func fits(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *discordfacts.Schema, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := s.Validate(text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

func TestDiscordTakesOurMessages(t *testing.T) {
	alone(t)
	post, edit := schema(t, "POST", "/channels/{channel_id}/messages"), schema(t, "PATCH", "/channels/{channel_id}/messages/{message_id}")
	reply := schema(t, "POST", "/interactions/{interaction_id}/{interaction_token}/callback")
	type data struct {
		Type int `json:"type"`
		Data any `json:"data"`
	}
	take := func(t interface {
		Helper()
		Fatalf(string, ...any)
	}, m message.Message) {
		t.Helper()
		fits(t, post, m)
		fits(t, edit, m)
		fits(t, reply, data{Type: 4, Data: m})
		fits(t, reply, data{Type: 7, Data: m})
	}
	for _, a := range asktest.Kinds() {
		take(t, message.Card(a, message.View{Instance: "i1", MentionRoles: []string{"123456789012345678"}}).Message)
		fits(t, reply, data{Type: 9, Data: message.ConfirmModal(a, "i1")})
		fits(t, reply, data{Type: 9, Data: message.ReasonModal(a, "i1")})
	}
	rapid.Check(t, func(t *rapid.T) {
		s := func(name string) string { return hostile().Draw(t, name) }
		everyMessage(hostileAsk(t, s), message.View{Instance: "i1"}, s, func(m message.Message) { take(t, m) })
	})
}

// TestOracleSeesFaults keeps the test above from passing for want of a check.
func TestOracleSeesFaults(t *testing.T) {
	post := schema(t, "POST", "/channels/{channel_id}/messages")
	for _, text := range []string{
		`{"content":"` + string(bytes.Repeat([]byte("x"), 4001)) + `"}`, `{"nonce":"12345678901234567890123456"}`,
		`{"content":"x","components":[{"type":1,"components":[{"type":2,"style":9,"custom_id":"x"}]}]}`,
	} {
		if post.Validate([]byte(text)) == nil {
			t.Errorf("Discord takes %.80s", text)
		}
	}
}
