package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/webhook"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/testkit/webhooktest"
	"github.com/callgate/callgate/host/wire"
)

var anAsk = wire.CallbackRequest{Tool: "Bash", Input: json.RawMessage(`{"command":"make deploy"}`), CallID: "c1", Reason: "no rule"}

func decide(t *testing.T, s *webhooktest.Server, timeout time.Duration) (engine.CallbackAnswer, error) {
	t.Helper()
	a, err := webhook.NewApprover(config.Callback{URL: s.URL + "/decide", SecretFile: s.SecretFile, Timeout: config.Duration(timeout)}, webhook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Decide(t.Context(), anAsk)
}

// TestApprover has a row for each answer of the contract, and for each outside it: these deny,
// and name the value.
func TestApprover(t *testing.T) {
	t.Parallel()
	type answer = webhooktest.Answer
	for _, tc := range []struct {
		name   string
		answer answer
		want   engine.CallbackAnswer
	}{
		{"allow", answer{Body: `{"behavior":"allow"}`}, engine.CallbackAnswer{Behavior: engine.Allow}},
		{"allow with a value", answer{Body: ` {"behavior":"allow","value":{"a":[1]}}`}, engine.CallbackAnswer{Behavior: engine.Allow}},
		{"deny", answer{Body: `{"behavior":"deny"}`}, engine.CallbackAnswer{}},
		{"deny with a reason", answer{Body: `{"behavior":"deny","reason":"not on\n Fridays"}`}, engine.CallbackAnswer{Reason: "not on Fridays"}},
		{"null", answer{Body: `null`}, engine.CallbackAnswer{Unexpected: "null"}},
		{"true", answer{Body: `true`}, engine.CallbackAnswer{Unexpected: "true"}},
		{"text", answer{Body: `"allow"`}, engine.CallbackAnswer{Unexpected: `"allow"`}},
		{"nothing", answer{}, engine.CallbackAnswer{Unexpected: "nothing"}},
		{"another word", answer{Body: `{"behavior":"Allow"}`}, engine.CallbackAnswer{Unexpected: `{"behavior":"Allow"}`}},
		{"no word", answer{Body: `{}`}, engine.CallbackAnswer{Unexpected: `{}`}},
		{"null as a word", answer{Body: `{"behavior":null}`}, engine.CallbackAnswer{Unexpected: `{"behavior":null}`}},
		{"unknown member", answer{Body: `{"behavior":"allow","updatedInput":{}}`}, engine.CallbackAnswer{Unexpected: `{"behavior":"allow","updatedInput":{}}`}},
		{"another case", answer{Body: `{"Behavior":"allow"}`}, engine.CallbackAnswer{Unexpected: `{"Behavior":"allow"}`}},
		{"twice", answer{Body: `{"behavior":"deny","behavior":"allow"}`}, engine.CallbackAnswer{Unexpected: `{"behavior":"deny","behavior":"allow"}`}},
		{"two documents", answer{Body: `{"behavior":"allow"}{}`}, engine.CallbackAnswer{Unexpected: `{"behavior":"allow"}{}`}},
		{"allow with a reason", answer{Body: `{"behavior":"allow","reason":"x"}`}, engine.CallbackAnswer{Unexpected: `{"behavior":"allow","reason":"x"}`}},
		{"deny with a value", answer{Body: `{"behavior":"deny","value":1}`}, engine.CallbackAnswer{Unexpected: `{"behavior":"deny","value":1}`}},
		{"a reason that is none", answer{Body: `{"behavior":"deny","reason":1}`}, engine.CallbackAnswer{Unexpected: `{"behavior":"deny","reason":1}`}},
		{"cut off", answer{Body: `{"behavior":"allow"`}, engine.CallbackAnswer{Unexpected: `{"behavior":"allow"`}},
		{"status", answer{Status: http.StatusAccepted, Body: `{"behavior":"allow"}`}, engine.CallbackAnswer{Unexpected: "status 202"}},
		{"server error", answer{Status: http.StatusInternalServerError, Body: `{"behavior":"allow"}`}, engine.CallbackAnswer{Unexpected: "status 500"}},
		{"redirect", answer{Status: http.StatusFound, Location: "/other"}, engine.CallbackAnswer{Unexpected: "status 302"}},
		{"content type", answer{ContentType: "text/html", Body: `{"behavior":"allow"}`}, engine.CallbackAnswer{Unexpected: `content type "text/html"`}},
		{"too large", answer{Body: `{"behavior":"allow","value":"` + strings.Repeat("x", 70<<10) + `"}`}, engine.CallbackAnswer{Unexpected: "more than 65536 bytes"}},
		{"long", answer{Body: `"` + strings.Repeat("x", 300) + `"`}, engine.CallbackAnswer{Unexpected: `"` + strings.Repeat("x", 199) + "…"}},
		{"unsigned", answer{Body: `{"behavior":"allow"}`, Signature: "-"}, engine.CallbackAnswer{Unexpected: "an answer without a signature for this request"}},
		{"signed for another request", answer{Body: `{"behavior":"allow"}`, Signature: webhook.SignAnswer([]byte("0123456789abcdef0123456789abcdef"), "other", []byte(`{"behavior":"allow"}`))},
			engine.CallbackAnswer{Unexpected: "an answer without a signature for this request"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := webhooktest.New(t, func(webhooktest.Post) answer { return tc.answer })
			got, err := decide(t, s, time.Minute)
			if err != nil || got != tc.want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, tc.want)
			}
			if d := engine.ApplyCallback(engine.Decision{Behavior: engine.Ask}, "Bash", got); (d.Behavior == engine.Allow) != (tc.want.Behavior == engine.Allow) {
				t.Errorf("the decision: got %s", d.Behavior)
			}
			if posts := s.Posts(); len(posts) != 1 || posts[0].Event != "callback" || !strings.Contains(string(posts[0].Body), `"make deploy"`) {
				t.Errorf("got the posts %+v, want one with the input", posts)
			}
		})
	}
}

