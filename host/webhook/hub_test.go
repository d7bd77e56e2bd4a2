package webhook_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/webhook"
	"github.com/callgate/callgate/host/webhook/webhooktest"
)

func hook(s *webhooktest.Server, events, agents []string) config.Webhook {
	return config.Webhook{URL: s.URL, SecretFile: s.SecretFile, Events: events, Agents: agents, Timeout: config.Duration(time.Minute)}
}

func notice(event, agent, id string) gate.Notice {
	return gate.Notice{
		Event: event, ID: id, Agent: agent, ToolName: "Bash", ToolUseID: "toolu_1",
		Arguments: json.RawMessage(`{"command":"curl -H 'Authorization: Bearer sk-ant-0123456789abcdefghij' x"}`), Reason: "no rule",
	}
}

// await waits until what is true, which something else makes it.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestHub: a place gets the events and agents that it wants, with secrets masked and
// the seed's members.
func TestHub(t *testing.T) {
	t.Parallel()
	s, all := webhooktest.New(t, nil), webhooktest.New(t, nil)
	h := webhook.NewHub(nil, webhook.Options{})
	t.Cleanup(h.Close)
	if err := h.Set([]config.Webhook{hook(s, []string{gate.PermissionDenied}, []string{"builder"}), hook(all, nil, nil)}); err != nil {
		t.Fatal(err)
	}
	h.Notify(notice(gate.PermissionRequest, "builder", "1"))
	h.Notify(notice(gate.PermissionDenied, "other", "2"))
	h.Notify(notice(gate.PermissionDenied, "builder", "3"))
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
	if p.Event != gate.PermissionDenied || p.ID != "3" || got.Event != p.Event || got.Tool != "Bash" || got.ID != "toolu_1" || got.Reason != "no rule" {
		t.Errorf("got %s %s %+v, want the third notice", p.Event, p.ID, got)
	}
	if strings.Contains(string(p.Body), "sk-ant-0123456789") || !strings.Contains(string(got.Arguments), "curl -H") {
		t.Errorf("got the arguments %s, want them without the secret", got.Arguments)
	}
}

// TestHub_again: a place that fails is told again, under the same id, and after
// enough tries the notice is dropped and counted.
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
	h.Notify(notice(gate.PermissionDenied, "a", "one"))
	h.Notify(notice(gate.PermissionDenied, "a", "never"))
	await(t, "the second is given up", func() bool { return h.Dropped() == 1 })
	tries := map[string]int{}
	for _, p := range s.Posts() {
		tries[p.ID]++
	}
	if tries["one"] != 3 || tries["never"] != webhook.Attempts {
		t.Errorf("got the tries %v, want one 3 and never %d", tries, webhook.Attempts)
	}
}

// TestHub_slowPlace: a place that does not answer delays nobody; what does not fit
// into its queue is dropped and counted, and Close does not wait for it.
func TestHub_slowPlace(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	slow := webhooktest.New(t, func(webhooktest.Post) webhooktest.Answer { <-hold; return webhooktest.Answer{} })
	t.Cleanup(func() { close(hold) })
	var mu sync.Mutex
	read := 0
	h := webhook.NewHub(nil, webhook.Options{})
	t.Cleanup(h.Close)
	h.Read(func(gate.Notice) { mu.Lock(); read++; mu.Unlock() })
	if err := h.Set([]config.Webhook{hook(slow, nil, nil)}); err != nil {
		t.Fatal(err)
	}
	for i := range 1100 {
		h.Notify(notice(gate.PermissionDenied, "a", strconv.Itoa(i)))
		if i%100 == 0 { // the hub's own queue is not what this is about
			await(t, "the reader gets on", func() bool { mu.Lock(); defer mu.Unlock(); return read > i-100 })
		}
	}
	await(t, "the place's queue overflows", func() bool { return h.Dropped() > 50 })
}

// TestHub_set: places that stay keep their queue, others end, and one that cannot be
// used is told.
func TestHub_set(t *testing.T) {
	t.Parallel()
	s := webhooktest.New(t, nil)
	h := webhook.NewHub(nil, webhook.Options{})
	t.Cleanup(h.Close)
	err := h.Set([]config.Webhook{hook(s, nil, nil), {URL: "http://example.com/", SecretFile: "/s"}})
	if err == nil || !strings.Contains(err.Error(), "webhooks[1]") {
		t.Errorf("got %v, want which one cannot be used", err)
	}
	h.Notify(notice(gate.PermissionDenied, "a", "1"))
	await(t, "the first is told", func() bool { return len(s.Posts()) == 1 })
	if err := h.Set(nil); err != nil {
		t.Fatal(err)
	}
	h.Notify(notice(gate.PermissionDenied, "a", "2"))
	h.Close()
	if n := len(s.Posts()); n != 1 {
		t.Errorf("got %d posts, want none after the place was taken away", n)
	}
}
