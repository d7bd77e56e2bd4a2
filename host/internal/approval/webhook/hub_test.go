package webhook_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/webhook"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/testkit/webhooktest"
	"github.com/callgate/callgate/host/wire"
)

func hook(s *webhooktest.Server, events, agents []string) config.Webhook {
	return config.Webhook{URL: s.URL, SecretFile: s.SecretFile, Events: events, Agents: agents, Timeout: config.Duration(time.Minute)}
}

func notice(event, agent, id string) wire.Notice {
	return wire.Notice{
		Event: event, ID: id, Agent: agent, ToolName: "Bash", ToolUseID: "toolu_1",
		Arguments: json.RawMessage(`{"command":"curl -H 'Authorization: Bearer sk-ant-0123456789abcdefghij' x"}`), Reason: "no rule",
	}
}

// await waits until another goroutine makes ok true.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestHub: a listener gets its events and agents, with secrets masked and the members of
// docs/callbacks.md.
func TestHub(t *testing.T) {
	t.Parallel()
	s, all := webhooktest.New(t, nil), webhooktest.New(t, nil)
	h := webhook.NewHub(nil, webhook.Options{})
	t.Cleanup(h.Close)
	if err := h.Set([]config.Webhook{hook(s, []string{wire.PermissionDenied}, []string{"builder"}), hook(all, nil, nil)}); err != nil {
		t.Fatal(err)
	}
	h.Notify(notice(wire.PermissionRequest, "builder", "1"))
	h.Notify(notice(wire.PermissionDenied, "other", "2"))
	h.Notify(notice(wire.PermissionDenied, "builder", "3"))
	await(t, "all three reach the place that wants all", func() bool { return len(all.Posts()) == 3 })
	await(t, "one reaches the other", func() bool { return len(s.Posts()) == 1 })
	p := s.Posts()[0]
	var got struct {
		Event     string          `json:"event"`
		Tool      string          `json:"tool_name"`
		ID        string          `json:"tool_use_id"`
		Arguments json.RawMessage `json:"arguments"`
		Reason    string          `json:"reason"`
	}
	if err := json.Unmarshal(p.Body, &got); err != nil {
		t.Fatal(err)
	}
	if p.Event != wire.PermissionDenied || p.ID != "3" || got.Event != p.Event || got.Tool != "Bash" || got.ID != "toolu_1" || got.Reason != "no rule" {
		t.Errorf("got %s %s %+v, want the third notice", p.Event, p.ID, got)
	}
	if strings.Contains(string(p.Body), "sk-ant-0123456789") || !strings.Contains(string(got.Arguments), "curl -H") {
		t.Errorf("got the arguments %s, want them without the secret", got.Arguments)
	}
}

// TestHub_again: a failing listener gets the notice again, under the same id, and after enough
// tries the notice is dropped and counted.
func TestHub_again(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	fails := 2
	s := webhooktest.New(t, func(p webhooktest.Post) webhooktest.Answer {
		mu.Lock()
		defer mu.Unlock()
		if fails--; fails >= 0 || p.ID == "never" {
			return webhooktest.Answer{Status: http.StatusServiceUnavailable}
		}
		return webhooktest.Answer{Status: http.StatusAccepted}
	})
	h := webhook.NewHub(nil, webhook.Options{})
	t.Cleanup(h.Close)
	h.SetPause(func(int) time.Duration { return time.Microsecond })
	if err := h.Set([]config.Webhook{hook(s, nil, nil)}); err != nil {
		t.Fatal(err)
	}
	h.Notify(notice(wire.PermissionDenied, "a", "one"))
	h.Notify(notice(wire.PermissionDenied, "a", "never"))
	await(t, "the second is given up", func() bool { return h.Dropped() == 1 })
	tries := map[string]int{}
	for _, p := range s.Posts() {
		tries[p.ID]++
	}
	if tries["one"] != 3 || tries["never"] != webhook.Attempts {
		t.Errorf("got the tries %v, want one 3 and never %d", tries, webhook.Attempts)
	}
}

// TestHub_slowPlace: a silent listener delays no one; notices beyond its queue are dropped and
// counted, and Close does not wait for it.
func TestHub_slowPlace(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	slow := webhooktest.New(t, func(webhooktest.Post) webhooktest.Answer { <-hold; return webhooktest.Answer{} })
	t.Cleanup(func() { close(hold) })
	var mu sync.Mutex
	read := 0
	h := webhook.NewHub(nil, webhook.Options{})
	t.Cleanup(h.Close)
	h.Read(func(wire.Notice) { mu.Lock(); read++; mu.Unlock() })
	if err := h.Set([]config.Webhook{hook(slow, nil, nil)}); err != nil {
		t.Fatal(err)
	}
	for i := range 1100 {
		h.Notify(notice(wire.PermissionDenied, "a", strconv.Itoa(i)))
		if i%100 == 0 { // this is not about the hub's own queue
			await(t, "the reader gets on", func() bool { mu.Lock(); defer mu.Unlock(); return read > i-100 })
		}
	}
	await(t, "the place's queue overflows", func() bool { return h.Dropped() > 50 })
}

// TestHub_set: remaining listeners keep their queue, others end, and an unusable one is
// reported.
func TestHub_set(t *testing.T) {
	t.Parallel()
	s := webhooktest.New(t, nil)
	h := webhook.NewHub(nil, webhook.Options{})
	t.Cleanup(h.Close)
	err := h.Set([]config.Webhook{hook(s, nil, nil), {URL: "http://example.com/", SecretFile: "/s"}})
	if err == nil || !strings.Contains(err.Error(), "webhooks[1]") {
		t.Errorf("got %v, want which one cannot be used", err)
	}
	h.Notify(notice(wire.PermissionDenied, "a", "1"))
	await(t, "the first is told", func() bool { return len(s.Posts()) == 1 })
	if err := h.Set(nil); err != nil {
		t.Fatal(err)
	}
	h.Notify(notice(wire.PermissionDenied, "a", "2"))
	h.Close()
	if n := len(s.Posts()); n != 1 {
		t.Errorf("got %d posts, want none after the place was taken away", n)
	}
}