// TestApprover_masks: quotations of an answer hold no secret.
func TestApprover_masks(t *testing.T) {
	t.Parallel()
	got := webhook.ReadAnswer([]byte(`{"behavior":"yes","token":"ghp_0123456789abcdefghijklmnopqrstuvwxyz"}`))
	if strings.Contains(got.Unexpected, "ghp_0123") || !strings.Contains(got.Unexpected, "yes") {
		t.Errorf("got %q, want the value without its secret", got.Unexpected)
	}
}

// TestApprover_late: an approver without an answer denies after its time.
func TestApprover_late(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	s := webhooktest.New(t, func(webhooktest.Post) webhooktest.Answer { <-hold; return webhooktest.Answer{} })
	t.Cleanup(func() { close(hold) })
	if _, err := decide(t, s, 20*time.Millisecond); !errors.Is(err, gate.ErrCallbackLate) {
		t.Errorf("got %v, want %v", err, gate.ErrCallbackLate)
	}
}

// TestApprover_unreachable: a missing listener, or a secret readable by others, is an error
// with the reason.
func TestApprover_unreachable(t *testing.T) {
	t.Parallel()
	s := webhooktest.New(t, nil)
	if err := os.Chmod(s.SecretFile, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := decide(t, s, time.Minute); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("an open secret: got %v, want the fix", err)
	}
	if err := os.WriteFile(s.SecretFile, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.SecretFile, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := decide(t, s, time.Minute); err == nil || !strings.Contains(err.Error(), "at least 16") {
		t.Errorf("a short secret: got %v, want its bound", err)
	}
	link := s.SecretFile + ".link"
	if err := os.Symlink(s.SecretFile, link); err != nil {
		t.Fatal(err)
	}
	if _, err := webhook.Secret(link); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a link: got %v, want it refused", err)
	}
	if len(s.Posts()) != 0 {
		t.Errorf("got %d posts, want none without a secret", len(s.Posts()))
	}
	if err := os.WriteFile(s.SecretFile, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := decide(t, s, time.Minute); err == nil || strings.Contains(err.Error(), "/decide") {
		t.Errorf("nobody there: got %v, want an error without the address", err)
	}
}

// TestNewApprover_address: the approver refuses everything config refuses, and a broken one
// denies.
func TestNewApprover_address(t *testing.T) {
	t.Parallel()
	c := config.Callback{URL: "http://example.com/x", SecretFile: "/s"}
	if _, err := webhook.NewApprover(c, webhook.Options{}); err == nil {
		t.Error("got an approver without TLS elsewhere, want an error")
	}
	var all webhook.Approvers
	if all.Of(config.Callback{}) != nil {
		t.Error("got an approver without an address, want none")
	}
	if _, err := all.Of(c).Decide(context.Background(), anAsk); err == nil {
		t.Error("a broken approver: got no error, want one, which denies")
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{`{"behavior":"allow"}`, `{"behavior":"deny","reason":"x"}`, `null`, `[`, `{"behavior":"allow","value":1}`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a := webhook.ReadAnswer(text)
		var plain map[string]any
		if a.Behavior == engine.Allow && (json.Unmarshal(text, &plain) != nil || plain["behavior"] != "allow") {
			t.Errorf("%q allows", text)
		}
		if len(a.Unexpected) > 300 {
			t.Errorf("%d bytes are named of %q", len(a.Unexpected), text)
		}
	})
}
